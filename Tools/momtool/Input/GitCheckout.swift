import Foundation
import PropertyLists

/// What a path held in a git revision, as files in a temporary folder that goes with this object.
final class GitCheckout {
  /// Where the path's contents are.
  let url: URL
  private let folder: TemporaryFolder

  /// Takes the files out of the repository around the current folder.
  ///
  /// - Parameters:
  ///   - path: relative to the repository's root; beginning with `./`, to the current folder.
  ///   - revision: what git calls the commit.
  ///   - limit: how many bytes are read at most.
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
      // git's own paths begin at the root too, and people forget it.
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
    for (path, data) in files {
      let file = path.isEmpty ? url : url.appendingPathComponent(path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try data.write(to: file)
    }
  }
}
