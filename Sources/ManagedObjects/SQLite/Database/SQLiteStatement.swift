import CSQLite
import Foundation

/// A prepared statement: bind parameters by number from 1, step, read columns by number from 0.
///
/// Values are read by type directly from SQLite; no row dictionary is created.
final class SQLiteStatement {
  /// A value's storage class, which in SQLite belongs to the value, not to its column.
  enum ValueType: Sendable { case integer, real, text, blob, null }

  /// The statement's text.
  let sql: String

  /// Whether the statement is borrowed from the cache.
  var isInUse = false

  private let connection: Unmanaged<SQLiteConnection>
  private var handle: OpaquePointer?

  /// Tells SQLite to copy the value before the call returns.
  private static var transient: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }

  init(
    connection: SQLiteConnection, sql: String, isPersistent: Bool
  ) throws(SQLiteError) {
    // Unowned: a connection outlives its statements (see SQLiteConnection's deinit).
    self.connection = Unmanaged.passUnretained(connection)
    self.sql = sql
    var handle: OpaquePointer?
    let flags = isPersistent ? UInt32(SQLITE_PREPARE_PERSISTENT) : 0
    let result = sqlite3_prepare_v3(connection.handle, sql, -1, flags, &handle, nil)
    guard result == SQLITE_OK else { throw connection.error(result, sql: sql) }
    guard handle != nil else {
      throw SQLiteError(
        resultCode: SQLITE_MISUSE, message: "the text contains no statement", sql: sql,
        path: connection.path)
    }
    self.handle = handle
  }

  /// A buffer for short strings of one execution, which SQLite then needn't copy.
  private var shortTexts: UnsafeMutablePointer<UInt8>?
  private var shortTextCount = 0
  private static let shortTextCapacity = 4096

  deinit {
    finalize()
    shortTexts?.deallocate()
  }

  func finalize() {
    sqlite3_finalize(handle)
    handle = nil
  }

  // MARK: Running

  /// Advances to the next row; returns false if there is none.
  @inline(__always)
  func step() throws(SQLiteError) -> Bool {
    let result = sqlite3_step(handle)
    if result == SQLITE_ROW || result == SQLITE_DONE {
      if connection._withUnsafeGuaranteedRef({ $0.readsUnlocked }) { try checkPages() }
      return result == SQLITE_ROW
    }
    throw failure(result)
  }

  @inline(never)
  private func checkPages() throws(SQLiteError) {
    try connection.takeUnretainedValue().checkPages()
  }

  /// The error of a step. Pages of two states look like those of a damaged file, and the writer is to blame.
  @inline(never)
  private func failure(_ result: Int32) -> SQLiteError {
    let connection = connection.takeUnretainedValue()
    let reported = connection.error(result, sql: sql)
    do { try connection.requireSamePages() } catch { return error }
    return reported
  }

  /// Executes a statement without result rows, and resets it for the next values.
  @inline(__always)
  func run() throws(SQLiteError) {
    let result = sqlite3_step(handle)
    guard result == SQLITE_DONE || result == SQLITE_ROW else {
      let error = connection._withUnsafeGuaranteedRef { $0.error(result, sql: sql) }
      sqlite3_reset(handle)
      throw error
    }
    sqlite3_reset(handle)
  }

  /// Resets the statement so that it can run again with the same values.
  @inline(__always)
  func reset() { sqlite3_reset(handle) }

  /// Sets every parameter to NULL.
  func clearBindings() { sqlite3_clear_bindings(handle) }

  // MARK: Parameters

  @inline(__always)
  func bind(_ value: Int64, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_int64(handle, index, value))
  }

  @inline(__always)
  func bind(_ value: Double, at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_double(handle, index, value))
  }

  @inline(__always)
  func bindNull(at index: Int32) throws(SQLiteError) {
    try check(sqlite3_bind_null(handle, index))
  }

  @inline(__always)
  func bind(_ value: String, at index: Int32) throws(SQLiteError) {
    var value = value
    let result = value.withUTF8 { bytes in
      bytes.withMemoryRebound(to: CChar.self) { characters in
        // An empty string has no address, and a null pointer would bind NULL.
        characters.isEmpty
          ? sqlite3_bind_text(handle, index, "", 0, nil)
          : sqlite3_bind_text64(
            handle, index, characters.baseAddress, UInt64(characters.count), Self.transient,
            UInt8(SQLITE_UTF8))
      }
    }
    try check(result)
  }

  /// Binds a string for one execution: before the next, every parameter must be bound again.
  @inline(__always)
  func bindOnce(_ value: String, at index: Int32) throws(SQLiteError) {
    var value = value
    let isBound = value.withUTF8 { bytes -> Bool in
      guard bytes.count <= Self.shortTextCapacity - shortTextCount, let start = bytes.baseAddress
      else { return false }
      let texts = shortTexts ?? makeShortTexts()
      let place = texts + shortTextCount
      place.update(from: start, count: bytes.count)
      shortTextCount += bytes.count
      return place.withMemoryRebound(to: CChar.self, capacity: bytes.count) {
        sqlite3_bind_text(handle, index, $0, Int32(bytes.count), nil) == SQLITE_OK
      }
    }
    if !isBound { try bind(value, at: index) }
  }

  private func makeShortTexts() -> UnsafeMutablePointer<UInt8> {
    let texts = UnsafeMutablePointer<UInt8>.allocate(capacity: Self.shortTextCapacity)
    shortTexts = texts
    return texts
  }

  /// Executes a statement whose strings were bound with ``bindOnce(_:at:)``.
  @inline(__always)
  func runOnce() throws(SQLiteError) {
    shortTextCount = 0
    try run()
  }

  /// Gives up strings that were bound with ``bindOnce(_:at:)``: the statement isn't executed with them.
  func discardOnce() { shortTextCount = 0 }

  @inline(__always)
  func bind(_ value: Data, at index: Int32) throws(SQLiteError) {
    let result = value.withUnsafeBytes { bytes in
      bytes.isEmpty
        ? sqlite3_bind_zeroblob(handle, index, 0)
        : sqlite3_bind_blob64(
          handle, index, bytes.baseAddress, UInt64(bytes.count), Self.transient)
    }
    try check(result)
  }

  @inline(__always)
  private func check(_ result: Int32) throws(SQLiteError) {
    guard result == SQLITE_OK else {
      throw connection._withUnsafeGuaranteedRef { $0.error(result, sql: sql) }
    }
  }

  // MARK: Columns

  /// The number of columns of a row.
  var columnCount: Int { Int(sqlite3_column_count(handle)) }

  /// The name of a column.
  func name(at index: Int32) -> String {
    sqlite3_column_name(handle, index).map { String(cString: $0) } ?? ""
  }

  @inline(__always)
  func type(at index: Int32) -> ValueType {
    switch sqlite3_column_type(handle, index) {
    case SQLITE_INTEGER: .integer
    case SQLITE_FLOAT: .real
    case SQLITE_TEXT: .text
    case SQLITE_BLOB: .blob
    default: .null
    }
  }

  @inline(__always)
  func isNull(at index: Int32) -> Bool {
    sqlite3_column_type(handle, index) == SQLITE_NULL
  }

  /// The value as an integer, converted by SQLite's rules; 0 for NULL.
  @inline(__always)
  func integer(at index: Int32) -> Int64 { sqlite3_column_int64(handle, index) }

  /// The value as a double, converted by SQLite's rules; 0 for NULL.
  @inline(__always)
  func double(at index: Int32) -> Double { sqlite3_column_double(handle, index) }

  /// The value as text; nil for NULL. Invalid UTF-8 is repaired.
  @inline(__always)
  func text(at index: Int32) -> String? {
    guard let bytes = sqlite3_column_text(handle, index) else { return nil }
    let count = Int(sqlite3_column_bytes(handle, index))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  /// Calls `body` with the bytes of a text value, which are valid until the next step and may be invalid UTF-8.
  @inline(__always)
  func withText<Result>(
    at index: Int32, _ body: (UnsafeBufferPointer<UInt8>) throws -> Result
  ) rethrows -> Result {
    let bytes = sqlite3_column_text(handle, index)
    let count = bytes == nil ? 0 : Int(sqlite3_column_bytes(handle, index))
    return try body(UnsafeBufferPointer(start: bytes, count: count))
  }

  /// The value of a column, valid until the next step.
  ///
  /// Reading all properties from the value is faster than column by column: each `sqlite3_column_…` function looks up
  /// the column and checks the connection.
  @inline(__always)
  func columnValue(at index: Int32) -> ColumnValue {
    ColumnValue(value: sqlite3_column_value(handle, index))
  }

  /// The value's bytes; nil for NULL, empty for an empty blob.
  func blob(at index: Int32) -> Data? {
    withBlob(at: index) { $0.map { Data($0) } }
  }

  /// Calls `body` with the value's bytes, valid until the next step; nil for NULL.
  func withBlob<Result>(
    at index: Int32, _ body: (UnsafeRawBufferPointer?) throws -> Result
  ) rethrows -> Result {
    guard !isNull(at: index) else { return try body(nil) }
    let bytes = sqlite3_column_blob(handle, index)
    let count = Int(sqlite3_column_bytes(handle, index))
    return try body(UnsafeRawBufferPointer(start: bytes, count: bytes == nil ? 0 : count))
  }
}
