import Foundation
import Synchronization

/// The database files that this process has open with SQLite's locks: for writing, or for reading beside a writer.
///
/// POSIX releases all of a process's locks on a file when any of its descriptors for that file is closed. A file that
/// is open with locks must therefore not be opened and closed except through SQLite, not even to read its header.
package final class OpenStoreFiles: Sendable {
  package static let shared = OpenStoreFiles()

  /// A file that was opened, as it was then.
  package struct File: Sendable {
    fileprivate let path: String
    fileprivate let identity: Identity?
  }

  /// What locks belong to, under whichever path a file is found: it may have been moved since, or have hard links.
  package struct Identity: Hashable, Sendable {
    private let device: UInt64
    private let number: UInt64

    /// The identity of the file that a path leads to; nil if there is none.
    package init?(_ path: String) {
      var info = stat()
      guard stat(path, &info) == 0 else { return nil }
      (device, number) = (
        UInt64(truncatingIfNeeded: info.st_dev), UInt64(truncatingIfNeeded: info.st_ino)
      )
    }
  }

  private struct Counts {
    var byIdentity: [Identity: Int] = [:]
    /// The files beside it are found by its path, even if another file has come to its place.
    var byPath: [String: Int] = [:]

    mutating func add(_ count: Int, of file: File) {
      if let identity = file.identity { Self.add(count, to: &byIdentity[identity]) }
      Self.add(count, to: &byPath[file.path])
    }

    private static func add(_ count: Int, to total: inout Int?) {
      let sum = (total ?? 0) + count
      total = sum > 0 ? sum : nil
    }
  }

  private let counts = Mutex(Counts())

  /// Records that a file was opened.
  ///
  /// - Returns: what to pass to ``closed(_:)``, since the path may lead elsewhere by then.
  package func opened(_ path: String) -> File {
    let file = File(path: Self.key(path), identity: Identity(path))
    counts.withLock { $0.add(1, of: file) }
    return file
  }

  /// Records that a file was closed.
  package func closed(_ file: File) {
    counts.withLock { $0.add(-1, of: file) }
  }

  /// Whether this process has a file open with locks.
  package func isOpen(_ path: String) -> Bool {
    counts.withLock { counts in
      guard !counts.byPath.isEmpty else { return false }
      if let identity = Identity(path), counts.byIdentity[identity] != nil { return true }
      return counts.byPath[Self.key(path)] != nil
    }
  }

  private static func key(_ path: String) -> String {
    URL(fileURLWithPath: path).resolvingSymlinksInPath().path
  }
}
