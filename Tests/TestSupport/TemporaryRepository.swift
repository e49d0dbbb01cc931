import Foundation

/// A git repository in a temporary folder, gone when the test ends.
public final class TemporaryRepository {
  /// What a run of git gave.
  public struct Outcome {
    public let status: Int32
    public let text: String
  }

  /// A git command that failed.
  public struct Failure: Error, CustomStringConvertible {
    public let description: String
  }

  /// The top folder.
  public let folder = FileManager.default.temporaryDirectory
    .appendingPathComponent("momkit-test-\(UUID().uuidString)")

  /// Makes an empty repository with a branch `main`.
  public init() throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try git("-c", "init.defaultBranch=main", "init", "-q")
    try git("config", "user.name", "Test")
    try git("config", "user.email", "test@example.com")
    try git("config", "commit.gpgsign", "false")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  /// Runs git, and fails when it fails.
  @discardableResult
  public func git(_ arguments: String...) throws -> String {
    let outcome = try attempt(arguments)
    guard outcome.status == 0 else {
      throw Failure(description: "git \(arguments.joined(separator: " ")): \(outcome.text)")
    }
    return outcome.text
  }

  /// Runs git, whatever comes of it; the text is what it said on both outputs.
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

  /// Writes a file, with the folders it needs.
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
