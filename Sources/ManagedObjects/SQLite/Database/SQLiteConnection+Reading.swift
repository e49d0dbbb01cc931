import CSQLite
import DataModels
import Foundation
import PropertyLists

extension SQLiteConnection {
  /// Opens the file at `url` so that neither it nor its folder changes, not even by a `-shm`.
  ///
  /// A file that another connection is writing is read through SQLite's shared locking (its `-shm` is in use anyway).
  /// One with unmerged content is read from a private copy, which is removed with the connection. Any other file is
  /// read in place.
  ///
  /// - Parameter isTolerant: whether a truncated file is opened too, to read what is left of it.
  /// - Throws: ``SQLiteError`` with `.cannotOpen` if there is no such file, `.notADatabase` if it isn't a database.
  static func reading(
    _ url: URL, timeout: TimeInterval = 240, isTolerant: Bool = false
  ) throws(SQLiteError) -> SQLiteConnection {
    let path = url.path
    let location: StoreReadingLocation
    do {
      location = try StoreReadingLocation(path)
    } catch {
      throw SQLiteError(resultCode: SQLITE_CANTOPEN, message: "\(error)", path: path)
    }
    // Opening and closing the file without SQLite would release the locks of a shared connection, too.
    let file = location.plan == .shared ? OpenStoreFiles.shared.opened(path) : nil
    let connection = try SQLiteConnection(
      location: location.name, flags: location.flags, path: path, isReadOnly: true,
      plan: location.plan
    ) {
      location.cleanUp()
      if let file { OpenStoreFiles.shared.closed(file) }
    }
    connection.setBusyTimeout(timeout)
    if location.temporaryFolder != nil { try connection.execute("PRAGMA query_only=1") }
    if isTolerant { try connection.execute("PRAGMA query_only=1; PRAGMA writable_schema=1") }
    // SQLite opens any file; reading the schema detects that it isn't a database.
    try connection.execute("SELECT count(*) FROM sqlite_master")
    return connection
  }

  /// Like ``following(_:waits:timeout:isTolerant:)``, for a file that nobody vouches for: a view of the file's own can be
  /// in the place of a table and never end, so statements that use one fail.
  static func inspecting(_ url: URL, isTolerant: Bool = false) throws(SQLiteError)
    -> SQLiteConnection
  {
    let connection = try following(url, waits: true, isTolerant: isTolerant)
    _ = momkit_refuse_views(connection.handle)
    return connection
  }

  /// Opens a file by ``inspecting(_:isTolerant:)`` and reads a single state of it, from the beginning again if it was
  /// written meanwhile.
  static func inspecting<Result>(
    _ url: URL, isTolerant: Bool = false, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try readingAgain(opening: { try inspecting(url, isTolerant: isTolerant) }) { connection in
      try connection.execute("BEGIN")
      let result = try body(connection)
      // Whether or not the body has passed over errors.
      try connection.checkPages()
      return result
    }
  }
}
