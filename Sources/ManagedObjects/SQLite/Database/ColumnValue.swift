import CSQLite
import Foundation

/// A value of the row a statement stands on, valid until its next step, or one that a function is called with.
struct ColumnValue {
  let value: OpaquePointer?

  /// The value's storage class, as SQLite numbers them.
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

  /// The value as text; nil for NULL. Bytes that are not UTF-8 are repaired.
  @inline(__always)
  var text: String? {
    guard let bytes = sqlite3_value_text(value) else { return nil }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
