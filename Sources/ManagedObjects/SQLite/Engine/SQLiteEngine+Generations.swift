import DataModels
import Foundation

/// States of the store that are kept for reading.
extension SQLiteEngine {
  /// The store as it is now, for reading only; nil when it isn't in WAL mode, where a reader would
  /// keep every writer waiting.
  func generation() throws -> (any StoreEngine)? {
    try translatingErrors {
      guard !connection.isReadOnly, connection.path != ":memory:",
        try connection.text("PRAGMA journal_mode") == "wal"
      else { return nil }
      let url = URL(fileURLWithPath: connection.path)
      let reader = try SQLiteConnection(writing: url, creation: .existing)
      try reader.execute("PRAGMA query_only=1; BEGIN")
      // The transaction begins with its first reading.
      _ = try reader.integer("SELECT count(*) FROM Z_PRIMARYKEY")
      return try SQLiteEngine(reading: self, through: reader)
    }
  }
}
