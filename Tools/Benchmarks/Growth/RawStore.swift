import Foundation
import SystemSQLite

/// Access to the same file through SQLite's C API, with the store's journal mode and settings.
final class RawStore {
  private var database: OpaquePointer?

  init(_ file: URL) {
    sqlite3_open_v2(
      file.path, &database,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    sqlite3_busy_timeout(database, 10_000)
    execute("PRAGMA journal_mode=wal; PRAGMA synchronous=NORMAL")
  }

  deinit { sqlite3_close_v2(database) }

  func execute(_ sql: String) {
    var message: UnsafeMutablePointer<CChar>?
    guard sqlite3_exec(database, sql, nil, nil, &message) != SQLITE_OK else { return }
    fatalError("\(message.map { String(cString: $0) } ?? "") in \(sql)")
  }

  /// Runs a statement for each of `count` rows, optionally in one transaction.
  func forEach(
    _ count: Int, _ sql: String, inTransaction: Bool = true,
    _ bind: (RawStatement, Int) -> Void
  ) {
    if inTransaction { execute("BEGIN IMMEDIATE") }
    let statement = RawStatement(database, sql)
    for row in 0..<count {
      bind(statement, row)
      while statement.step() {}
      statement.reset()
    }
    if inTransaction { execute("COMMIT") }
  }

  /// Returns a statement's rows.
  func rows(
    _ sql: String, _ bind: (RawStatement) -> Void = { _ in }, _ body: (RawStatement) -> Void
  ) {
    let statement = RawStatement(database, sql)
    bind(statement)
    while statement.step() { body(statement) }
  }

  func statement(_ sql: String) -> RawStatement { RawStatement(database, sql) }

  /// Returns the entity's number in the store.
  func number(of entity: String) -> Int {
    var number = 0
    rows("SELECT Z_ENT FROM Z_PRIMARYKEY WHERE Z_NAME = '\(entity)'") {
      number = Int($0.integer(0))
    }
    return number
  }

  func setLastKey(_ key: Int, of entity: String) {
    execute("UPDATE Z_PRIMARYKEY SET Z_MAX = \(key) WHERE Z_NAME = '\(entity)'")
  }
}

final class RawStatement {
  private var statement: OpaquePointer?

  init(_ database: OpaquePointer?, _ sql: String) {
    guard sqlite3_prepare_v2(database, sql, -1, &statement, nil) == SQLITE_OK else {
      fatalError("\(String(cString: sqlite3_errmsg(database))) in \(sql)")
    }
  }

  deinit { sqlite3_finalize(statement) }

  func step() -> Bool {
    let result = sqlite3_step(statement)
    precondition(result == SQLITE_ROW || result == SQLITE_DONE, "step: \(result)")
    return result == SQLITE_ROW
  }
  func reset() { sqlite3_reset(statement) }
  func bind(_ value: Int, _ index: Int32) { sqlite3_bind_int64(statement, index, Int64(value)) }
  func bind(_ value: Double, _ index: Int32) { sqlite3_bind_double(statement, index, value) }
  func bind(_ value: String, _ index: Int32) {
    sqlite3_bind_text(
      statement, index, value, -1, unsafeBitCast(-1, to: sqlite3_destructor_type.self))
  }
  func integer(_ column: Int32) -> Int64 { sqlite3_column_int64(statement, column) }
  func double(_ column: Int32) -> Double { sqlite3_column_double(statement, column) }
  func text(_ column: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, column) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, column))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
