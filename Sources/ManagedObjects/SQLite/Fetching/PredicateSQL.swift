import DataModels
import Foundation
import PredicateFormat

/// Compiles predicates and expressions to the SQL that Core Data would generate.
///
/// Operations for which SQLite's operators differ from predicates become calls of a function that evaluates them
/// (``SQLEvaluator``). For what that can't do either, the result is nil, and the fetch is completed in memory by the
/// same rules (``EvaluationRules/sqliteStore``). As in Core Data's SQL, a comparison with NULL is NULL, so neither it
/// nor its negation matches the row. Parameters are numbered, so that the parts of a statement can be combined in any
/// order.
final class PredicateSQL: PredicateCompiler {
  /// A row of a statement.
  struct Row: SQLRow {
    let alias: String
    let entity: SchemaEntity
  }

  let engine: SQLiteEngine
  /// The fetched row, `t0`.
  let scope: SQLScope<Row>
  private(set) var parameters: [SQLValue] = []
  private var aliasCount = 0
  /// Replaces expressions in a statement over groups; called before anything else.
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }
  /// The maximum number of list members that always become separate parameters; longer lists become a single one.
  private static let longestList = 200
  /// The same for members that a single parameter can't hold.
  private static let longestNumberedList = 2_000

  init(engine: SQLiteEngine, entity: SchemaEntity) {
    self.engine = engine
    scope = SQLScope(row: Row(alias: "t0", entity: entity))
  }

  // MARK: Pieces

  /// Adds a parameter with a value.
  func bind(_ value: SQLValue) -> String {
    parameters.append(value)
    return "?\(parameters.count)"
  }

  /// A new row of an entity.
  func newRow(_ entity: SchemaEntity) -> Row {
    aliasCount += 1
    return Row(alias: "t\(aliasCount)", entity: entity)
  }

  func attempt<Result>(_ body: () -> Result?) -> Result? {
    let count = parameters.count
    if let result = body() { return result }
    parameters.removeLast(parameters.count - count)
    return nil
  }

  static func literal(_ value: Bool) -> String { value ? "1" : "0" }

  /// The condition for a predicate over the fetched row; nil if SQL can't express it, or SQLite can't read it.
  func condition(_ predicate: PredicateTree) -> String? {
    attempt {
      guard let sql = condition(predicate, scope), parameters.count <= Self.mostParameters else {
        return nil
      }
      // As many can't be nested in a short text, by far.
      if sql.utf8.count < 24 { return sql }
      // The parentheses stand for what the statement around the condition adds.
      return isReadable("SELECT 1 FROM \(scope.row.entity.table) t0 WHERE ((((((((\(sql)))))))))")
        ? sql : nil
    }
  }

  /// The number of parameters that SQLite accepts, less what the rest of a statement needs.
  private static let mostParameters = 32_000

  /// Whether SQLite's parser can read a statement: its stack has room for 100 symbols, of which each pair of parentheses
  /// takes several.
  func isReadable(_ sql: String) -> Bool {
    var (depth, deepest) = (0, 0)
    for byte in sql.utf8 {
      switch byte {
      case UInt8(ascii: "("): depth += 1
      case UInt8(ascii: ")"): depth -= 1
      default: continue
      }
      deepest = max(deepest, depth)
    }
    guard deepest > 20 else { return true }
    do {
      _ = try engine.connection.prepare(sql)
      return true
    } catch {
      return !error.message.contains("stack overflow") && !error.message.contains("too large")
    }
  }

  // MARK: Comparisons with SQLite's operators

  func compare(
    _ left: SQLOperand, by type: ComparisonOperator, with right: ExpressionTree,
    in scope: SQLScope<Row>
  ) -> String? {
    switch type {
    case .equalTo, .notEqualTo:
      guard let right = equal(right, to: left.type, scope) else { return nil }
      return "(\(left.sql) \(type == .equalTo ? "=" : "<>") \(right))"
    default:
      guard let right = value(right, for: left.type, scope) else { return nil }
      return "(\(left.sql) \(type.symbol) \(right))"
    }
  }

  /// The SQL of the other side of a comparison, if its type is comparable.
  private func value(
    _ tree: ExpressionTree, for type: SQLOperand.ValueType, _ scope: SQLScope<Row>
  ) -> String? {
    if case .constant(let value) = tree { return parameter(value, for: type).map { bind($0) } }
    guard let operand = operand(tree, scope), operand.type.isComparable(with: type) else {
      return nil
    }
    return operand.sql
  }

  /// The same for an equality test: strings equal numbers in decimal notation, as the affinity of a text column makes
  /// them.
  private func equal(
    _ tree: ExpressionTree, to type: SQLOperand.ValueType, _ scope: SQLScope<Row>
  ) -> String? {
    if case .constant(let value) = tree { return equal(value, to: type).map { bind($0) } }
    return value(tree, for: type, scope)
  }

  private func equal(_ value: PredicateValue, to type: SQLOperand.ValueType) -> SQLValue? {
    if type == .text, let text = value.numberText { return .text(text) }
    return parameter(value, for: type)
  }

  /// `BEGINSWITH`: a range, which can use an index, combined with a test of the prefix.
  private func prefix(_ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>) -> String? {
    guard comparison.options.isEmpty, case .constant(.string(let prefix)) = comparison.right,
      !prefix.isEmpty, prefix.utf8.allSatisfy({ $0 < 0x80 && $0 > 0 }),
      let left = operand(comparison.left, scope), left.type == .text,
      let test = evaluated(comparison, scope)
    else { return nil }
    let (low, high) = (bind(.text(prefix)), bind(.text(prefix + "\u{10FFFF}")))
    return "(\(left.sql) >= \(low) AND \(left.sql) < \(high) AND \(test))"
  }

  func list(_ members: [PredicateValue], contains left: SQLOperand) -> String? {
    var values: [SQLValue] = []
    for member in members {
      guard let value = equal(member, to: left.type) else { return nil }
      values.append(value)
    }
    let found: String
    if values.count > Self.longestList, let rows = rows(of: values) {
      found = rows
    } else if hasRoom(for: values.count) {
      found = values.map { bind($0) }.joined(separator: ", ")
    } else {
      return nil
    }
    return "(\(left.sql) IN (\(found)))"
  }

  /// A query for the members of a long list, whose text is the same for all such lists; nil for values that no single
  /// parameter can hold.
  private func rows(of values: [SQLValue]) -> String? {
    if let list = SQLValue.list(values) {
      return "SELECT value FROM json_each(\(bind(list)))"
    }
    guard let (bytes, places) = SQLValue.joinedUUIDs(values) else { return nil }
    return
      "SELECT substr(\(bind(bytes)), 1 + 16 * value, 16) FROM json_each(\(bind(places)))"
  }

  /// Whether a list's members may become separate parameters. Long lists leave room for the rest of the statement, which
  /// would otherwise have to be evaluated in memory with them.
  private func hasRoom(for count: Int) -> Bool {
    count <= Self.longestList
      || count <= Self.longestNumberedList && parameters.count + count <= Self.mostParameters / 2
  }

  // MARK: Comparisons with a function

  func otherComparison(
    _ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>
  ) -> String? {
    if comparison.type == .beginsWith, let prefix = attempt({ prefix(comparison, scope) }) {
      return prefix
    }
    return evaluated(comparison, scope)
  }

  /// A comparison as a call of ``SQLEvaluator``.
  private func evaluated(_ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>) -> String?
  {
    var lift = OperandExtraction(self, scope)
    guard let tree = lift.predicate(.comparison(comparison)) else { return nil }
    let number = engine.evaluator.number(of: tree, lift.types)
    return "\(SQLEvaluator.predicateName)(\(lift.arguments(bind(.integer(number)))))"
  }
}

/// Sorting.
extension PredicateSQL {
  /// The `ORDER BY` term for a sort descriptor; nil if SQL can't sort that way.
  func orderTerm(_ descriptor: NSSortDescriptor) -> String? {
    guard let key = descriptor.sortKey?.key else { return nil }
    return operand(.key(key), scope).flatMap { orderTerm($0, descriptor) }
  }

  /// The same for an operand.
  func orderTerm(_ value: SQLOperand, _ descriptor: NSSortDescriptor) -> String? {
    guard let sortKey = descriptor.sortKey, sortKey.reversesNullOrder == nil,
      value.type.isSortable
    else { return nil }
    var sql = value.sql
    if value.type == .text, let selector = sortKey.selector, selector != "compare:" {
      guard let collation = SQLCollation(selector: selector) else { return nil }
      sql += " COLLATE \(collation.name)"
    }
    return "\(sql) \(sortKey.ascending ? "ASC" : "DESC")"
  }
}
