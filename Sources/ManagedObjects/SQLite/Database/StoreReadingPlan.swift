import CSQLite
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

  /// Decides by examining the file and its companions.
  ///
  /// - Throws: ``PropertyListError`` if the file can't be read.
  init(for path: String) throws(PropertyListError) {
    if OpenStoreFiles.shared.isOpen(path) {
      self = .shared
      return
    }
    let header = try FileBytes.readPrefix(of: path, count: 100)
    if Self.size(of: path + "-journal") > 0 {
      self = .copy(companions: ["-journal"])
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

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether a process holds a lock on the file: every connection in WAL mode holds one on the `-shm` file while it
  /// is open.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }
}

/// The arguments for opening a file with SQLite according to the plan.
struct StoreReadingLocation: Sendable {
  /// A path, or a URI if ``flags`` say so.
  let name: String
  /// SQLite's flags for opening.
  let flags: Int32
  /// The folder of a private copy, which is removed with this object; keep it until the connection is closed.
  let temporaryFolder: TemporaryFolder?

  /// Determines how to read a file, and creates the private copy if needed.
  ///
  /// - Throws: ``PropertyListError`` if the file can't be read or copied.
  init(_ path: String) throws(PropertyListError) {
    switch try StoreReadingPlan(for: path) {
    case .shared:
      (name, flags, temporaryFolder) = (path, SQLITE_OPEN_READONLY, nil)
    case .immutable:
      name = Self.immutableURI(path)
      (flags, temporaryFolder) = (SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, nil)
    case .copy(let companions):
      let copy = try Self.privateCopy(of: path, companions: companions)
      // Writable, because a hot journal must be rolled back; this only affects the copy.
      (name, flags, temporaryFolder) = (copy.file.path, SQLITE_OPEN_READWRITE, copy.folder)
    }
  }

  /// Called by the connection when it closes; keeps the private copy until then.
  func cleanUp() { withExtendedLifetime(temporaryFolder) {} }

  private static func immutableURI(_ path: String) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(escaped)?immutable=1&mode=ro"
  }

  private static func privateCopy(
    of path: String, companions: [String]
  ) throws(PropertyListError) -> (folder: TemporaryFolder, file: URL) {
    let files = FileManager.default
    do {
      let folder = try TemporaryFolder()
      let copy = folder.url.appendingPathComponent("copy.sqlite")
      for suffix in [""] + companions {
        try files.copyItem(atPath: path + suffix, toPath: copy.path + suffix)
        // The original may be write-protected; the copy must be writable.
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
      }
      return (folder, copy)
    } catch {
      throw PropertyListError(
        .unreadableFile,
        "its unmerged content needs a private copy, which failed: "
          + ((error as? PropertyListError)?.message ?? error.localizedDescription))
    }
  }
}
