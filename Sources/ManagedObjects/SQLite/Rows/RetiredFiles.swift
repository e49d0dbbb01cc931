import Foundation
import PropertyLists
import Synchronization

/// External files that no row refers to any more.
///
/// They are removed at once, unless this process is still reading an earlier snapshot of the store; then they are
/// removed when the last such reader is released. Readers in other processes are unknown: if one misses a file, its
/// row is read again, and only a snapshot that it holds can't provide the value any more.
enum RetiredFiles {
  private struct Folder {
    var readers = 0
    var files: Set<URL> = []
  }

  /// Keyed by path, since a folder's URL ends in a slash only if the folder existed when the URL was created; see
  /// ``path(of:)``.
  private static let folders = Mutex<[String: Folder]>([:])

  /// The path of a folder without links, by whichever way it is reached. What isn't there yet stays as it is.
  static func path(of folder: URL) -> String {
    var (present, rest) = (folder.standardizedFileURL, [String]())
    while present.path != "/", !FileManager.default.fileExists(atPath: present.path) {
      rest.append(present.lastPathComponent)
      present.deleteLastPathComponent()
    }
    return ([FileBytes.resolvingLinks(present.path)] + rest.reversed()).joined(separator: "/")
  }

  /// Removes files of a folder, now or later.
  static func remove(_ files: [URL], of folder: URL) {
    guard !files.isEmpty else { return }
    let path = path(of: folder)
    let isRead = folders.withLock { folders in
      folders[path]?.files.formUnion(files)
      return folders[path] != nil
    }
    guard !isRead else { return }
    delete(files)
  }

  /// Which of several stores' rows refer to the files of a folder that they share isn't looked for: the files stay.
  private static func delete(_ files: some Collection<URL>) {
    // The stores are beside the folder as the file's name has it, even if that is a link.
    for (folder, files) in Dictionary(grouping: files, by: { $0.deletingLastPathComponent() })
    where ExternalData.storeCount(at: folder) < 2 {
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// Copies files of a folder, and begins again if one of them vanishes. What the rows name stays while there is a reader;
  /// but what was retired before may be among the files that are found, and go.
  static func retrying<Result>(_ copying: () throws -> Result) throws -> Result {
    for _ in 0..<8 {
      do { return try copying() } catch {
        let codes = [CocoaError.Code.fileNoSuchFile, .fileReadNoSuchFile].map(\.rawValue)
        guard codes.contains((error as NSError).code) else { throw error }
      }
    }
    return try copying()
  }

  /// Keeps the files of a folder until the reader is deallocated.
  final class Reader: Sendable {
    private let path: String

    convenience init(of folder: URL) { self.init(ofPath: RetiredFiles.path(of: folder)) }

    /// The same of a folder's path by ``RetiredFiles/path(of:)``.
    init(ofPath path: String) {
      self.path = path
      folders.withLock { [path] in $0[path, default: Folder()].readers += 1 }
    }

    deinit {
      let files: Set<URL> = folders.withLock { [path] folders in
        guard var state = folders[path] else { return [] }
        state.readers -= 1
        folders[path] = state.readers > 0 ? state : nil
        return state.readers > 0 ? [] : state.files
      }
      delete(files)
    }
  }
}
