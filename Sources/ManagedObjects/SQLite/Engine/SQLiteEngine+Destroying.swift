import CSQLite
import Foundation

/// Emptying stores.
extension SQLiteEngine {
  /// Empties the file, under SQLite's own lock, and leaves it where it is; where there is none, makes an empty one.
  ///
  /// Connections of others meet an empty database at their next statement: a file that was unlinked they
  /// would go on writing into, for nobody. Where nobody else has it open, nothing is left in the file at all.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
    if case .file = try StoreLocation.check(url, NSPersistentStoreOperationError), !isEmpty(url) {
      let timeout = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
      do {
        try SQLiteConnection(writing: url, creation: .existing, timeout: timeout).empty()
      } catch {
        throw error.cocoaError(NSPersistentStoreOperationError)
      }
    } else {
      // What belonged to a file that somebody removed by hand.
      for suffix in ["-wal", "-shm", "-journal"] {
        let beside = URL(fileURLWithPath: url.path + suffix)
        if case .file = StoreLocation(beside) { try FileManager.default.removeItem(at: beside) }
      }
      try StoreLocation.makeEmptyFile(at: url)
    }
    let support = ExternalData(store: url).folder.deletingLastPathComponent()
    if FileManager.default.fileExists(atPath: support.path) {
      try FileManager.default.removeItem(at: support)
    }
    SafetyCopy(of: url).remove()
  }
}

extension SQLiteEngine {
  /// Whether there is nothing in a file, nor in a log beside it.
  private static func isEmpty(_ url: URL) -> Bool {
    var info = stat()
    guard stat(url.path, &info) == 0, info.st_size == 0 else { return false }
    return stat(url.path + "-wal", &info) != 0
  }
}

extension SQLiteConnection {
  /// Takes everything out of the database, whatever it is like: one that is damaged can be emptied too.
  fileprivate func empty() throws(SQLiteError) {
    let usesWAL = (try? text("PRAGMA journal_mode")) == "wal"
    momkit_reset_database(handle, 1)
    defer { momkit_reset_database(handle, 0) }
    try execute("VACUUM")
    momkit_reset_database(handle, 0)
    // Only who is alone can leave WAL mode; others keep the log, which holds the emptying.
    setBusyTimeout(0)
    guard usesWAL, (try? execute("PRAGMA journal_mode=delete; BEGIN EXCLUSIVE")) != nil else {
      return
    }
    // By its path: closing another descriptor of the file would end the locks.
    truncate(path, 0)
    try? execute("ROLLBACK")
  }
}
