import CSQLite
import Foundation

/// Destroying stores.
extension SQLiteEngine {
  /// Empties the file under SQLite's own lock, without deleting it; creates an empty file if there is none.
  ///
  /// Other connections find an empty database at their next statement. If the file were unlinked, they would go on
  /// writing to a deleted file. If there are no other connections, the file is truncated to zero bytes.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
    if case .file = try StoreLocation.check(url, NSPersistentStoreOperationError),
      !StoreLocation.isEmptyFile(url)
    {
      do {
        try SQLiteConnection(
          writing: url, creation: .existing, timeout: timeout(options)
        ).empty()
      } catch {
        throw error.cocoaError(NSPersistentStoreOperationError)
      }
    } else {
      // Left behind by a file that was removed manually.
      for suffix in ["-wal", "-shm", "-journal"] {
        let beside = URL(fileURLWithPath: url.path + suffix)
        if StoreLocation.isFileItself(beside) { try FileManager.default.removeItem(at: beside) }
      }
      try StoreLocation.makeEmptyFile(at: url)
    }
    let files = ExternalData(store: url)
    let support = files.folder.deletingLastPathComponent()
    // Another store whose name differs only in its extension may have the same folder. A link leads to where somebody has
    // moved it, and stays.
    if StoreLocation.isFolderItself(support),
      ExternalData.storeCount(at: files.folder, besides: files.store) == 0
    {
      try FileManager.default.removeItem(at: support)
    }
    SafetyCopy(of: url).remove()
  }
}

extension SQLiteEngine {
  /// Empties the database in memory at a location below `/dev/null`, which other coordinators may have open. At
  /// `/dev/null` itself there is nothing: each store there has a database of its own.
  static func destroyShared(at url: URL, options: [AnyHashable: Any]?) throws {
    guard let name = StoreLocation.sharedName(of: url) else { return }
    let timeout = (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
    do {
      let connection = try SQLiteConnection.inMemory(named: name)
      connection.setBusyTimeout(timeout)
      if try connection.hasTables() { try connection.empty() }
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }
}

extension SQLiteConnection {
  /// Removes all content of the database; works for a damaged one too.
  fileprivate func empty() throws(SQLiteError) {
    let usesWAL = (try? text("PRAGMA journal_mode")) == "wal"
    momkit_reset_database(handle, 1)
    defer { momkit_reset_database(handle, 0) }
    try execute("VACUUM")
    momkit_reset_database(handle, 0)
    // Only a sole connection can leave WAL mode; otherwise the log stays, which contains the reset.
    setBusyTimeout(0)
    guard usesWAL, (try? execute("PRAGMA journal_mode=delete; BEGIN EXCLUSIVE")) != nil else {
      return
    }
    // By path: closing another descriptor of the file would release its locks.
    truncate(path, 0)
    try? execute("ROLLBACK")
  }
}
