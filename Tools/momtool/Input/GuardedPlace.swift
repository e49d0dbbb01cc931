import Foundation

/// Where `momtool guard` looks for what is released: in the whole working tree for a git revision, in and below the
/// current folder for a folder.
struct GuardedPlace {
  /// The repository of a revision.
  let repository: GitRepository?
  /// The path of the current folder in the repository.
  private let prefix: String

  static let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)

  /// Determines the place, of a folder or of a revision.
  ///
  /// - Throws: `GitError` or ``Diagnostic`` for a revision without a working tree.
  init(isFolder: Bool) throws {
    guard !isFolder else {
      (self.repository, self.prefix) = (nil, "")
      return
    }
    let repository = try GitRepository(containing: Self.here)
    guard !repository.isBare else {
      throw Diagnostic(
        "the repository is bare: there is no working tree to guard", path: repository.root.path)
    }
    self.repository = repository
    prefix = try repository.path(of: Self.here)
  }

  /// The folder that has everything.
  var root: String { repository?.root.path ?? "." }

  /// The path of something below ``root`` relative to the current folder, if it is inside it.
  func shown(_ path: String) -> String {
    guard let repository, !prefix.isEmpty else { return path }
    return path.hasPrefix(prefix + "/")
      ? String(path.dropFirst(prefix.count + 1)) : repository.root.appendingPathComponent(path).path
  }
}
