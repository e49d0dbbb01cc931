import CSQLite
import Foundation

/// The arguments of an SQL function, valid during the call.
struct SQLArguments {
  fileprivate let values: UnsafeBufferPointer<OpaquePointer?>

  /// The number of arguments.
  var count: Int { values.count }

  /// The argument at an index less than ``count``.
  subscript(index: Int) -> ColumnValue { ColumnValue(value: values[index]) }
}

/// An SQL function implemented in Swift, as retained by SQLite.
private final class SQLFunction {
  let body: (SQLArguments) throws -> SQLValue

  init(_ body: @escaping (SQLArguments) throws -> SQLValue) { self.body = body }

  func answer(_ call: OpaquePointer?, _ arguments: SQLArguments) {
    do {
      switch try body(arguments) {
      case .null: sqlite3_result_null(call)
      case .integer(let number): sqlite3_result_int64(call, number)
      case .real(let number): sqlite3_result_double(call, number)
      case .text(var text):
        text.withUTF8 { bytes in
          bytes.withMemoryRebound(to: CChar.self) {
            sqlite3_result_text64(
              call, $0.baseAddress ?? UnsafePointer(bitPattern: 1), UInt64($0.count),
              Self.copied, UInt8(SQLITE_UTF8))
          }
        }
      case .data(let data):
        data.withUnsafeBytes {
          sqlite3_result_blob64(
            call, $0.baseAddress ?? UnsafeRawPointer(bitPattern: 1), UInt64($0.count), Self.copied)
        }
      }
    } catch {
      sqlite3_result_error(call, "\(error)", -1)
    }
  }

  /// Tells SQLite to copy bytes before the call returns.
  private static var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
  }
}

extension SQLiteConnection {
  /// Registers an SQL function. An error it throws ends the statement.
  ///
  /// - Parameters:
  ///   - count: the number of arguments; -1 for any number.
  ///   - isDeterministic: whether the same arguments always have the same result.
  ///   - body: the function, which the connection retains.
  func register(
    _ name: String, arguments count: Int32, isDeterministic: Bool = false,
    _ body: @escaping (SQLArguments) throws -> SQLValue
  ) throws(SQLiteError) {
    let result = sqlite3_create_function_v2(
      handle, name, count, SQLITE_UTF8 | (isDeterministic ? SQLITE_DETERMINISTIC : 0),
      Unmanaged.passRetained(SQLFunction(body)).toOpaque(),
      { call, count, values in
        guard let context = sqlite3_user_data(call) else { return sqlite3_result_null(call) }
        Unmanaged<SQLFunction>.fromOpaque(context)._withUnsafeGuaranteedRef {
          $0.answer(
            call,
            SQLArguments(values: UnsafeBufferPointer(start: values, count: Int(max(count, 0)))))
        }
      }, nil, nil,
      { context in if let context { Unmanaged<SQLFunction>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else { throw error(result, sql: nil) }
  }
}
