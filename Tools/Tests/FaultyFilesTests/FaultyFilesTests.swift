import FaultyFiles
import Foundation
import SystemSQLite
import Testing

/// The file system layer below SQLite that causes faults for Tools/Simulator. At most one fault is armed at a time.
@Suite(.serialized) struct FaultyFilesTests {
  /// A database through the layer, with a table of one column.
  private final class Database {
    let folder: TemporaryFolder
    private var handle: OpaquePointer?

    init() throws {
      folder = try TemporaryFolder()
      try #require(faulty_files_register(false) == SQLITE_OK)
      let path = folder.url.appendingPathComponent("a.sqlite").path
      let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE
      try #require(sqlite3_open_v2(path, &handle, flags, "faulty") == SQLITE_OK)
      sqlite3_extended_result_codes(handle, 1)
      try #require(run("PRAGMA journal_mode=wal; CREATE TABLE t (x)") == SQLITE_OK)
    }

    deinit { sqlite3_close_v2(handle) }

    @discardableResult
    func run(_ sql: String) -> Int32 { sqlite3_exec(handle, sql, nil, nil, nil) }

    var count: Int32? {
      var statement: OpaquePointer?
      defer { sqlite3_finalize(statement) }
      guard sqlite3_prepare_v2(handle, "SELECT count(*) FROM t", -1, &statement, nil) == SQLITE_OK,
        sqlite3_step(statement) == SQLITE_ROW
      else { return nil }
      return sqlite3_column_int(statement, 0)
    }

    func arm(_ calls: Int, _ outcome: Int32, first: Int64 = 1, count: Int64 = .max) {
      faulty_files_arm(folder.url.path, UInt32(calls), outcome, first, count)
    }

    func setTimeout(_ milliseconds: Int32) { sqlite3_busy_timeout(handle, milliseconds) }
  }

  @Test func aFullDiskTakesTheTransactionBack() throws {
    let database = try Database()
    database.arm(FaultyCallWrite, SQLITE_FULL, first: 2)
    #expect(database.run("INSERT INTO t VALUES (randomblob(20000))") == SQLITE_FULL)
    let tally = faulty_files_disarm()
    #expect(tally.calls >= 2)
    #expect(tally.faults >= 1)
    #expect(database.count == 0)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    #expect(database.count == 1)
  }

  @Test func onlyTheCallsThatWereNamedFail() throws {
    let database = try Database()
    database.arm(FaultyCallWrite, SQLITE_IOERR | 3 << 8, first: 1, count: 1)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_IOERR | 3 << 8)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    #expect(faulty_files_disarm().faults == 1)
    database.arm(FaultyCallWrite, SQLITE_FULL, first: 1000)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    #expect(faulty_files_disarm().faults == 0)
    #expect(database.count == 2)
  }

  @Test func waitingForALockTakesNoTime() throws {
    let database = try Database()
    database.setTimeout(240_000)
    database.arm(FaultyCallWriteLock, SQLITE_BUSY)
    let begin = Date()
    #expect(database.run("BEGIN IMMEDIATE") & 0xFF == SQLITE_BUSY)
    #expect(Date().timeIntervalSince(begin) < 20)
    #expect(faulty_files_disarm().faults > 100)
    // A lock that is released in time is waited for.
    database.arm(FaultyCallWriteLock, SQLITE_BUSY, count: 20)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    #expect(faulty_files_disarm().faults == 20)
  }

  @Test func otherFilesHaveNoFaults() throws {
    let (database, other) = (try Database(), try Database())
    database.arm(FaultyCallAll, SQLITE_FULL)
    #expect(other.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    #expect(database.run("INSERT INTO t VALUES (1)") != SQLITE_OK)
    #expect(faulty_files_disarm().faults > 0)
    #expect(other.count == 1)
    #expect(database.count == 0)
  }

  @Test func callsAreOnlyCounted() throws {
    let database = try Database()
    database.arm(FaultyCallAll, SQLITE_FULL, first: 0)
    #expect(database.run("INSERT INTO t VALUES (1)") == SQLITE_OK)
    let tally = faulty_files_disarm()
    #expect(tally.calls > 5)
    #expect(tally.faults == 0)
  }
}
