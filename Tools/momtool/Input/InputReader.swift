import ArgumentParser
import DataModels

/// Reads the inputs given as a command's arguments.
///
/// An input that can't be read is reported, and the others are read nevertheless; ``finish()`` then ends the command
/// with the exit status for trouble.
struct InputReader {
  /// How many inputs couldn't be read.
  private(set) var failures = 0

  /// Reads the models at one input; those that can't be read are reported and omitted.
  ///
  /// - Parameters:
  ///   - text: A file, a bundle, a version of a bundle, a folder, any of these in git, or `-`.
  ///   - selection: The versions to read if the argument doesn't request one.
  mutating func models(at text: String, _ selection: ModelFile.Selection) -> [LoadedModel] {
    guard let input = attempt(text, { try ModelInput(text) }) else { return [] }
    return models(in: input, selection)
  }

  /// Reads the models of an input that is examined already, such as a pipe, which can't be read again.
  mutating func models(in input: ModelInput, _ selection: ModelFile.Selection) -> [LoadedModel] {
    let parts = attempt(input.location.text) { try input.parts(having: selection) } ?? []
    var leftOut = false
    let models = parts.flatMap { part in
      attempt(part.location.text) {
        try part.models(selection) { refusal in
          Diagnostics.report(refusal)
          leftOut = true
        }
      } ?? []
    }
    if leftOut { failures += 1 }
    return models
  }

  /// Returns the files and bundles at one input, and those inside a folder; empty if it can't be read, which is
  /// reported.
  mutating func files(at path: String) -> [ModelFile] {
    attempt(path) { try ModelFile(at: path).modelFiles() } ?? []
  }

  /// Performs an operation on an input, and reports its error.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      // An exit status means that the error has already been reported.
      if !(error is ExitCode) { Diagnostics.report(error, path: path) }
      failures += 1
      return nil
    }
  }

  /// Ends the command if an input failed.
  ///
  /// - Throws: The exit status for trouble.
  func finish() throws {
    if failures > 0 { throw ExitStatus.trouble }
  }

  /// Reads the single model at an input that the command requires.
  ///
  /// - Throws: The exit status for trouble, after reporting the error; `ModelFileError` when there isn't exactly one
  ///   model.
  static func model(at text: String) throws -> NSManagedObjectModel {
    try model(in: reported(text) { try ModelInput(text) })
  }

  /// Reads the single model of an input that is examined already.
  static func model(in input: ModelInput) throws -> NSManagedObjectModel {
    try single(at: input.location.text) { $0.models(in: input, .current) }.model
  }

  /// Reads the single model that the command requires, in a given way.
  ///
  /// - Throws: The exit status for trouble, after reporting the error; `ModelFileError` when there isn't exactly one
  ///   model.
  static func single(
    at path: String, _ read: (inout InputReader) -> [LoadedModel]
  ) throws -> LoadedModel {
    var reader = InputReader()
    let models = read(&reader)
    try reader.finish()
    guard models.count == 1, let loaded = models.first else {
      throw ModelFileError(
        .noModel, "\(models.count) models were found; choose one of them", path: path)
    }
    return loaded
  }

  /// Performs an operation on the input that the command requires.
  ///
  /// - Throws: The exit status for trouble, after reporting the error with the input's name.
  static func reported<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let status as ExitCode {
      // The reader of standard output is gone, or the error has already been reported.
      throw status
    } catch {
      Diagnostics.report(error, path: path)
      throw ExitStatus.trouble
    }
  }
}
