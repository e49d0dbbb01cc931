import CSQLite
import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Musl)
  import Musl
#elseif canImport(Darwin)
  import Darwin
#endif

/// Connections of stores that are only read, while others write them.
extension SQLiteConnection {
  /// Opens a file like ``reading(_:timeout:isTolerant:)``, and keeps in mind how it was: see ``isCurrent``.
  ///
  /// - Parameters:
  ///   - waits: whether to wait a few milliseconds, if the file was written just now, until another write can be
  ///     noticed. Otherwise such a connection isn't current from the beginning.
  ///   - timeout: the time to wait for a writer's lock, in seconds.
  ///   - isTolerant: whether a truncated file is opened too, to read what is left of it.
  static func following(
    _ url: URL, waits: Bool, timeout: TimeInterval = 240, isTolerant: Bool = false
  ) throws(SQLiteError) -> SQLiteConnection {
    let paths = StoreReadingState.paths(of: url.path)
    for _ in 0..<followingAttempts {
      let files = waits ? settledFiles(paths) : StoreReadingState.Files(paths)
      let isSettled = files.isSettled
      let connection: SQLiteConnection
      do { connection = try reading(url, timeout: timeout, isTolerant: isTolerant) } catch {
        // Planned for what was there a moment ago.
        if StoreReadingState.Files(paths) != files { continue }
        throw error
      }
      let isShared = connection.plan == .shared
      guard isShared || StoreReadingState.Files(paths) == files else { continue }
      if connection.plan == .immutable {
        // Pages that are mapped are read without being counted; see `checkPages()`.
        try connection.execute("PRAGMA mmap_size=0")
      }
      let mode = isShared ? try connection.journalMode() : ""
      connection.seen = StoreReadingState(
        paths, files, isSettled: isSettled, plan: connection.plan ?? .shared,
        hasLog: mode == "wal")
      return connection
    }
    throw SQLiteError(
      resultCode: SQLITE_BUSY,
      message: "another program writes to it so often that it couldn't be opened; try again",
      path: url.path)
  }

  private static var followingAttempts: Int { 20 }

  /// The state of the files once any later write changes it, or after some milliseconds.
  private static func settledFiles(_ paths: [String]) -> StoreReadingState.Files {
    var files = StoreReadingState.Files(paths)
    for _ in 0..<20 where !files.isSettled {
      // With a writer at work the file is read under its locks.
      if (try? StoreReadingPlan(for: paths[0])) == .shared { break }
      usleep(1000)
      files = StoreReadingState.Files(paths)
    }
    return files
  }

  private func journalMode() throws(SQLiteError) -> String? {
    do { return try text("PRAGMA journal_mode") } catch let error as SQLiteError {
      throw error
    } catch {
      throw SQLiteError(resultCode: SQLITE_ERROR, message: "\(error)", path: path)
    }
  }

  /// A connection that has nothing to read, in the place of one that let go of its file.
  static func closed(_ path: String) throws(SQLiteError) -> SQLiteConnection {
    try SQLiteConnection(
      location: ":memory:", flags: SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, path: path,
      isReadOnly: true)
  }

  /// Whether a request that begins now reads what the file has; false also for a connection that doesn't follow it.
  var isCurrent: Bool { seen?.isCurrent ?? false }

  /// Opens a file by ``following(_:waits:timeout:isTolerant:)`` and reads it, from the beginning again if it was written
  /// meanwhile.
  static func following<Result>(
    _ url: URL, waits: Bool, timeout: TimeInterval = 240,
    _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    try readingAgain(
      opening: { try following(url, waits: waits, timeout: timeout) }, body)
  }

  /// Reads through a connection that follows its file, and through a new one if it was written meanwhile.
  static func readingAgain<Result>(
    opening open: () throws -> SQLiteConnection, _ body: (SQLiteConnection) throws -> Result
  ) throws -> Result {
    for _ in 1..<followingAttempts {
      let connection = try open()
      do { return try body(connection) } catch {
        guard connection.seen?.hasSamePages == false else { throw error }
      }
    }
    return try body(open())
  }

  /// Checks, after a step of a connection that reads without locks, that the pages it has read belong together.
  ///
  /// - Throws: ``SQLiteError`` with `.busy` if the file was written meanwhile.
  @inline(never)
  func checkPages() throws(SQLiteError) {
    var (misses, highest): (Int32, Int32) = (0, 0)
    sqlite3_db_status(handle, SQLITE_DBSTATUS_CACHE_MISS, &misses, &highest, 0)
    // Nothing was read from the file since the last time.
    guard misses != checkedMisses else { return }
    try requireSamePages()
    checkedMisses = misses
  }

  /// Whether somebody has written to a file that is read without locks: pages read from now on may be of another state.
  var isOverwritten: Bool { readsUnlocked && seen?.hasSamePages == false }

  /// Checks that nobody has written to a file that is read without locks.
  ///
  /// - Throws: ``SQLiteError`` with `.busy` if the file was written meanwhile.
  func requireSamePages() throws(SQLiteError) {
    guard isOverwritten else { return }
    throw SQLiteError(
      resultCode: SQLITE_BUSY | (2 << 8),  // SQLITE_BUSY_SNAPSHOT
      message: "another program has written to the file while it was read; try again", path: path)
  }
}
