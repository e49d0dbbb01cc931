import Foundation

#if canImport(GRDBSQLite)
  import GRDBSQLite
#else
  import SystemSQLite
#endif

/// The same work done with SQLite's C API: prepared statements, producing Swift strings.
final class RawRun {
  private var database: OpaquePointer?
  private let rows: Int

  init(file: URL, rows: Int) throws {
    self.rows = rows
    // The store's own connection doesn't use a mutex either: its users hold a lock.
    sqlite3_open_v2(
      file.path, &database,
      SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE | SQLITE_OPEN_NOMUTEX, nil)
    execute(
      """
      PRAGMA page_size=4096; PRAGMA auto_vacuum=2; PRAGMA journal_mode=wal;
      PRAGMA synchronous=NORMAL;
      CREATE TABLE ZPERSON (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER,
        ZBORN TIMESTAMP, ZHEIGHT FLOAT, ZCITY VARCHAR, ZNAME VARCHAR);
      CREATE INDEX Z_Person_byCity ON ZPERSON (ZCITY COLLATE BINARY ASC);
      CREATE TABLE ZCOMPANY (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZNAME VARCHAR);
      CREATE TABLE ZWORKER (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZAGE INTEGER,
        ZCOMPANY INTEGER, ZNAME VARCHAR);
      CREATE INDEX ZWORKER_ZCOMPANY_INDEX ON ZWORKER (ZCOMPANY);
      """)
  }

  deinit { sqlite3_close_v2(database) }

  private func execute(_ sql: String) { sqlite3_exec(database, sql, nil, nil, nil) }

  private func prepare(_ sql: String) -> OpaquePointer? {
    var statement: OpaquePointer?
    sqlite3_prepare_v2(database, sql, -1, &statement, nil)
    return statement
  }

  private func bind(_ text: String, _ index: Int32, _ statement: OpaquePointer?) {
    var text = text
    _ = text.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) {
        sqlite3_bind_text(
          statement, index, $0.baseAddress, Int32($0.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    }
  }

  private func text(_ statement: OpaquePointer?, _ index: Int32) -> String {
    guard let bytes = sqlite3_column_text(statement, index) else { return "" }
    let count = Int(sqlite3_column_bytes(statement, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  func insert() -> Int {
    execute("BEGIN IMMEDIATE")
    let statement = prepare("INSERT INTO ZPERSON VALUES (?, 1, 1, ?, ?, ?, ?, ?)")
    for row in 0..<rows {
      sqlite3_bind_int64(statement, 1, Int64(row + 1))
      sqlite3_bind_int64(statement, 2, Int64(row % 90))
      sqlite3_bind_double(statement, 3, Double(row))
      sqlite3_bind_double(statement, 4, Double(row) * 0.5)
      bind("City \(row % (rows / 100))", 5, statement)
      bind("Name \(row)", 6, statement)
      sqlite3_step(statement)
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    execute("COMMIT")
    return rows
  }

  struct Row {
    let key, version, age: Int64
    let born, height: Double
    let city, name: String
  }

  private func row(_ statement: OpaquePointer?) -> Row {
    Row(
      key: sqlite3_column_int64(statement, 0), version: sqlite3_column_int64(statement, 2),
      age: sqlite3_column_int64(statement, 3), born: sqlite3_column_double(statement, 4),
      height: sqlite3_column_double(statement, 5),
      city: text(statement, 6), name: text(statement, 7))
  }

  func everybody() -> [Row] {
    let statement = prepare("SELECT * FROM ZPERSON")
    var all: [Row] = []
    while sqlite3_step(statement) == SQLITE_ROW { all.append(row(statement)) }
    sqlite3_finalize(statement)
    return all
  }

  func fetchAll() -> Int {
    let all = everybody()
    var length = 0
    for row in all { length += row.name.utf8.count }
    return all.count + (length == 0 ? 1 : 0)
  }

  func byKey() -> Int {
    let statement = prepare("SELECT * FROM ZPERSON WHERE Z_PK = ?")
    var count = 0
    for step in 0..<10_000 {
      sqlite3_bind_int64(statement, 1, Int64((step * 7919) % rows + 1))
      if sqlite3_step(statement) == SQLITE_ROW, !row(statement).name.isEmpty { count += 1 }
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    return count
  }

  func byIndex() -> Int {
    let statement = prepare("SELECT * FROM ZPERSON WHERE ZCITY = ?")
    var count = 0
    for step in 0..<1000 {
      bind("City \(step % (rows / 100))", 1, statement)
      while sqlite3_step(statement) == SQLITE_ROW { count += row(statement).name.isEmpty ? 0 : 1 }
      sqlite3_reset(statement)
    }
    sqlite3_finalize(statement)
    return count
  }

  /// Adds a year to each of the given rows, provided that nobody else has changed it.
  func update(_ all: [Row]) -> Int {
    execute("BEGIN IMMEDIATE")
    let statement = prepare(
      "UPDATE ZPERSON SET ZAGE = ?, Z_OPT = ? WHERE Z_PK = ? AND Z_OPT = ?")
    var count = 0
    for row in all {
      sqlite3_bind_int64(statement, 1, row.age + 1)
      sqlite3_bind_int64(statement, 2, row.version + 1)
      sqlite3_bind_int64(statement, 3, row.key)
      sqlite3_bind_int64(statement, 4, row.version)
      sqlite3_step(statement)
      sqlite3_reset(statement)
      count += Int(sqlite3_changes(database))
    }
    sqlite3_finalize(statement)
    execute("COMMIT")
    return count
  }

  func fetchAndUpdate() -> Int { update(everybody()) }

  func graphInsert() -> Int {
    execute("BEGIN IMMEDIATE")
    let company = prepare("INSERT INTO ZCOMPANY VALUES (?, 2, 1, ?)")
    let worker = prepare("INSERT INTO ZWORKER VALUES (?, 3, 1, ?, ?, ?)")
    var key: Int64 = 0
    for index in 0..<1000 {
      sqlite3_bind_int64(company, 1, Int64(index + 1))
      bind("Company \(index)", 2, company)
      sqlite3_step(company)
      sqlite3_reset(company)
      for number in 0..<100 {
        key += 1
        sqlite3_bind_int64(worker, 1, key)
        sqlite3_bind_int64(worker, 2, Int64(number))
        sqlite3_bind_int64(worker, 3, Int64(index + 1))
        bind("Worker \(number)", 4, worker)
        sqlite3_step(worker)
        sqlite3_reset(worker)
      }
    }
    sqlite3_finalize(company)
    sqlite3_finalize(worker)
    execute("COMMIT")
    return 100_000
  }

  private struct Worker {
    let key, age, company: Int64
    let name: String
  }

  private func worker(_ statement: OpaquePointer?) -> Worker {
    Worker(
      key: sqlite3_column_int64(statement, 0), age: sqlite3_column_int64(statement, 3),
      company: sqlite3_column_int64(statement, 4), name: text(statement, 5))
  }

  private func companies() -> [Int64] {
    let statement = prepare("SELECT * FROM ZCOMPANY")
    defer { sqlite3_finalize(statement) }
    var keys: [Int64] = []
    while sqlite3_step(statement) == SQLITE_ROW {
      _ = text(statement, 3)
      keys.append(sqlite3_column_int64(statement, 0))
    }
    return keys
  }

  func graphLoad() -> Int {
    let keys = companies()
    let statement = prepare("SELECT * FROM ZWORKER")
    var workers: [Int64: [Worker]] = [:]
    while sqlite3_step(statement) == SQLITE_ROW {
      let worker = worker(statement)
      workers[worker.company, default: []].append(worker)
    }
    sqlite3_finalize(statement)
    return keys.reduce(0) { $0 + (workers[$1]?.count ?? 0) }
  }

  func graphFault() -> Int {
    let statement = prepare("SELECT * FROM ZWORKER WHERE ZCOMPANY = ?")
    defer { sqlite3_finalize(statement) }
    return companies().reduce(0) { sum, key in
      var workers: [Worker] = []
      sqlite3_bind_int64(statement, 1, key)
      while sqlite3_step(statement) == SQLITE_ROW { workers.append(worker(statement)) }
      sqlite3_reset(statement)
      return sum + workers.count
    }
  }
}
