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

  /// The store's model: the one given, or the store's own copy.
  func loadModel() throws -> NSManagedObjectModel {
    guard let model else {
      guard let cached = try StoreFile(at: store).cachedModel() else {
        throw ModelFileError(
          .noModel, "the store has no copy of its model; name the model with --model",
          path: store)
      }
      return cached
    }
    return try Self.model(at: model, for: store, mustMatch: true)
  }

  /// The version of a model that has a store's version hashes; where none has and none must, the
  /// current one.
  static func model(
    at path: String, for store: String, mustMatch: Bool
  ) throws -> NSManagedObjectModel {
    var reader = InputReader()
    let metadata = try StoreFile(at: store).metadata
    let models = reader.models(at: path, .all).map(\.model)
    if let found = models.first(where: { $0.entityVersionHashesByName == metadata.entityHashes }) {
      try reader.finish()
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
      framework: StoreFile(at: store).metadata.frameworkVersion)
  }

  /// A context on the store, which is opened for reading.
  func openContext() throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: try loadModel())
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }
}
