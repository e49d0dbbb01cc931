import ArgumentParser
import DataModels
import Foundation
import ManagedObjects

/// A store that a command reads, with the model for reading its rows.
struct StoreInput: ParsableArguments {
  @Argument(help: ArgumentHelp("The store.", valueName: "store"), completion: .file())
  var store: String

  @Option(
    help: ArgumentHelp(
      "The store's model, if the store has no copy of it: a .mom, .momd or source.",
      valueName: "model"))
  var model: String?

  /// The rows of an XML or binary store; nil for a SQLite store.
  private var image: SQLiteImage?

  private enum CodingKeys: CodingKey { case store, model }

  init() {}

  /// Creates an input for a store found by a command.
  init(store: String, model: String?) {
    self.store = store
    self.model = model
  }

  func validate() throws { try Self.checkName(store) }

  /// Refuses an invalid file name.
  static func checkName(_ store: String) throws {
    if store.isEmpty { throw ValidationError("The store's name is empty.") }
    if store == "-", !FileManager.default.fileExists(atPath: store) {
      throw ValidationError("A store can't be read from standard input: give its file.")
    }
  }

  /// The SQLite file to read: the store, or its SQLite representation.
  var file: URL { image?.url ?? URL(fileURLWithPath: store) }

  /// The name of the store's type.
  func storeType(_ file: StoreFile) -> String? { image?.storeType ?? file.metadata.storeType }

  /// Whether the file keeps a copy of the store's model.
  func hasModelCopy(_ file: StoreFile) -> Bool { image == nil && file.compressedModel != nil }

  /// The version of the framework that wrote the store.
  func frameworkVersion(_ file: StoreFile) -> Int? {
    image == nil ? file.metadata.frameworkVersion : image?.frameworkVersion
  }

  /// Returns the store ready for reading: the rows of an XML or binary store are first copied to a SQLite file, which
  /// exists as long as the input. Other stores are returned unchanged.
  ///
  /// - Throws: `ModelFileError` when the model of such a store isn't given or doesn't match; ``Diagnostic`` when the
  ///   store can't be read.
  func opened() throws -> StoreInput {
    let url = URL(fileURLWithPath: store)
    guard image == nil, let kind = SQLiteImage.kind(of: url) else { return self }
    guard let model else {
      let names = ((try? SQLiteImage.entityHashes(of: url)) ?? [:]).keys.sorted()
      throw ModelFileError(
        .noModel,
        "\(kind), which has no copy of its model; specify it with --model"
          + (names.isEmpty ? "" : ". It has the entities \(names.joined(separator: ", "))"),
        path: store)
    }
    let loaded = try Self.model(at: model, for: store, mustMatch: true)
    var copy = self
    do {
      copy.image = try SQLiteImage(of: url, model: loaded)
    } catch {
      throw Diagnostics.diagnostic(for: error, path: store)
    }
    return copy
  }

  /// Loads the store's model: the given one, the store's own copy, or one guessed from the file.
  ///
  /// - Parameter isGuessed: Whether guessing is allowed; a guess is reported.
  func loadModel(guessing isGuessed: Bool = true) throws -> NSManagedObjectModel {
    if let model, image != nil { return try Self.model(at: model, for: store, mustMatch: true) }
    let file = try storeFile()
    if let problem = file.metadataProblem {
      Diagnostics.report(
        Diagnostic(
          warning:
            "the store is read without its metadata, which is unreadable: \(problem.message)",
          path: store))
    }
    if let model { return try Self.model(at: model, for: store, mustMatch: true) }
    var why = "the store has no copy of its model"
    do {
      if let cached = try file.cachedModel() { return cached }
    } catch {
      guard isGuessed else { throw error }
      why = "the store's copy of its model can't be read (\(error.message))"
    }
    guard isGuessed else {
      throw ModelFileError(.noModel, "\(why); specify the model with --model", path: store)
    }
    let guessed = try GuessedModel(of: URL(fileURLWithPath: store)).model
    Diagnostics.report(
      Diagnostic(
        warning: "\(why): names and types are guessed from its tables; --model specifies a model",
        path: store))
    return guessed
  }

  /// The metadata that the store records; nil when it can't be read.
  var metadata: StoreMetadata? { try? storeFile().metadata }

  /// Opens the store's file, even if its metadata can't be read.
  func storeFile() throws -> StoreFile {
    try StoreFile(at: file.relativePath, readingWithoutMetadata: true)
  }

  /// Returns the version of a model with a store's version hashes. If there is none and a match isn't required, returns
  /// the current version.
  static func model(
    at path: String, for store: String, mustMatch: Bool
  ) throws -> NSManagedObjectModel {
    var reader = InputReader()
    let url = URL(fileURLWithPath: store)
    let hashes = try InputReader.reported(store) {
      try SQLiteImage.kind(of: url) == nil
        ? StoreFile(at: store, readingWithoutMetadata: true).metadata.entityHashes
        : SQLiteImage.entityHashes(of: url)
    }
    let models = reader.models(at: path, .all).map(\.model)
    // Other versions may be unreadable.
    if let found = models.first(where: { $0.entityVersionHashesByName == hashes }) {
      return found
    }
    // Stores of the earliest frameworks record no hashes.
    let mustMatch = mustMatch && !hashes.isEmpty
    let current = mustMatch ? nil : reader.models(at: path, .current).first?.model
    try reader.finish()
    guard let current else {
      throw ModelFileError(
        .noMatchingVersion, "no version of the model has the store's version hashes", path: path)
    }
    return current
  }

  /// Reports what could not be read, and any oddities.
  ///
  /// - Throws: The exit status for findings, if anything could not be read.
  func report(on rows: StoreRows) throws {
    for remark in rows.remarks { Diagnostics.report(Diagnostic(warning: remark, path: store)) }
    try report(rows.problems)
  }

  /// Reports what could not be read.
  ///
  /// - Throws: The exit status for findings, if there is anything.
  func report(_ problems: [String]) throws {
    for problem in problems {
      Diagnostics.report(Diagnostic(warning: problem, path: store))
    }
    if !problems.isEmpty { throw ExitStatus.findings }
  }

  /// Opens the store's rows as plain data.
  ///
  /// - Parameter keepsGoing: Whether to omit what can't be read.
  func openRows(keepsGoing: Bool = false) throws -> StoreRows {
    try StoreRows(
      file, model: loadModel(),
      framework: metadata?.frameworkVersion, keepsGoing: keepsGoing)
  }

  /// Reads rows of a single state of the store; if the file is damaged, the error says how to extract the rest.
  ///
  /// - Parameter repeats: Whether to begin anew if another program has written to the file meanwhile: not if `body` has
  ///   printed something by then.
  func reading(
    _ values: StoreValueOptions, repeats: Bool = false, _ body: (StoreRows) throws -> Void
  ) throws {
    let opened = try opened()
    func preparedRows() throws -> StoreRows {
      let rows = try opened.openRows(keepsGoing: values.keepGoing)
      values.apply(to: rows)
      return rows
    }
    do {
      try withExtendedLifetime(opened) {
        if repeats {
          try StoreRows.rereading(opening: preparedRows, body)
        } else {
          try preparedRows().readingOneState(body)
        }
      }
    } catch var error as ModelFileError
      where error.code == .malformed && !values.keepGoing && (try? opened.storeFile()) != nil
    {
      error.message += "; --keep-going reads the rest"
      throw error
    }
  }
}
