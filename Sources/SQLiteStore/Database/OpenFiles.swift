import Foundation
import Synchronization

/// Which database files this process has open for writing.
///
/// POSIX drops all of a process's locks on a file when any of its descriptors for that file is
/// closed. So a file that is open for writing here must not be opened and closed past SQLite, not
/// even to look at its header.
final class OpenFiles: Sendable {
  static let shared = OpenFiles()

  private let counts = Mutex<[String: Int]>([:])

  func opened(_ url: URL) {
    counts.withLock { $0[Self.key(url), default: 0] += 1 }
  }

  func closed(_ url: URL) {
    counts.withLock { counts in
      let key = Self.key(url)
      let left = (counts[key] ?? 0) - 1
      counts[key] = left > 0 ? left : nil
    }
  }

  func isOpen(_ url: URL) -> Bool {
    counts.withLock { $0[Self.key(url)] != nil }
  }

  private static func key(_ url: URL) -> String { url.resolvingSymlinksInPath().path }
}
