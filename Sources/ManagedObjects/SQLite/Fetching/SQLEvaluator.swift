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
  /// Why the statement that is running failed, if a call of a function did.
  private var failure: PredicateFormatError?

  // MARK: Programs

  /// The number of a predicate over so many arguments, the variables of ``SQLLift``.
  func number(of tree: PredicateTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .predicate(tree), types: types)) {
      .predicate(PredicateProgram(tree, .sqliteStore))
    }
  }

  /// The number of an expression over so many arguments.
  func number(of tree: ExpressionTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .expression(tree), types: types)) {
      .expression(ExpressionProgram(tree, .sqliteStore))
    }
  }

  private func number(_ key: Key, _ make: () -> Program) -> Int64 {
    if let known = numbers[key] { return known }
    lastNumber += 1
    numbers[key] = lastNumber
    programs[lastNumber] = (make(), key.types)
    return lastNumber
  }

  /// Called before a statement is made: forgets the older half when there are many: a statement that is running has young ones.
  func trim() {
    failure = nil
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
      evaluator.answer(call) { () throws(PredicateFormatError) in
        guard let isTrue = try evaluator.truth(values) else { return .null }
        return .bool(isTrue)
      }
    }
    try register(Self.expressionName, on: connection) { call, count, arguments in
      guard let (evaluator, values) = SQLEvaluator.arguments(call, count, arguments) else { return }
      evaluator.answer(call) { () throws(PredicateFormatError) in try evaluator.compute(values) }
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

  /// Gives a call its value. What can't be evaluated ends the statement: a row must not be found, changed
  /// or deleted because nobody could tell whether it is meant.
  private func answer(
    _ call: OpaquePointer?, _ value: () throws(PredicateFormatError) -> PredicateValue
  ) {
    do {
      Self.pass(try value(), to: call)
    } catch {
      failure = error
      sqlite3_result_error(call, error.message, -1)
    }
  }

  /// Why a statement just failed, if it was a call's failure; told once.
  func takeFailure() -> PredicateFormatError? {
    defer { failure = nil }
    return failure
  }

  /// Whether a predicate is true; nil when SQL would say NULL.
  private func truth(
    _ values: UnsafeBufferPointer<OpaquePointer?>
  ) throws(PredicateFormatError) -> Bool? {
    guard let (program, types) = programs[sqlite3_value_int64(values[0])],
      case .predicate(let predicate) = program
    else { throw Self.lost }
    return try predicate.truth(of: Self.bindings(values, types))
  }

  private func compute(
    _ values: UnsafeBufferPointer<OpaquePointer?>
  ) throws(PredicateFormatError) -> PredicateValue {
    guard let (program, types) = programs[sqlite3_value_int64(values[0])],
      case .expression(let expression) = program
    else { throw Self.lost }
    return try expression.value(of: Self.bindings(values, types))
  }

  private static let lost = PredicateFormatError(
    .unsupported, "it was asked of too late: the store has forgotten it")

  private static func bindings(
    _ values: UnsafeBufferPointer<OpaquePointer?>, _ types: [SQLOperand.ValueType]
  ) -> [String: PredicateValue] {
    var bindings: [String: PredicateValue] = [:]
    for (index, type) in types.enumerated() where index + 1 < values.count {
      bindings[SQLLift.variable(index)] = constant(values[index + 1], type)
    }
    return bindings
  }

  // MARK: Values

  private static func constant(
    _ value: OpaquePointer?, _ type: SQLOperand.ValueType
  ) -> PredicateValue {
    guard sqlite3_value_type(value) != SQLITE_NULL else { return .null }
    switch type {
    case .integer, .real:
      return sqlite3_value_type(value) == SQLITE_INTEGER && type == .integer
        ? .integer(sqlite3_value_int64(value)) : .double(sqlite3_value_double(value))
    case .decimal:
      return sqlite3_value_type(value) == SQLITE_INTEGER
        ? .decimal(Decimal(sqlite3_value_int64(value)))
        : Decimal(string: "\(sqlite3_value_double(value))").map { .decimal($0) } ?? .null
    case .boolean: return .bool(sqlite3_value_int64(value) != 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: sqlite3_value_double(value)))
    case .text: return .string(text(value))
    case .url: return URL(string: text(value)).map { .url($0) } ?? .null
    case .uuid:
      guard let bytes = sqlite3_value_blob(value), sqlite3_value_bytes(value) == 16 else {
        return .null
      }
      return .uuid(UUID(uuid: bytes.loadUnaligned(as: uuid_t.self)))
    case .object, .entity: return .null
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
