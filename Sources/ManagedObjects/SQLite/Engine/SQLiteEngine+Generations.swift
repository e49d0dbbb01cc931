import DataModels
import Foundation

/// Snapshots of the store for reading.
extension SQLiteEngine {
  /// A read-only snapshot of the store; nil if it isn't in WAL mode, where a reader would block every writer, and if
  /// others can't open the file.
  func generation() throws -> (any StoreEngine)? {
    try translatingErrors {
      guard !connection.isReadOnly, !isExclusive, connection.path != ":memory:",
        try connection.text("PRAGMA journal_mode") == "wal"
      else { return nil }
      let url = URL(fileURLWithPath: connection.path)
      let reader = try SQLiteConnection(
        writing: url, creation: .existing, timeout: connection.timeout)
      try reader.execute("PRAGMA query_only=1; BEGIN")
      // The transaction begins with its first read.
      _ = try reader.integer("SELECT count(*) FROM Z_PRIMARYKEY")
      return try SQLiteEngine(reading: self, through: reader)
    }
  }
  /// Lets other connections open the file while `body` runs, if this one keeps its lock.
  func sharingFile<Result>(_ body: () throws -> Result) throws -> Result {
    guard isExclusive, connection.path != ":memory:" else { return try body() }
    try translatingErrors {
      // SQLite gives up the lock when it is done with the next read.
      try connection.execute("PRAGMA locking_mode=NORMAL; SELECT count(*) FROM sqlite_master")
    }
    defer { try? connection.execute("PRAGMA locking_mode=EXCLUSIVE") }
    return try body()
  }
}
