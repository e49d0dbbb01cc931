import CSQLite
import Foundation

/// A value of a statement's current row, valid until the next step, or an argument of an SQL function.
struct ColumnValue {
  let value: OpaquePointer?

  /// The value's storage class, as a SQLite constant.
  @inline(__always)
  var type: Int32 { sqlite3_value_type(value) }

  @inline(__always)
  var isNull: Bool { type == SQLITE_NULL }

  /// The value as an integer, converted by SQLite's rules; 0 for NULL.
  @inline(__always)
  var integer: Int64 { sqlite3_value_int64(value) }

  /// The value as a double, converted by SQLite's rules; 0 for NULL.
  @inline(__always)
  var double: Double { sqlite3_value_double(value) }

  /// The value's bytes; nil for NULL.
  var data: Data? {
    guard let bytes = sqlite3_value_blob(value) else { return isNull ? nil : Data() }
    return Data(bytes: bytes, count: Int(sqlite3_value_bytes(value)))
  }

  /// Hands the bytes of a text to `body`; nil for any other value.
  @inline(__always)
  func withText<Result>(
    _ body: (UnsafeBufferPointer<UInt8>) throws -> Result?
  ) rethrows -> Result? {
    guard type == SQLITE_TEXT, let bytes = sqlite3_value_text(value) else { return nil }
    return try body(UnsafeBufferPointer(start: bytes, count: Int(sqlite3_value_bytes(value))))
  }

  /// The value as text; nil for NULL. Bytes that are not UTF-8 are repaired.
  @inline(__always)
  var text: String? {
    guard let bytes = sqlite3_value_text(value) else { return nil }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
