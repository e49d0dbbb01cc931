import CSQLite
import DataModels
import Foundation
import PropertyLists

extension SQLiteConnection {
  /// Opens the file at `url` so that neither it nor its folder is changed, not even by a `-shm`.
  ///
  /// A file that another connection is writing is read through SQLite's shared locking (its
  /// `-shm` is in use anyway); one with unmerged content is read from a private copy, which goes
  /// with the connection; any other is read as it lies.
  ///
  /// - Parameter isTolerant: whether a file that was cut short is opened all the same, for what is left of it.
  /// - Throws: ``SQLiteError`` with `.cannotOpen` when there is no such file, `.notADatabase` when
  ///   it is something else.
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
    let connection = try SQLiteConnection(
      location: location.name, flags: location.flags, path: path, isReadOnly: true,
      cleanUp: location.cleanUp)
    connection.setBusyTimeout(timeout)
    if location.temporaryFolder != nil { try connection.execute("PRAGMA query_only=1") }
    if isTolerant { try connection.execute("PRAGMA query_only=1; PRAGMA writable_schema=1") }
    // SQLite opens anything; the first look at the schema is what says "not a database".
    try connection.execute("SELECT count(*) FROM sqlite_master")
    return connection
  }
}
