import CSQLite
import Foundation

/// Copying of whole databases, page by page, with SQLite's own locking.
extension SQLiteConnection {
  /// Replaces this database's contents by the committed contents of `source`, in one transaction.
  ///
  /// - Parameters:
  ///   - isValid: called once when this file's lock is held; false ends the operation without a change.
  ///   - progress: checked for cancellation; nothing is reported to it.
  /// - Returns: whether the contents were replaced.
  /// - Throws: ``SQLiteError`` with `.busy` if the source is read without locks, by
  ///   ``following(_:waits:timeout:isTolerant:)``, and was written meanwhile: what has been copied is to be copied again.
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
      // The last step replaces the contents: what was copied until then must belong together.
      try source.requireSamePages()
      result = try step(backup, pages: 4096)
    }
    isFinished = true
    let end = sqlite3_backup_finish(backup)
    guard end == SQLITE_OK else { throw error(end, sql: nil) }
    try source.requireSamePages()
    return true
  }

  /// Whether SQLite refuses ``replaceContents(with:isValid:progress:)`` by a database: with a write-ahead log, pages keep
  /// their size.
  func refusesPages(of source: SQLiteConnection) throws -> Bool {
    let mode = try withStatement("PRAGMA journal_mode") { row in
      try row.step() ? row.text(at: 0) : nil
    }
    let size = try integer("PRAGMA page_size")
    return try mode == "wal" && size != source.integer("PRAGMA page_size")
  }

  /// A copy of the database in a new file, with pages of the size that another's have.
  func copy(at url: URL, withPagesAs other: SQLiteConnection) throws -> SQLiteConnection {
    let size = try other.integer("PRAGMA page_size") ?? 4096
    let copy = try SQLiteConnection(writing: url, creation: .ifMissing)
    // Indexes are made again, and may call them.
    try copy.registerCoreDataFunctions()
    try SQLCollation.register(on: copy)
    _ = try copy.replaceContents(with: self)
    try copy.execute("PRAGMA journal_mode=delete")
    try copy.execute("PRAGMA page_size=\(size)")
    try copy.execute("VACUUM")
    return copy
  }

  /// Copies some pages, waiting for other connections' locks as long as the connection generally does.
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
