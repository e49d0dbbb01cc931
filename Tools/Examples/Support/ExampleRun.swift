import Foundation
import Synchronization

/// One run of an example: where its files are, and what it finds right or wrong.
///
/// ```swift
/// let run = ExampleRun()
/// run.expect(names == ["Ada"], "the fetch finds Ada")
/// run.finish()
/// ```
public final class ExampleRun: Sendable {
  /// The folder for the example's files: the first argument, or a new temporary folder.
  public let folder: URL
  /// What the program was asked to do, if it was started by ``deathMessage(of:)``.
  public let part: String?

  private let isTemporary: Bool
  private let failures = Mutex(0)

  /// Reads the command line: `[FOLDER]`.
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

  /// Prints what happened.
  public func say(_ text: String) { print(text) }

  /// Prints what ought to be so, and whether it is.
  public func expect(_ isSo: Bool, _ what: String) {
    print(isSo ? "  as it should be: \(what)" : "  WRONG: \(what)")
    if !isSo { failures.withLock { $0 += 1 } }
  }

  /// Runs `body` and gives the error it throws; not throwing is wrong.
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

  /// Runs `body`; an error is wrong and ends the program.
  public func attempt<Result>(_ what: String, _ body: () throws -> Result) -> Result {
    do {
      return try body()
    } catch {
      print("  WRONG: \(what): \(error)")
      finish(failed: true)
    }
  }

  /// Starts this program once more to do one part of it, which must end with a trap, and gives what
  /// it said last.
  public func deathMessage(of part: String) -> String {
    let child = Process()
    child.executableURL = Bundle.main.executableURL
    child.arguments = ["--part=\(part)", folder.path]
    let messages = folder.appendingPathComponent("\(part).messages")
    do {
      try Data().write(to: messages)
      child.standardError = try FileHandle(forWritingTo: messages)
      child.standardOutput = FileHandle.nullDevice
      // Only the message is wanted: printing a backtrace takes seconds.
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

  /// Ends the program: with status 0 when all was as it should be, else with 1.
  public func finish(failed: Bool = false) -> Never {
    if isTemporary { try? FileManager.default.removeItem(at: folder) }
    let count = failures.withLock { $0 } + (failed ? 1 : 0)
    print(count == 0 ? "all as it should be" : "\(count) wrong")
    exit(count == 0 ? 0 : 1)
  }
}
