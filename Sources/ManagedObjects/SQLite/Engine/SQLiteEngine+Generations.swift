import DataModels
import Foundation

/// Snapshots of the store for reading.
extension SQLiteEngine {
  /// A read-only snapshot of the store; nil if it isn't in WAL mode, where a reader would block every writer.
  func generation() throws -> (any StoreEngine)? {
    try translatingErrors {
      guard !connection.isReadOnly, connection.path != ":memory:",
        try connection.text("PRAGMA journal_mode") == "wal"
      else { return nil }
      let url = URL(fileURLWithPath: connection.path)
      let reader = try SQLiteConnection(writing: url, creation: .existing)
      try reader.execute("PRAGMA query_only=1; BEGIN")
      // The transaction begins with its first read.
      _ = try reader.integer("SELECT count(*) FROM Z_PRIMARYKEY")
      return try SQLiteEngine(reading: self, through: reader)
    }
  }
}
