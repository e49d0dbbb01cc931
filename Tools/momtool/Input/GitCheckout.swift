import Foundation
import PropertyLists

/// The files at a path in a git revision, in a temporary folder that is deleted with this object.
final class GitCheckout: InputCopy {
  /// The location of the files.
  let url: URL
  private let folder: TemporaryFolder

  /// Extracts files from the repository that contains the current folder.
  ///
  /// - Parameters:
  ///   - path: The path relative to the repository's root or, if it begins with `./`, to the current folder.
  ///   - revision: The revision.
  ///   - limit: The most bytes to read.
  /// - Throws: `GitError`, or an error of the file system.
  init(_ path: String, at revision: String, limit: Int = GitRepository.defaultLimit) throws {
    let here = URL(fileURLWithPath: FileManager.default.currentDirectoryPath)
    let repository = try GitRepository(containing: here)
    let inside =
      path == "." || path.hasPrefix("./")
      ? try repository.path(of: here.appendingPathComponent(path)) : path
    let files: [String: Data]
    do {
      files = try repository.files(at: inside, in: revision, limit: limit)
    } catch let error as GitError where error.code == .unknownPath && inside == path {
      // As in git, paths start at the root, which users tend to forget.
      guard !repository.isBare,
        let near = try? repository.path(of: here.appendingPathComponent(path)),
        (try? repository.files(at: near, in: revision, limit: limit)) != nil
      else { throw error }
      throw GitError(
        .unknownPath,
        "\(error.message); paths begin at the repository's root: write git:\(revision):./\(path) for the one in"
          + " this folder")
    }
    folder = try TemporaryFolder()
    let name = inside.split(separator: "/").last.map(String.init) ?? "root"
    url = folder.url.appendingPathComponent(name)
    try Self.write(files, to: url)
  }

  /// Writes files, by their paths in a folder; a single file has an empty path.
  static func write(_ files: [String: Data], to url: URL) throws {
    for (path, data) in files {
      let file = path.isEmpty ? url : url.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
  }
}
