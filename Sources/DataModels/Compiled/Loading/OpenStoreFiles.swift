import Foundation
import Synchronization

/// The database files that this process has open with SQLite's locks: for writing, or for reading beside a writer.
///
/// POSIX releases all of a process's locks on a file when any of its descriptors for that file is closed. A file that
/// is open with locks must therefore not be opened and closed except through SQLite, not even to read its header.
package final class OpenStoreFiles: Sendable {
  package static let shared = OpenStoreFiles()

  private let counts = Mutex<[String: Int]>([:])

  /// Records that a file was opened.
  package func opened(_ path: String) {
    counts.withLock { $0[Self.key(path), default: 0] += 1 }
  }

  /// Records that a file was closed.
  package func closed(_ path: String) {
    counts.withLock { counts in
      let key = Self.key(path)
      let left = (counts[key] ?? 0) - 1
      counts[key] = left > 0 ? left : nil
    }
  }

  /// Whether this process has a file open with locks.
  package func isOpen(_ path: String) -> Bool {
    counts.withLock { counts in !counts.isEmpty && counts[Self.key(path)] != nil }
  }

  private static func key(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
