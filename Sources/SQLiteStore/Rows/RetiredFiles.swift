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

  private static let folders = Mutex<[URL: Folder]>([:])

  /// Removes files of a folder now or later.
  static func remove(_ files: [URL], of folder: URL) {
    guard !files.isEmpty else { return }
    let isRead = folders.withLock { folders in
      folders[folder]?.files.formUnion(files)
      return folders[folder] != nil
    }
    guard !isRead else { return }
    for file in files { try? FileManager.default.removeItem(at: file) }
  }

  /// Keeps the files of a folder until the reader goes.
  final class Reader: Sendable {
    private let folder: URL

    init(of folder: URL) {
      self.folder = folder
      folders.withLock { $0[folder, default: Folder()].readers += 1 }
    }

    deinit {
      let files: Set<URL> = folders.withLock { [folder] folders in
        guard var state = folders[folder] else { return [] }
        state.readers -= 1
        folders[folder] = state.readers > 0 ? state : nil
        return state.readers > 0 ? [] : state.files
      }
      for file in files { try? FileManager.default.removeItem(at: file) }
    }
  }
}
