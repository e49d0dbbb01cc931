import Foundation

/// The copy of a store that lies beside it while it is migrated in place.
///
/// SQLite's transaction alone undoes a migration that fails or whose process ends; the copy is there
/// for what no transaction survives, such as a file system that loses writes. It is made and removed
/// while the store's write lock is held, so one that is met by who holds that lock is left over.
struct SafetyCopy {
  /// The hidden file beside the store.
  let url: URL

  init(of store: URL) {
    let name = ".\(store.lastPathComponent).before-migration"
    url = store.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Copies what `connection`'s file has committed. The caller holds the write lock.
  func make(of connection: SQLiteConnection, at store: URL, _ progress: MigrationProgress) throws {
    remove()
    let source = try SQLiteConnection(writing: store, creation: .existing)
    do {
      let copy = try SQLiteConnection(writing: url, creation: .ifMissing)
      _ = try copy.replaceContents(with: source, progress: progress)
    } catch {
      remove()
      throw error
    }
  }

  func remove() {
    for suffix in ["", "-wal", "-shm", "-journal"]
    where FileManager.default.fileExists(atPath: url.path + suffix) {
      try? FileManager.default.removeItem(atPath: url.path + suffix)
    }
  }

  /// Removes a copy that a process left when it ended; does nothing where there is none.
  func removeLeftOver(_ connection: SQLiteConnection) {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    // Whoever is migrating now holds the lock: waiting for it tells a copy in use from one left over.
    try? connection.transaction(.immediate) { remove() }
  }
}
