import Foundation

/// One of git's configuration files.
///
/// ```swift
/// let configuration = GitConfiguration(.local, folder: repository.root)
/// try configuration.set("diff.momtool.textconv", to: "momtool dump")
/// ```
struct GitConfiguration: Sendable {
  /// Identifies a configuration file.
  enum Scope: String, Sendable {
    /// The repository's own.
    case local
    /// The user's.
    case global
  }

  /// Identifies the file.
  let scope: Scope
  private let folder: URL

  /// Creates a reference to a file.
  ///
  /// - Parameters:
  ///   - scope: Identifies the file.
  ///   - folder: The folder in which to run git; for the local scope, a folder in the repository.
  init(_ scope: Scope, folder: URL) {
    self.scope = scope
    self.folder = folder
  }

  /// Returns the value of a key; nil when it isn't set in this file.
  ///
  /// - Throws: `GitError` with code `.gitNotFound`.
  func value(of key: String) throws -> String? {
    let output = try git(["--get", key])
    return output.exitCode == 0 ? output.text : nil
  }

  /// Whether the repository has a reference.
  func hasReference(_ name: String) throws -> Bool {
    try GitCommand(folder: folder, arguments: ["show-ref", "--quiet", "--verify", name]).run()
      .exitCode == 0
  }

  /// Removes a reference from the repository.
  ///
  /// - Throws: `GitError` with `.commandFailed` if git can't remove it.
  func removeReference(_ name: String) throws {
    let output = try GitCommand(folder: folder, arguments: ["update-ref", "-d", name]).run()
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git update-ref -d \(name) failed: \(output.errors)")
    }
  }

  /// Sets a key.
  ///
  /// - Throws: `GitError` with code `.commandFailed` when git can't write the file.
  func set(_ key: String, to value: String) throws {
    let output = try git([key, value])
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git config \(key) failed: \(output.errors)")
    }
  }

  /// Removes a section, such as `diff.momtool`; returns whether it existed.
  ///
  /// - Throws: `GitError` with code `.gitNotFound`.
  func removeSection(_ section: String) throws -> Bool {
    try git(["--remove-section", section]).exitCode == 0
  }

  private func git(_ arguments: [String]) throws -> GitCommand.Output {
    try GitCommand(
      folder: folder, arguments: ["config", "--\(scope.rawValue)"] + arguments
    ).run()
  }
}
