import Foundation

/// Which of git's configuration files is meant.
public enum GitConfigurationScope: String, Sendable {
  /// The repository's own.
  case local
  /// The user's.
  case global
}

extension GitRepository {
  /// The value of a configuration key; nil when it isn't set there.
  public func configuration(_ key: String, scope: GitConfigurationScope) throws -> String? {
    let output = try git(["config", "--\(scope.rawValue)", "--get", key])
    return output.exitCode == 0 ? output.text : nil
  }

  /// Sets a configuration key.
  ///
  /// - Throws: `GitError` with `.commandFailed` when git can't write its file.
  public func setConfiguration(
    _ key: String, to value: String, scope: GitConfigurationScope
  ) throws {
    let output = try git(["config", "--\(scope.rawValue)", key, value])
    guard output.exitCode == 0 else {
      throw GitError(.commandFailed, "git config \(key) failed: \(output.errors)")
    }
  }

  /// Removes a section of the configuration, such as `diff.momtool`; true when it was there.
  public func removeConfigurationSection(
    _ section: String, scope: GitConfigurationScope
  ) throws -> Bool {
    try git(["config", "--\(scope.rawValue)", "--remove-section", section]).exitCode == 0
  }
}
