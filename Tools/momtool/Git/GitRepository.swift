import Foundation

/// A git repository, read by running git, without a checkout and without modifying anything.
///
/// ```swift
/// let repository = try GitRepository(containing: URL(fileURLWithPath: "."))
/// let released = try repository.files(at: "App/Model.xcdatamodeld", in: "v1.2")
/// released["V3.xcdatamodel/contents"]  // the bytes it had then
/// ```
struct GitRepository: Sendable {
  /// The root of the working tree or, for a bare repository, its own folder.
  let root: URL
  /// Whether there is no working tree.
  let isBare: Bool

  /// Finds the repository that contains a folder or file.
  ///
  /// - Throws: `GitError` with code `.notARepository` or `.gitNotFound`.
  init(containing url: URL) throws {
    var isDirectory: ObjCBool = false
    var folder = url.standardizedFileURL
    // The path may no longer exist in the working tree, so start at the nearest existing folder.
    while !FileManager.default.fileExists(atPath: folder.path, isDirectory: &isDirectory)
      || !isDirectory.boolValue
    {
      guard folder.pathComponents.count > 1 else { break }
      folder.deleteLastPathComponent()
    }
    let output = try GitCommand(folder: folder, arguments: ["rev-parse", "--show-toplevel"]).run()
    if output.exitCode == 0, !output.text.isEmpty {
      root = URL(fileURLWithPath: output.text, isDirectory: true)
      isBare = false
      return
    }
    let own = try GitCommand(
      folder: folder, arguments: ["rev-parse", "--absolute-git-dir"]
    ).run()
    guard own.exitCode == 0, !own.text.isEmpty else {
      // git reports whether there is no repository, or whether another user owns it.
      let reason = output.errors.split(separator: "\n").first.map(String.init) ?? ""
      let isForeign = reason.contains("dubious ownership")
      let trusted = reason.split(separator: "'").dropFirst().first ?? "PATH"
      throw GitError(
        .notARepository,
        isForeign
          ? "\(reason); if you trust it: git config --global --add safe.directory '\(trusted)'"
          : "\(folder.path) is not in the working tree of a git repository")
    }
    root = URL(fileURLWithPath: own.text, isDirectory: true)
    isBare = true
  }

  /// Resolves a revision to the full hexadecimal name of a commit.
  ///
  /// - Throws: `GitError` with code `.unknownRevision`.
  func commit(_ revision: String) throws -> String {
    let output = try git([
      "rev-parse", "--verify", "--quiet", "--end-of-options", "\(revision)^{commit}",
    ])
    guard output.exitCode == 0, !output.text.isEmpty, !revision.hasPrefix("-") else {
      throw GitError(
        .unknownRevision,
        "there is no commit '\(revision)' in \(root.path); "
          + (isShallow
            ? "the clone is shallow: run git fetch --unshallow --tags, or set fetch-depth: 0 in an action"
            : "fetch it first?"))
    }
    return output.text
  }

  /// The best common ancestor of two revisions; nil when they have none.
  func mergeBase(_ one: String, _ other: String) throws -> String? {
    let output = try git(["merge-base", try commit(one), try commit(other)])
    return output.exitCode == 0 && !output.text.isEmpty ? output.text : nil
  }

  /// Returns the path of a file relative to the repository's root, as used by git; "" for the root.
  ///
  /// - Throws: `GitError` with code `.unknownPath` when it is outside the repository.
  func path(of url: URL) throws -> String {
    let top = root.resolvingSymlinksInPath().pathComponents
    let inner = url.standardizedFileURL.resolvingSymlinksInPath().pathComponents
    guard inner.starts(with: top) else {
      throw GitError(.unknownPath, "\(url.path) is outside the repository \(root.path)")
    }
    return inner.dropFirst(top.count).joined(separator: "/")
  }

  func git(_ arguments: [String], input: Data = Data()) throws -> GitCommand.Output {
    try GitCommand(folder: root, arguments: arguments, input: input).run()
  }
}
