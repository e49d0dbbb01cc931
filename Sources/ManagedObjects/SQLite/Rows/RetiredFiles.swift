import Foundation
import Synchronization

/// Files of external values that no row names any more.
///
/// They are removed at once, unless a state of the store from before is still read in this process: then
/// when the last such reader goes. Readers of other processes aren't known; where one misses a file, its
/// row is read again, and only a state that it keeps can't give the value any more.
enum RetiredFiles {
  private struct Folder {
    var readers = 0
    var files: Set<URL> = []
  }

  /// By path: whether a folder's URL ends in a slash depends on whether it was there when it was made.
  private static let folders = Mutex<[String: Folder]>([:])

  /// Removes files of a folder now or later.
  static func remove(_ files: [URL], of folder: URL) {
    guard !files.isEmpty else { return }
    let path = folder.standardizedFileURL.path
    let isRead = folders.withLock { folders in
      folders[path]?.files.formUnion(files)
      return folders[path] != nil
    }
    guard !isRead else { return }
    for file in files { try? FileManager.default.removeItem(at: file) }
  }

  /// Keeps the files of a folder until the reader goes.
  final class Reader: Sendable {
    private let path: String

    init(of folder: URL) {
      path = folder.standardizedFileURL.path
      folders.withLock { [path] in $0[path, default: Folder()].readers += 1 }
    }

    deinit {
      let files: Set<URL> = folders.withLock { [path] folders in
        guard var state = folders[path] else { return [] }
        state.readers -= 1
        folders[path] = state.readers > 0 ? state : nil
        return state.readers > 0 ? [] : state.files
      }
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }
}
