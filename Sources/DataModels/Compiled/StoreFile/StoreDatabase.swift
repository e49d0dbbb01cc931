import CSQLite
import Foundation
import PropertyLists

/// A read-only connection to a store that reads two tables and no more.
///
/// The store layer has a fuller one; this one serves below it.
final class StoreDatabase {
  private let handle: OpaquePointer
  private let location: StoreReadingLocation
  private let path: String

  /// The most bytes of a value that are taken from a store.
  private static let valueLimit: Int32 = 1 << 28

  /// Opens a store without changing it or its folder.
  init(_ path: String) throws(ModelFileError) {
    self.path = path
    do {
      location = try StoreReadingLocation(path)
    } catch {
      throw ModelFileError(error, path: path)
    }
    var handle: OpaquePointer?
    let status = sqlite3_open_v2(
      location.name, &handle, location.flags | SQLITE_OPEN_NOMUTEX, nil)
    guard status == SQLITE_OK, let handle else {
      let message = handle.map { String(cString: sqlite3_errmsg($0)) } ?? "out of memory"
      sqlite3_close(handle)
      location.cleanUp()
      throw ModelFileError(.unreadable, "SQLite can't open it: \(message)", path: path)
    }
    self.handle = handle
    sqlite3_busy_timeout(handle, 5000)
    // What a damaged file claims to hold isn't worth more memory than a value may take.
    sqlite3_limit(handle, SQLITE_LIMIT_LENGTH, Self.valueLimit)
    // Neither triggers nor functions of the file's own schema are to run.
    sqlite3_exec(handle, "PRAGMA query_only=1; PRAGMA trusted_schema=0", nil, nil, nil)
  }

  deinit {
    sqlite3_close(handle)
    location.cleanUp()
  }

  /// The first row of a query: each column's bytes, or `nil` for NULL. `nil` when there is no row.
  func firstRow(_ sql: String) throws(ModelFileError) -> [[UInt8]?]? {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(handle, sql, -1, &statement, nil) == SQLITE_OK else {
      throw failure()
    }
    defer { sqlite3_finalize(statement) }
    switch sqlite3_step(statement) {
    case SQLITE_DONE: return nil
    case SQLITE_ROW: break
    default: throw failure()
    }
    var row: [[UInt8]?] = []
    for column in 0..<sqlite3_column_count(statement) {
      // The type first: taking the bytes may convert the value.
      guard sqlite3_column_type(statement, column) != SQLITE_NULL else {
        row.append(nil)
        continue
      }
      let bytes = sqlite3_column_blob(statement, column)
      let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(statement, column))
      row.append(Array(UnsafeRawBufferPointer(start: bytes, count: count)))
    }
    return row
  }

  /// Whether there is a table of this name.
  func hasTable(_ name: StaticString) throws(ModelFileError) -> Bool {
    try firstRow(
      "SELECT 1 FROM sqlite_master WHERE type = 'table' AND name = '\(name)'") != nil
  }

  private func failure() -> ModelFileError {
    let code = sqlite3_errcode(handle)
    let message = String(cString: sqlite3_errmsg(handle))
    let isForeign = code == SQLITE_NOTADB || code == SQLITE_CORRUPT
    return ModelFileError(isForeign ? .malformed : .unreadable, "SQLite: \(message)", path: path)
  }
}
