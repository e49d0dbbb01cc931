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

/// A collation implemented in Swift, as retained by SQLite.
private final class CollationBox {
  typealias Bytes = UnsafeBufferPointer<UInt8>

  let quick: (Bytes, Bytes) -> ComparisonResult?
  let compare: (String, String) -> ComparisonResult

  init(
    _ quick: @escaping (Bytes, Bytes) -> ComparisonResult?,
    _ compare: @escaping (String, String) -> ComparisonResult
  ) {
    (self.quick, self.compare) = (quick, compare)
  }
}

/// A progress handler that may interrupt statements.
private final class ProgressBox {
  let isToEnd: () -> Bool

  init(_ isToEnd: @escaping () -> Bool) { self.isToEnd = isToEnd }
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

  /// Registers a collation, for use with `COLLATE`.
  ///
  /// - Parameters:
  ///   - quick: compares strings by their bytes, or returns nil if that isn't sufficient.
  ///   - compare: compares any strings.
  func registerCollation(
    _ name: String,
    quick: @escaping (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) -> ComparisonResult? =
      {
        _, _ in nil
      },
    _ compare: @escaping (String, String) -> ComparisonResult
  ) throws(SQLiteError) {
    let box = Unmanaged.passRetained(CollationBox(quick, compare))
    let result = sqlite3_create_collation_v2(
      handle, name, SQLITE_UTF8, box.toOpaque(),
      { context, leftCount, left, rightCount, right in
        guard let context else { return 0 }
        func bytes(_ bytes: UnsafeRawPointer?, _ count: Int32) -> UnsafeBufferPointer<UInt8> {
          UnsafeRawBufferPointer(start: bytes, count: Int(count)).bindMemory(to: UInt8.self)
        }
        let (one, other) = (bytes(left, leftCount), bytes(right, rightCount))
        return Unmanaged<CollationBox>.fromOpaque(context)._withUnsafeGuaranteedRef {
          let order =
            $0.quick(one, other)
            ?? $0.compare(
              String(decoding: one, as: UTF8.self), String(decoding: other, as: UTF8.self))
          return Int32(order.rawValue)
        }
      },
      { context in if let context { Unmanaged<CollationBox>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else {
      // Unlike for functions, SQLite doesn't release the context of a collation that it refuses.
      box.release()
      throw error(result, sql: nil)
    }
  }

  /// Runs `body`, whose statements end with `.interrupted` soon after `isToEnd` returns true.
  func interrupting<Result>(
    when isToEnd: () -> Bool, _ body: () throws -> Result
  ) rethrows -> Result {
    try withoutActuallyEscaping(isToEnd) { isToEnd in
      let question = ProgressBox(isToEnd)
      sqlite3_progress_handler(
        handle, 10_000,
        { context in
          guard let context else { return 0 }
          return Unmanaged<ProgressBox>.fromOpaque(context)._withUnsafeGuaranteedRef {
            $0.isToEnd() ? 1 : 0
          }
        }, Unmanaged.passUnretained(question).toOpaque())
      defer { sqlite3_progress_handler(handle, 0, nil, nil) }
      return try withExtendedLifetime(question) { try body() }
    }
  }
}
