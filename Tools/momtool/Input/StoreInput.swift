import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// A store that a command reads, with the model its rows are read by.
struct StoreInput: ParsableArguments {
  @Argument(help: ArgumentHelp("The SQLite store.", valueName: "store"), completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp(
      "The store's model, where the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  init() {}

  /// A store that a command found itself.
  init(store: String, model: String?) {
    self.store = store
    self.model = model
  }

  /// The store's model: the one given, the store's own copy, or what the file lets guess.
  ///
  /// - Parameter isGuessed: whether a guess is good enough; it is told of.
  func loadModel(guessing isGuessed: Bool = true) throws -> NSManagedObjectModel {
    if let model { return try Self.model(at: model, for: store, mustMatch: true) }
    let file = try StoreFile(at: store)
    var why = "the store has no copy of its model"
    do {
      if let cached = try file.cachedModel() { return cached }
    } catch {
      guard isGuessed else { throw error }
      why = "the store's copy of its model can't be read (\(error.message))"
    }
    guard isGuessed else {
      throw ModelFileError(.noModel, "\(why); name the model with --model", path: store)
    }
    let guessed = try GuessedModel(of: URL(fileURLWithPath: store)).model
    Diagnostics.report(
      Diagnostic(
        warning: "\(why): names and kinds are guessed from its tables; --model names a model",
        path: store))
    return guessed
  }

  /// What the store records about itself; nil when that can't be read.
  var metadata: StoreMetadata? { try? StoreFile(at: store).metadata }

  /// The version of a model that has a store's version hashes; where none has and none must, the
  /// current one.
  static func model(
    at path: String, for store: String, mustMatch: Bool
  ) throws -> NSManagedObjectModel {
    var reader = InputReader()
    let metadata = try StoreFile(at: store).metadata
    let models = reader.models(at: path, .all).map(\.model)
    // Other versions may be unreadable.
    if let found = models.first(where: { $0.entityVersionHashesByName == metadata.entityHashes }) {
      return found
    }
    let current = mustMatch ? nil : reader.models(at: path, .current).first?.model
    try reader.finish()
    guard let current else {
      throw ModelFileError(
        .noMatchingVersion, "no version of the model has the store's version hashes", path: path)
    }
    return current
  }

  /// Tells what could not be read.
  ///
  /// - Throws: the status for findings, when there is anything.
  func report(_ problems: [String]) throws {
    for problem in problems {
      Diagnostics.report(Diagnostic(warning: problem, path: store))
    }
    if !problems.isEmpty { throw ExitStatus.findings }
  }

  /// The store's rows as plain data.
  func openRows() throws -> StoreRows {
    try StoreRows(
      URL(fileURLWithPath: store), model: loadModel(),
      framework: metadata?.frameworkVersion)
  }
}
