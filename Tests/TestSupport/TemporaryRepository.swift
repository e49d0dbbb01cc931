import Foundation

/// A git repository in a temporary folder that is deleted when the test ends.
public final class TemporaryRepository {
  /// The outcome of a git command.
  public struct Outcome {
    public let status: Int32
    public let text: String
  }

  /// The error of a failed git command.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The working directory.
  public let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("momkit-test-\(UUID().uuidString)")

  /// Creates an empty repository with a branch `main`.
  public init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try git("-c", "init.defaultBranch=main", "init", "-q")
    try git("config", "user.name", "Test")
    try git("config", "user.email", "test@example.com")
    try git("config", "commit.gpgsign", "false")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs git, and throws if it fails.
  @discardableResult
  public func git(_ arguments: String...) throws -> String {
    let outcome = try attempt(arguments)
    guard outcome.status == 0 else {
      throw Failure(description: "git \(arguments.joined(separator: " ")): \(outcome.text)")
    }
    return outcome.text
  }

  /// Runs git, and returns its status and the text of both outputs.
  public func attempt(_ arguments: [String]) throws -> Outcome {
    let log = FileManager.default.temporaryDirectory
      .appendingPathComponent("momkit-test-log-\(UUID().uuidString)")
    try Data().write(to: log)
    defer { try? FileManager.default.removeItem(at: log) }
    let output = try FileHandle(forWritingTo: log)
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = ["git", "-C", folder.path] + arguments
    process.standardOutput = output
    process.standardError = output
    try process.run()
    process.waitUntilExit()
    try output.close()
    return Outcome(
      status: process.terminationStatus, text: try String(contentsOf: log, encoding: .utf8))
  }

  /// Writes a file, creating folders as needed.
  public func write(_ text: String, to path: String) throws {
    let url = folder.appendingPathComponent(path)
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }

  /// The text of a file.
  public func text(of path: String) throws -> String {
    try String(contentsOf: folder.appendingPathComponent(path), encoding: .utf8)
  }

  /// Commits everything.
  public func commit(_ message: String) throws {
    try git("add", "-A")
    try git("commit", "-q", "--allow-empty", "-m", message)
  }
}
