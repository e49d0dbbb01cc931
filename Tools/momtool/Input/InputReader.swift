import Foundation
import ManagedModel

/// Finds and reads the models that a command's arguments name.
///
/// An input that can't be read is reported, and the others are read all the same; ``finish()``
/// then ends the command with the status for trouble.
struct InputReader {
  private var failed = false

  /// The models at one input; none when it can't be read, which is reported.
  mutating func models(at path: String, _ selection: ModelSelection) -> [ModelInput] {
    attempt(path) { throw Diagnostic("can't read models yet", path: path) } ?? []
  }

  /// Does something with an input, and reports the error it throws.
  mutating func attempt<Result>(_ path: String, _ body: () throws -> Result) -> Result? {
    do {
      return try body()
    } catch {
      Diagnostics.report(error, path: path)
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
}
