import Foundation
import Synchronization

/// One run of an example: the folder for its files, and its results.
///
/// ```swift
/// let run = ExampleRun()
/// run.expect(names == ["Ada"], "the fetch finds Ada")
/// run.finish()
/// ```
public final class ExampleRun: Sendable {
  /// The folder for the example's files: the first argument, or a new temporary folder.
  public let folder: URL
  /// The part to perform, if the program was started by ``deathMessage(of:)``.
  public let part: String?

  private let isTemporary: Bool
  private let failures = Mutex(0)

  /// Parses the command line: `[FOLDER]`.
  public init() {
    let arguments = CommandLine.arguments.dropFirst()
    part = arguments.first.flatMap { $0.hasPrefix("--part=") ? String($0.dropFirst(7)) : nil }
    let name = arguments.first { !$0.hasPrefix("--") }
    isTemporary = name == nil
    folder =
      name.map { URL(fileURLWithPath: $0, isDirectory: true) }
      ?? FileManager.default.temporaryDirectory.appendingPathComponent(
        "momkit-example-\(UUID().uuidString)")
    do {
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    } catch {
      print("can't make \(folder.path): \(error)")
      exit(2)
    }
  }

  /// Prints a message.
  public func say(_ text: String) { print(text) }

  /// Prints an expectation and whether it is met.
  public func expect(_ isSo: Bool, _ what: String) {
    print(isSo ? "  as it should be: \(what)" : "  WRONG: \(what)")
    if !isSo { failures.withLock { $0 += 1 } }
  }

  /// Runs `body` and returns the error it throws; not throwing counts as a failure.
  public func error(_ what: String, _ body: () throws -> Void) -> NSError? {
    do {
      try body()
      expect(false, what)
      return nil
    } catch {
      expect(true, what)
      return error as NSError
    }
  }

  /// Runs `body` and returns its result. An error counts as a failure and ends the program.
  public func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      print("  WRONG: \(what): \(error)")
      finish(failed: true)
    }
  }

  /// Runs one part of this program in a child process, which must trap, and returns the last message it printed.
  public func deathMessage(of part: String) -> String {
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["--part=\(part)", folder.path]
    let messages = folder.appendingPathComponent("\(part).messages")
    do {
      try Data().write(to: messages)
      child.standardError = try FileHandle(forWritingTo: messages)
      child.standardOutput = FileHandle.nullDevice
      // Only the message is needed; printing a backtrace takes seconds.
      child.environment = ProcessInfo.processInfo.environment
        .merging(["SWIFT_BACKTRACE": "enable=no"]) { _, new in new }
      try child.run()
      child.waitUntilExit()
      guard child.terminationReason == .uncaughtSignal else { return "it went on" }
      return try String(contentsOf: messages, encoding: .utf8)
    } catch {
      return "it could not be started: \(error)"
    }
  }

  /// Ends the program: with status 0 if all expectations were met, otherwise 1.
  public func finish(failed: Bool = false) -> Never {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
    let count = failures.withLock { $0 } + (failed ? 1 : 0)
    print(count == 0 ? "all as it should be" : "\(count) wrong")
    exit(count == 0 ? 0 : 1)
  }
}
