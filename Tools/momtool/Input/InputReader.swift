import ArgumentParser
import DataModels

/// Reads the inputs that a command's arguments name.
///
/// An input that can't be read is reported, and the others are read all the same; ``finish()``
/// then ends the command with the status for trouble.
struct InputReader {
  private var failed = false

  /// The models at one input; those that can't be read are reported and left out.
  ///
  /// - Parameters:
  ///   - text: a file, a bundle, a version of a bundle, a folder, any of these in git, or `-`.
  ///   - selection: which versions to read where the argument names none.
  mutating func models(at text: String, _ selection: ModelFile.Selection) -> [LoadedModel] {
    let parts = attempt(text) { try ModelInput(text).parts(having: selection) } ?? []
    var leftOut = false
    let models = parts.flatMap { part in
      attempt(part.location.text) {
        try part.models(selection) { refusal in
          Diagnostics.report(refusal)
          leftOut = true
        }
      } ?? []
    }
    if leftOut { failed = true }
    return models
  }

  /// The files and bundles at one input, and those inside a folder; none when it can't be read,
  /// which is reported.
  mutating func files(at path: String) -> [ModelFile] {
    attempt(path) { try ModelFile(at: path).modelFiles() } ?? []
  }

  /// Does something with an input, and reports the error it throws.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      // A status ends what was reported already.
      if !(error is ExitCode) { Diagnostics.report(error, path: path) }
      failed = true
      return nil
    }
  }

  /// Ends the command when an input failed.
  ///
  /// - Throws: the status for trouble.
  func finish() throws {
    if failed { throw ExitStatus.trouble }
  }

  /// The one model at an input a command can't do without.
  ///
  /// - Throws: the status for trouble, after the error was reported; `ModelFileError` when there isn't
  ///   one model.
  static func model(at text: String) throws -> NSManagedObjectModel {
    var reader = InputReader()
    let models = reader.models(at: text, .current)
    try reader.finish()
    guard models.count == 1, let loaded = models.first else {
      throw ModelFileError(
        .noModel, "\(models.count) models are there; name one of them", path: text)
    }
    return loaded.model
  }

  /// Does something with the one input a command can't do without.
  ///
  /// - Throws: the status for trouble, after the error was reported with the input's name.
  static func reported<Result>(_ path: String, _ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch let status as ExitCode {
      // Nobody reads any more, or it was reported already.
      throw status
    } catch {
      Diagnostics.report(error, path: path)
      throw ExitStatus.trouble
    }
  }
}
