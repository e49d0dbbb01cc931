import CSQLite
import Foundation

/// Copying whole databases, page by page, through SQLite's own locks.
extension SQLiteConnection {
  /// Makes this database equal to what `source` has committed, in one transaction.
  ///
  /// - Parameters:
  ///   - isValid: asked once when this file's lock is held; false ends it without a change.
  ///   - progress: told of nothing, but asked whether to go on.
  /// - Returns: Whether it was done.
  func replaceContents(
    with source: SQLiteConnection, isValid: () throws -> Bool = { true },
    progress: MigrationProgress? = nil
  ) throws -> Bool {
    emptyCache()
    guard let backup = sqlite3_backup_init(handle, "main", source.handle, "main") else {
      throw error(sqlite3_errcode(handle), sql: nil)
    }
    var isFinished = false
    defer { if !isFinished { sqlite3_backup_finish(backup) } }
    var result = try step(backup, pages: 1)
    guard try isValid() else { return false }
    while result == SQLITE_OK {
      if progress?.isCancelled == true { throw MigrationError.cancelled() }
      result = try step(backup, pages: 4096)
    }
    isFinished = true
    let end = sqlite3_backup_finish(backup)
    guard end == SQLITE_OK else { throw error(end, sql: nil) }
    return true
  }

  /// One step; another's lock is waited for, as long as the connection waits for locks.
  private func step(_ backup: OpaquePointer, pages: Int32) throws(SQLiteError) -> Int32 {
    let limit = Date().addingTimeInterval(240)
    while true {
      let result = sqlite3_backup_step(backup, pages)
      switch result {
      case SQLITE_OK, SQLITE_DONE: return result
      case SQLITE_BUSY, SQLITE_LOCKED:
        guard Date() < limit else { throw error(result, sql: nil) }
        usleep(2000)
      default:
        throw SQLiteError(
          resultCode: result, message: String(cString: sqlite3_errstr(result)), path: path)
      }
    }
  }
}
