import CSQLite
import Foundation
import PredicateFormat

/// What only PredicateFormat can compute (`LIKE`, `MATCHES`, options, functions, mixed types), as
/// functions of SQL: SQLite walks the rows and calls back with the values.
final class SQLEvaluator: @unchecked Sendable {
  /// The functions' names: a program's number and its arguments in; 1 or 0, or a value out.
  static let predicateName = "MomKitPredicate"
  static let expressionName = "MomKitExpression"
  /// How many programs are kept; a store asks the same ones again and again, or ever new ones.
  private static let limit = 512

  private struct Key: Hashable {
    enum Tree: Hashable {
      case predicate(PredicateTree)
      case expression(ExpressionTree)
    }

    let tree: Tree
    let types: [SQLOperand.ValueType]
  }

  private enum Program {
    case predicate(PredicateProgram)
    case expression(ExpressionProgram)
  }

  private var programs: [Int64: (program: Program, types: [SQLOperand.ValueType])] = [:]
  private var numbers: [Key: Int64] = [:]
  private var lastNumber: Int64 = 0

  // MARK: Programs

  /// The number of a predicate over so many arguments, the variables of ``SQLLift``.
  func number(of tree: PredicateTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .predicate(tree), types: types)) { .predicate(PredicateProgram(tree)) }
  }

  /// The number of an expression over so many arguments.
  func number(of tree: ExpressionTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .expression(tree), types: types)) { .expression(ExpressionProgram(tree)) }
  }

  private func number(_ key: Key, _ make: () -> Program) -> Int64 {
    if let known = numbers[key] { return known }
    lastNumber += 1
    numbers[key] = lastNumber
    programs[lastNumber] = (make(), key.types)
    return lastNumber
  }

  /// Forgets the older half when there are many: a statement that is running has young ones.
  func trim() {
    guard programs.count >= Self.limit else { return }
    let oldest = lastNumber - Int64(Self.limit / 2)
    programs = programs.filter { $0.key > oldest }
    numbers = numbers.filter { $0.value > oldest }
  }

  // MARK: Calls

  /// Registers the functions on a connection, which keeps the evaluator.
  func register(on connection: SQLiteConnection) throws(SQLiteError) {
    try register(Self.predicateName, on: connection) { call, count, arguments in
      guard let (evaluator, values) = SQLEvaluator.arguments(call, count, arguments) else { return }
      sqlite3_result_int(call, evaluator.test(values) ? 1 : 0)
    }
    try register(Self.expressionName, on: connection) { call, count, arguments in
      guard let (evaluator, values) = SQLEvaluator.arguments(call, count, arguments) else { return }
      SQLEvaluator.pass(evaluator.compute(values), to: call)
    }
    try SQLCollation.register(on: connection)
  }

  private typealias Function =
    @convention(c) (OpaquePointer?, Int32, UnsafeMutablePointer<OpaquePointer?>?) -> Void

  private func register(
    _ name: String, on connection: SQLiteConnection, _ function: Function
  ) throws(SQLiteError) {
    let context = Unmanaged.passRetained(self).toOpaque()
    let result = sqlite3_create_function_v2(
      connection.handle, name, -1, SQLITE_UTF8 | SQLITE_DETERMINISTIC, context, function, nil, nil,
      { context in if let context { Unmanaged<SQLEvaluator>.fromOpaque(context).release() } })
    guard result == SQLITE_OK else { throw connection.error(result, sql: nil) }
  }

  private static func arguments(
    _ call: OpaquePointer?, _ count: Int32, _ arguments: UnsafeMutablePointer<OpaquePointer?>?
  ) -> (SQLEvaluator, UnsafeBufferPointer<OpaquePointer?>)? {
    guard count > 0, let call, let arguments, let context = sqlite3_user_data(call) else {
      return nil
    }
    return (
      Unmanaged<SQLEvaluator>.fromOpaque(context).takeUnretainedValue(),
      UnsafeBufferPointer(start: arguments, count: Int(count))
    )
  }

  private func test(_ values: UnsafeBufferPointer<OpaquePointer?>) -> Bool {
    guard let (program, types) = programs[sqlite3_value_int64(values[0])],
      case .predicate(let predicate) = program
    else { return false }
    return (try? predicate.evaluate(with: nil, bindings: Self.bindings(values, types))) ?? false
  }

  private func compute(_ values: UnsafeBufferPointer<OpaquePointer?>) -> PredicateValue {
    guard let (program, types) = programs[sqlite3_value_int64(values[0])],
      case .expression(let expression) = program
    else { return .null }
    return (try? expression.value(for: nil, bindings: Self.bindings(values, types))) ?? .null
  }

  private static func bindings(
    _ values: UnsafeBufferPointer<OpaquePointer?>, _ types: [SQLOperand.ValueType]
  ) -> [String: Any] {
    var bindings: [String: Any] = [:]
    for (index, type) in types.enumerated() where index + 1 < values.count {
      bindings[SQLLift.variable(index)] = object(values[index + 1], type) ?? NSNull()
    }
    return bindings
  }

  // MARK: Values

  private static func object(_ value: OpaquePointer?, _ type: SQLOperand.ValueType) -> Any? {
    guard sqlite3_value_type(value) != SQLITE_NULL else { return nil }
    switch type {
    case .integer, .real:
      return sqlite3_value_type(value) == SQLITE_INTEGER && type == .integer
        ? sqlite3_value_int64(value) : sqlite3_value_double(value)
    case .decimal:
      return sqlite3_value_type(value) == SQLITE_INTEGER
        ? Decimal(sqlite3_value_int64(value)) : Decimal(string: "\(sqlite3_value_double(value))")
    case .boolean: return sqlite3_value_int64(value) != 0
    case .date: return Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value))
    case .text: return text(value)
    case .url: return URL(string: text(value))
    case .uuid:
      guard let bytes = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else {
        return nil
      }
      return UUID(uuid: bytes.loadUnaligned(as: uuid_t.self))
    case .object, .entity: return nil
    }
  }

  private static func text(_ value: OpaquePointer?) -> String {
    guard let bytes = sqlite3_value_text(value) else { return "" }
    let count = Int(sqlite3_value_bytes(value))
    return String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  }

  private static func pass(_ value: PredicateValue, to call: OpaquePointer?) {
    switch value {
    case .integer(let number): sqlite3_result_int64(call, number)
    case .bool(let flag): sqlite3_result_int(call, flag ? 1 : 0)
    case .double(let number): sqlite3_result_double(call, number)
    case .float(let number): sqlite3_result_double(call, Double(number))
    case .decimal(let number): sqlite3_result_double(call, Double(number.description) ?? 0)
    case .date(let date): sqlite3_result_double(call, date.timeIntervalSinceReferenceDate)
    case .string(let text): SQLText.pass(text, to: call)
    case .url(let url): SQLText.pass(url.absoluteString, to: call)
    case .uuid(let uuid):
      withUnsafeBytes(of: uuid.uuid) { bytes in
        sqlite3_result_blob(
          call, bytes.baseAddress, Int32(bytes.count),
          unsafeBitCast(-1, to: sqlite3_destructor_type.self))
      }
    default: sqlite3_result_null(call)
    }
  }
}
