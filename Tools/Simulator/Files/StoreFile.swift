import Foundation
import SystemSQLite

/// A store's file as read with SQLite only: all rows of all tables.
struct StoreFile {
  typealias Row = [String: FileValue]

  private(set) var tables: [String: [Row]] = [:]
  private(set) var columns: [String: Set<String>] = [:]

  /// Reads the whole file, including the write-ahead log.
  init(at url: URL) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    guard sqlite3_open_v2(url.path, &handle, SQLITE_OPEN_READONLY, nil) == SQLITE_OK else {
      throw Impossible("\(url.lastPathComponent) can't be opened")
    }
    sqlite3_busy_timeout(handle, 1000)
    // A transaction, so that everything is read from one state.
    try Self.rows("BEGIN", handle) { _ in }
    var names: [String] = []
    try Self.rows("SELECT name FROM sqlite_master WHERE type = 'table'", handle) { statement in
      if case .text(let name) = Self.value(statement, 0) { names.append(name) }
    }
    for name in names where name != "Z_METADATA" && name != "Z_MODELCACHE" {
      columns[name] = try Self.columns(of: name, handle)
      var rows: [Row] = []
      try Self.rows("SELECT * FROM \(name)", handle) { rows.append(Self.row($0)) }
      tables[name] = rows
    }
  }

  private static func columns(of table: String, _ handle: OpaquePointer?) throws -> Set<String> {
    var columns: Set<String> = []
    try rows("SELECT name FROM pragma_table_info('\(table)')", handle) { statement in
      if case .text(let column) = value(statement, 0) { columns.insert(column) }
    }
    return columns
  }

  private static func rows(
    _ sql: String, _ handle: OpaquePointer?, _ body: (OpaquePointer?) -> Void
  ) throws {
    var statement: OpaquePointer?
    defer { sqlite3_finalize(statement) }
    var result = sqlite3_prepare_v2(handle, sql, -1, &statement, nil)
    if result == SQLITE_OK {
      while true {
        result = sqlite3_step(statement)
        guard result == SQLITE_ROW else { break }
        body(statement)
      }
    }
    guard result == SQLITE_DONE else { throw Impossible("\(sql): SQLite's error \(result)") }
  }

  private static func row(_ statement: OpaquePointer?) -> Row {
    var row: Row = [:]
    for column in 0..<sqlite3_column_count(statement) {
      guard let name = sqlite3_column_name(statement, column) else { continue }
      row[String(cString: name)] = value(statement, column)
    }
    return row
  }

  private static func value(_ statement: OpaquePointer?, _ column: Int32) -> FileValue {
    switch sqlite3_column_type(statement, column) {
    case SQLITE_INTEGER: .integer(Int(sqlite3_column_int64(statement, column)))
    case SQLITE_FLOAT: .real(sqlite3_column_double(statement, column))
    case SQLITE_TEXT:
      .text(sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "")
    case SQLITE_BLOB:
      .blob(
        sqlite3_column_blob(statement, column).map {
          Data(bytes: $0, count: Int(sqlite3_column_bytes(statement, column)))
        } ?? Data())
    default: .null
    }
  }
}

/// A value of a column with its storage class.
enum FileValue: Hashable {
  case null
  case integer(Int)
  case real(Double)
  case text(String)
  case blob(Data)

  /// The value with a text converted to bytes, so that texts are compared exactly, not by Swift's canonical
  /// equivalence.
  var literal: FileValue {
    if case .text(let text) = self { .blob(Data(text.utf8)) } else { self }
  }

  var integer: Int? {
    if case .integer(let value) = self { value } else { nil }
  }

  /// The number, including columns where SQLite stores whole numbers as integers.
  var double: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .real(let value): value
    default: nil
    }
  }
}
