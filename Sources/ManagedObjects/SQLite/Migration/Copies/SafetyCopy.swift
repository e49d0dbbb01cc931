import Foundation

/// A copy of a store beside it during a migration in place.
///
/// SQLite's transaction alone reverts a migration that fails or whose process terminates. The copy protects against
/// what transactions don't survive, such as a file system that loses writes. It is created and removed while the
/// store's write lock is held, so a copy found by the holder of that lock is left over.
struct SafetyCopy {
  /// The hidden file beside the store.
  let url: URL

  init(of store: URL) {
    let name = ".\(store.lastPathComponent).before-migration"
    url = store.deletingLastPathComponent().appendingPathComponent(name)
  }

  /// Copies the committed contents of the connection's file. The caller holds the write lock.
  func make(of connection: SQLiteConnection, at store: URL, _ progress: MigrationProgress) throws {
    remove()
    let source = try SQLiteConnection(
      writing: store, creation: .existing, timeout: connection.timeout)
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

  /// Removes a copy left behind by a terminated process, if there is one.
  func removeLeftOver(_ connection: SQLiteConnection) {
    guard FileManager.default.fileExists(atPath: url.path) else { return }
    // A running migration holds the lock: waiting for it distinguishes a copy in use from one left over.
    try? connection.transaction(.immediate) { remove() }
  }
}
