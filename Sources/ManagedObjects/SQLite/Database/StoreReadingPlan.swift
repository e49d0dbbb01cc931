import DataModels
import Foundation
import PropertyLists

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// The way to read a SQLite file without leaving a trace.
///
/// SQLite itself can't guarantee that: a read-only connection to a file in WAL mode creates a `-shm` file beside it,
/// or writes its read marks into the existing one.
enum StoreReadingPlan: Equatable, Sendable {
  /// With SQLite's ordinary read-only locking: another connection is using the file, or the file uses a rollback
  /// journal, where reading leaves nothing behind.
  case shared
  /// As immutable bytes: all content is in the main file.
  case immutable
  /// From a private copy: part of the content is in a `-wal` or `-journal` file, and merging it would write files
  /// beside the original.
  case copy(companions: [String])

  /// Decides by examining the file and its companions, which for a link are beside the file that it leads to.
  ///
  /// - Throws: ``PropertyListError`` if the file can't be read.
  init(for path: String) throws(PropertyListError) {
    let path = FileBytes.resolvingLinks(path)
    if OpenStoreFiles.shared.isOpen(path) {
      self = .shared
      return
    }
    let header = try FileBytes.readPrefix(of: path, count: 100)
    if Self.isHot(path + "-journal") {
      // With a writer at work the journal is its own, and SQLite's locks keep the two apart.
      self = Self.hasWriter(path) ? .shared : .copy(companions: ["-journal"])
      return
    }
    // Bytes 18 and 19 of the header: 1 rollback journal, 2 write-ahead log.
    guard header.count >= 20, header[18] == 2 || header[19] == 2, !Self.isLocked(path + "-shm")
    else {
      self = .shared
      return
    }
    self = Self.size(of: path + "-wal") > 0 ? .copy(companions: ["-wal"]) : .immutable
  }

  /// Whether a journal has what a writer that crashed would have to take back: one that is kept for the next transaction
  /// begins with zeros.
  private static func isHot(_ path: String) -> Bool {
    guard size(of: path) > 0, let header = try? FileBytes.readPrefix(of: path, count: 1) else {
      return false
    }
    return header.first.map { $0 != 0 } ?? false
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether another process writes to a file in rollback mode, or is about to.
  static func hasWriter(_ path: String) -> Bool {
    // The bytes that SQLite locks: one for the next writer, one for the present one, and 510 for readers.
    isLocked(path, against: F_RDLCK, from: 0x4000_0000, count: 512)
  }

  /// Whether a process holds a lock on a `-shm` file: every connection in WAL mode does while it is open.
  private static func isLocked(_ path: String) -> Bool {
    isLocked(path, against: F_WRLCK, from: 0, count: 0)
  }

  private static func isLocked(
    _ path: String, against type: Int32, from start: Int, count: Int
  ) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(type)
    lock.l_whence = Int16(SEEK_SET)
    (lock.l_start, lock.l_len) = (off_t(start), off_t(count))
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}
