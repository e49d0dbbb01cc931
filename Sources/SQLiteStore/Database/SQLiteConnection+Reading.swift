import CSQLite
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Reading without leaving a trace.
///
/// SQLite itself cannot promise that: a read-only connection to a file in WAL mode makes a `-shm`
/// file beside it, or writes its read marks into the one that is there.
extension SQLiteConnection {
  /// What a look at a file and its companions says about how to read it.
  enum ReadingPlan: Equatable {
    /// Through SQLite's ordinary read-only locking: another connection is at work on the file, or
    /// the file uses a rollback journal, where reading leaves nothing behind.
    case shared
    /// As bytes that nobody changes: all of the content is in the main file.
    case immutable
    /// From a private copy: part of the content waits in a `-wal` or `-journal` file, and taking
    /// it in would need companions written beside the original.
    case copy(companions: [String])
  }

  /// Opens the file at `url` so that neither it nor its folder is changed, not even by a `-shm`.
  ///
  /// A file that another connection is writing is read through SQLite's shared locking (its
  /// `-shm` is in use anyway); one with unmerged content is read from a private copy, which goes
  /// with the connection; any other is read as it lies.
  ///
  /// - Throws: ``SQLiteError`` with `.cannotOpen` when there is no such file, `.notADatabase` when
  ///   it is something else.
  package static func reading(
    _ url: URL, timeout: TimeInterval = 240
  ) throws(SQLiteError) -> SQLiteConnection {
    let path = url.path
    let connection: SQLiteConnection
    switch try readingPlan(for: url) {
    case .shared:
      connection = try SQLiteConnection(
        location: path, flags: SQLITE_OPEN_READONLY, path: path, isReadOnly: true)
    case .immutable:
      connection = try SQLiteConnection(
        location: immutableURI(path), flags: SQLITE_OPEN_READONLY | SQLITE_OPEN_URI, path: path,
        isReadOnly: true)
    case .copy(let companions):
      let copy = try privateCopy(of: url, companions: companions)
      // Writable, because a hot journal must be played back; only the copy sees that.
      connection = try SQLiteConnection(
        location: copy.file.path, flags: SQLITE_OPEN_READWRITE, path: path, isReadOnly: true
      ) { try? FileManager.default.removeItem(at: copy.folder) }
      try connection.execute("PRAGMA query_only=1")
    }
    connection.setBusyTimeout(timeout)
    // SQLite opens anything; the first look at the schema is what says "not a database".
    try connection.execute("SELECT count(*) FROM sqlite_master")
    return connection
  }

  static func readingPlan(for url: URL) throws(SQLiteError) -> ReadingPlan {
    let path = url.path
    if OpenFiles.shared.isOpen(url) { return .shared }
    let header = try readHeader(path)
    if size(of: path + "-journal") > 0 { return .copy(companions: ["-journal"]) }
    // Bytes 18 and 19 of the header: 1 rollback journal, 2 write-ahead log.
    guard header.count >= 20, header[18] == 2 || header[19] == 2 else { return .shared }
    if isLocked(path + "-shm") { return .shared }
    return size(of: path + "-wal") > 0 ? .copy(companions: ["-wal"]) : .immutable
  }

  private static func readHeader(_ path: String) throws(SQLiteError) -> [UInt8] {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, message: String(cString: strerror(errno)), path: path)
    }
    defer { close(descriptor) }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = bytes.withUnsafeMutableBytes { read(descriptor, $0.baseAddress, $0.count) }
    guard count >= 0 else {
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN, message: String(cString: strerror(errno)), path: path)
    }
    return Array(bytes.prefix(count))
  }

  private static func size(of path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? Int(status.st_size) : 0
  }

  /// Whether some process holds a lock on the file: every connection in WAL mode holds one on the
  /// `-shm` file as long as it is open.
  private static func isLocked(_ path: String) -> Bool {
    let descriptor = open(path, O_RDONLY)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    var lock = flock()
    lock.l_type = Int16(F_WRLCK)
    lock.l_whence = Int16(SEEK_SET)
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != Int16(F_UNLCK)
  }

  private static func immutableURI(_ path: String) -> String {
    var allowed = CharacterSet.urlPathAllowed
    allowed.remove(charactersIn: "?#%")
    let escaped = path.addingPercentEncoding(withAllowedCharacters: allowed) ?? path
    return "file:\(escaped)?immutable=1&mode=ro"
  }

  private static func privateCopy(
    of url: URL, companions: [String]
  ) throws(SQLiteError) -> (folder: URL, file: URL) {
    let files = FileManager.default
    let folder = files.temporaryDirectory.appendingPathComponent("momkit-\(UUID().uuidString)")
    let copy = folder.appendingPathComponent("copy.sqlite")
    do {
      try files.createDirectory(
        at: folder, withIntermediateDirectories: false,
        attributes: [.posixPermissions: 0o700])
      for suffix in [""] + companions {
        try files.copyItem(atPath: url.path + suffix, toPath: copy.path + suffix)
        // The original may be write-protected; the copy is ours.
        try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy.path + suffix)
      }
      return (folder, copy)
    } catch {
      try? files.removeItem(at: folder)
      throw SQLiteError(
        resultCode: SQLITE_CANTOPEN,
        message: "its unmerged content needs a private copy, which failed: "
          + error.localizedDescription,
        path: url.path)
    }
  }
}
