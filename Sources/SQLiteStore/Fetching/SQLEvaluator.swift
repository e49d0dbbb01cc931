import CSQLite
import Foundation
import PredicateFormat
import Synchronization

/// Comparisons that only PredicateFormat can do (`LIKE`, `MATCHES`, options, mixed types), as a
/// function of SQL: SQLite walks the rows and calls back with one value.
final class SQLEvaluator: @unchecked Sendable {
  /// The function's name: value and number of the comparison in, 1 or 0 out.
  static let functionName = "MomKitComparison"
  /// How many comparisons are kept; a store asks the same ones again and again, or ever new ones.
  private static let limit = 256

  private var programs: [Int64: (program: PredicateProgram, type: PredicateSQL.OperandType)] = [:]
  private var numbers: [PredicateTree: Int64] = [:]
  private var lastNumber: Int64 = 0

  /// Registers the function on a connection, which keeps the evaluator.
  func register(on connection: SQLiteConnection) throws(SQLiteError) {
    let context = Unmanaged.passRetained(self).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.handle, Self.functionName, 2, SQLITE_UTF8 | SQLITE_DETERMINISTIC, context,
      { call, _, arguments in
        guard let call, let arguments, let context = sqlite3_user_data(call) else { return }
        let evaluator = Unmanaged<SQLEvaluator>.fromOpaque(context).takeUnretainedValue()
        let isTrue = evaluator.evaluate(arguments[0], sqlite3_value_int64(arguments[1]))
        sqlite3_result_int(call, isTrue ? 1 : 0)
      }, nil, nil,
      { context in if let context { Unmanaged<SQLEvaluator>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else { throw connection.error(result, sql: nil) }
  }

  /// Forgets old comparisons when there are many; not while a statement that uses some is made.
  func trim() {
    guard programs.count >= Self.limit else { return }
    programs.removeAll()
    numbers.removeAll()
  }

  /// The number of a comparison of one value with constants; nil when it is of another kind.
  func condition(
    _ sql: String, _ type: PredicateSQL.OperandType, _ comparison: PredicateTree.Comparison
  ) -> Int64? {
    guard type != .object, type != .data, case .constant = comparison.right else { return nil }
    var comparison = comparison
    comparison.left = .evaluatedObject
    comparison.modifier = .direct
    let tree = PredicateTree.comparison(comparison)
    if let number = numbers[tree], programs[number]?.type == type { return number }
    lastNumber += 1
    numbers[tree] = lastNumber
    programs[lastNumber] = (PredicateProgram(tree), type)
    return lastNumber
  }

  private func evaluate(_ value: OpaquePointer?, _ number: Int64) -> Bool {
    guard let (program, type) = programs[number] else { return false }
    return (try? program.evaluate(with: Self.object(value, type))) ?? false
  }

  private static func object(
    _ value: OpaquePointer?, _ type: PredicateSQL.OperandType
  ) -> Any? {
    guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    switch type {
    case .number:
      return sqlite3_value_type(value) == SQLITE_INTEGER
        ? sqlite3_value_int64(value) : sqlite3_value_double(value)
    case .boolean: return sqlite3_value_int64(value) != 0
    case .date: return Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value))
    case .text: return text(value)
    case .url: return URL(string: text(value))
    case .uuid:
      guard let bytes = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else {
        return nil
      }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    case .data, .object: return nil
    }
  }

  private static func text(_ value: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_text(value) else { return "" }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }
}
