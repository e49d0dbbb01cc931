import CSQLite
import Foundation
import PredicateFormat

/// Evaluates what only PredicateFormat can compute (`LIKE`, `MATCHES`, options, functions, mixed types), as SQL
/// functions: SQLite iterates over the rows and calls back with the values.
final class SQLEvaluator: @unchecked Sendable {
  // Sendable: called by whoever uses the connection, one at a time.

  /// The names of the functions. They take a program's number and its arguments, and return 1 or 0, or a value.
  static let predicateName = "MomKitPredicate"
  static let expressionName = "MomKitExpression"
  /// The maximum number of cached programs; a store evaluates either the same ones repeatedly, or always new ones.
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

  /// A program and the types of its arguments.
  private final class Entry {
    let program: Program
    let types: [SQLOperand.ValueType]
    /// Evaluates the predicate by bytes, if its only argument is a text.
    let textTest: TextTest?

    init(_ program: Program, _ types: [SQLOperand.ValueType]) {
      (self.program, self.types) = (program, types)
      if case .predicate(let predicate) = program, types == [.text] {
        textTest = TextTest(predicate.tree, of: OperandExtraction.variable(0))
      } else {
        textTest = nil
      }
    }
  }

  private var programs: [Int64: Entry] = [:]
  /// The program called last: rows mostly call the same one.
  private var recent: (number: Int64, entry: Entry)?
  private var numbers: [Key: Int64] = [:]
  private var lastNumber: Int64 = 0
  /// The error of a function call that made the running statement fail.
  private var failure: PredicateFormatError?

  // MARK: Programs

  /// The number of a predicate with arguments, which are the variables of ``OperandExtraction``.
  func number(of tree: PredicateTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .predicate(tree), types: types)) {
      .predicate(PredicateProgram(tree, .sqliteStore))
    }
  }

  /// The number of an expression with arguments.
  func number(of tree: ExpressionTree, _ types: [SQLOperand.ValueType]) -> Int64 {
    number(Key(tree: .expression(tree), types: types)) {
      .expression(ExpressionProgram(tree, .sqliteStore))
    }
  }

  private func number(_ key: Key, _ make: () -> Program) -> Int64 {
    if let known = numbers[key] { return known }
    lastNumber += 1
    numbers[key] = lastNumber
    programs[lastNumber] = Entry(make(), key.types)
    return lastNumber
  }

  /// Called before a statement is prepared; drops the older half of the programs if there are many. A running
  /// statement uses recent ones.
  func trim() {
    failure = nil
    guard programs.count >= Self.limit else { return }
    let oldest = lastNumber - Int64(Self.limit / 2)
    programs = programs.filter { $0.key > oldest }
    numbers = numbers.filter { $0.value > oldest }
  }

  // MARK: Calls

  /// Registers the functions on a connection, which retains the evaluator.
  func register(on connection: SQLiteConnection) throws(SQLiteError) {
    try register(Self.predicateName, on: connection) { arguments throws(PredicateFormatError) in
      try self.truth(arguments).map { .integer($0 ? 1 : 0) } ?? .null
    }
    try register(Self.expressionName, on: connection) { arguments throws(PredicateFormatError) in
      Self.result(try self.compute(arguments))
    }
    try SQLCollation.register(on: connection)
  }

  /// An evaluation error ends the statement: a row must not be found, changed or deleted if it is unknown whether it
  /// matches.
  private func register(
    _ name: String, on connection: SQLiteConnection,
    _ body: @escaping (SQLArguments) throws(PredicateFormatError) -> SQLValue
  ) throws(SQLiteError) {
    try connection.register(name, arguments: -1, isDeterministic: true) { arguments in
      guard arguments.count > 0 else { return .null }
      do throws(PredicateFormatError) {
        return try body(arguments)
      } catch {
        self.failure = error
        throw CallFailure(description: error.message)
      }
    }
  }

  /// A call's error as reported to SQLite.
  private struct CallFailure: Error, CustomStringConvertible { let description: String }

  /// The error of a function call that made a statement fail, if any; cleared when returned.
  func takeFailure() -> PredicateFormatError? {
    defer { failure = nil }
    return failure
  }

  /// Whether a predicate is true; nil for SQL's NULL.
  private func truth(
    _ values: SQLArguments
  ) throws(PredicateFormatError) -> Bool? {
    let entry = try entry(values)
    if let test = entry.textTest, values.count == 2 {
      var failure: PredicateFormatError?
      let answer = values[1].withText { text -> Bool? in
        do throws(PredicateFormatError) { return try test.holds(of: text) } catch {
          failure = error
          return nil
        }
      }
      if let failure { throw failure }
      if let answer { return answer }
    }
    guard case .predicate(let predicate) = entry.program else { throw Self.lost }
    return try predicate.truth(of: Self.bindings(values, entry.types))
  }

  private func entry(_ values: SQLArguments) throws(PredicateFormatError) -> Entry {
    let number = values[0].integer
    if let recent, recent.number == number { return recent.entry }
    guard let entry = programs[number] else { throw Self.lost }
    recent = (number, entry)
    return entry
  }

  private func compute(
    _ values: SQLArguments
  ) throws(PredicateFormatError) -> PredicateValue {
    let entry = try entry(values)
    guard case .expression(let expression) = entry.program else { throw Self.lost }
    return try expression.value(of: Self.bindings(values, entry.types))
  }

  private static let lost = PredicateFormatError(
    .unsupported, "it was evaluated too late: the store no longer has it")

  private static func bindings(
    _ values: SQLArguments, _ types: [SQLOperand.ValueType]
  ) -> [String: PredicateValue] {
    var bindings: [String: PredicateValue] = [:]
    for (index, type) in types.enumerated() where index + 1 < values.count {
      bindings[OperandExtraction.variable(index)] = constant(values[index + 1], type)
    }
    return bindings
  }

  // MARK: Values

  private static func constant(
    _ value: ColumnValue, _ type: SQLOperand.ValueType
  ) -> PredicateValue {
    guard !value.isNull else { return .null }
    let isInteger = value.type == SQLITE_INTEGER
    switch type {
    case .integer, .real:
      return isInteger && type == .integer ? .integer(value.integer) : .double(value.double)
    case .decimal:
      return isInteger
        ? .decimal(Decimal(value.integer))
        : Decimal(meantBy: value.double).map { .decimal($0) } ?? .null
    case .boolean: return .bool(value.integer != 0)
    case .date: return .date(Date(timeIntervalSinceReferenceDate: value.double))
    case .text: return .string(value.text ?? "")
    case .url: return URL(string: value.text ?? "").map { .url($0) } ?? .null
    case .uuid: return value.data.flatMap { UUID(bytes: $0) }.map { .uuid($0) } ?? .null
    case .object, .entity: return .null
    }
  }

  private static func result(_ value: PredicateValue) -> SQLValue {
    switch value {
    case .integer(let number): .integer(number)
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .double(let number): .real(number)
    case .float(let number): .real(Double(number))
    case .decimal(let number): .real(Double(number.description) ?? 0)
    case .date(let date): .real(date.timeIntervalSinceReferenceDate)
    case .string(let text): .text(text)
    case .url(let url): .text(url.absoluteString)
    case .uuid(let uuid): .data(Data(uuid.bytes))
    default: .null
    }
  }
}
