import Foundation
import Synchronization

/// Which database files this process has open for writing.
///
/// POSIX drops all of a process's locks on a file when any of its descriptors for that file is
/// closed. So a file that is open for writing here must not be opened and closed past SQLite, not
/// even to look at its header.
package final class OpenStoreFiles: Sendable {
  package static let shared = OpenStoreFiles()

  private let counts = Mutex<[String: Int]>([:])

  /// Records that a file was opened for writing.
  package func opened(_ path: String) {
    counts.withLock { $0[Self.key(path), default: 0] += 1 }
  }

  /// Records that it was closed again.
  package func closed(_ path: String) {
    counts.withLock { counts in
      let key = Self.key(path)
      let left = (counts[key] ?? 0) - 1
      counts[key] = left > 0 ? left : nil
    }
  }

  /// Whether this process has the file open for writing.
  package func isOpen(_ path: String) -> Bool {
    counts.withLock { counts in !counts.isEmpty && counts[Self.key(path)] != nil }
  }

  private static func key(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
