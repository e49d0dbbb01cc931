import DataModels
import PredicateFormat

/// Compiles predicates and expressions to a dialect of SQL.
///
/// An engine says what its dialect is and how its tables are laid out; what predicates mean in SQL is the same for all
/// and follows in extensions: which comparisons become operators, how collections become subqueries, how key paths are
/// followed. A comparison with NULL is neither true nor false, and neither it nor its negation matches a row. Where SQL
/// can't express a predicate, the result is nil, and the request is completed in memory.
///
/// Parameters are bound while a statement is compiled, so what may fail is compiled in ``attempt(_:)``.
@_spi(Engines) public protocol PredicateCompiler: AnyObject {
  /// A row of a statement.
  associatedtype Row: SQLRow

  /// The scope of the fetched row.
  var scope: SQLScope<Row> { get }
  /// Replaces expressions, in statements over groups; called before anything else.
  var meaning: (ExpressionTree, Self) -> SQLOperand? { get set }

  /// A truth value in the dialect.
  static func literal(_ value: Bool) -> String

  /// The result of a closure; if it is nil, what it has added to the statement is removed.
  func attempt<Result>(_ body: () -> Result?) -> Result?

  /// The result of a closure that compiles a condition for a place where one that matches too many rows would make the
  /// whole match too few.
  func exactly(_ body: () -> String?) -> String?

  /// A comparison by one of the six operators for equality and order; nil if the dialect's operator doesn't give the
  /// predicate's result.
  func compare(
    _ left: SQLOperand, by type: ComparisonOperator, with right: ExpressionTree,
    in scope: SQLScope<Row>
  ) -> String?

  /// The test whether a list, which isn't empty, contains a value; nil if it can't be expressed.
  func list(_ members: [PredicateValue], contains value: SQLOperand) -> String?

  /// A comparison for which there is no plain operator; nil if the dialect has no other way either.
  func otherComparison(
    _ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>
  ) -> String?

  /// A constant as an operand of its own type.
  func constant(_ value: PredicateValue) -> SQLOperand?

  /// A function; nil if the dialect has none with the same results.
  func function(_ function: ExpressionTree.Function, _ scope: SQLScope<Row>) -> SQLOperand?

  /// A row's key.
  func key(of row: Row) -> SQLOperand

  /// The value at the end of a path from a row.
  func path(_ keys: ArraySlice<String>, row: Row) -> SQLOperand?

  /// The rows of the first to-many relationship in a path, after any to-one relationships.
  func rows(of keys: ArraySlice<String>, row: Row) -> SQLRows<Row>?

  /// A row's table with its alias, and what must be joined with it. Called after all conditions over the row have been
  /// compiled.
  func from(_ row: Row) -> String

  /// `sum`, `avg`, `min` or `max` of a value over the rows of a `FROM` clause, with nil counted as 0, as in memory.
  func aggregate(_ operation: String, of value: SQLOperand, from: String) -> SQLOperand?

  /// An aggregate of a value over a group of rows.
  func grouped(_ function: DictionaryPlan.Aggregate, of value: SQLOperand) -> SQLOperand?
}

@_spi(Engines) extension PredicateCompiler {
  /// The closure's result: for a dialect whose conditions never match too many rows.
  public func exactly(_ body: () -> String?) -> String? { body() }

  /// The condition for a predicate; nil if SQL can't express it.
  public func condition(_ predicate: PredicateTree, _ scope: SQLScope<Row>) -> String? {
    switch predicate {
    case .value(let value): return Self.literal(value)
    case .compound(.not, let members):
      guard let member = members.first else { return Self.literal(false) }
      return exactly { condition(member, scope) }.map { "NOT \($0)" }
    case .compound(let kind, _):
      let members = predicate.flattenedMembers
      var parts: [String] = []
      for member in kind == .or ? gathered(members, scope, into: &parts) : members {
        guard let part = condition(member, scope) else { return nil }
        parts.append(part)
      }
      guard !parts.isEmpty else { return Self.literal(kind == .and) }
      return Self.joined(parts[...], kind == .and ? "AND" : "OR")
    case .comparison(let comparison): return self.comparison(comparison, scope)
    case .opaque: return nil
    }
  }

  /// Joins conditions as a balanced tree: SQLite's parser limits the depth to 1000, PostgreSQL's by its stack.
  public static func joined(_ parts: ArraySlice<String>, _ operation: String) -> String {
    guard parts.count > 16 else { return "(\(parts.joined(separator: " \(operation) ")))" }
    let middle = parts.startIndex + parts.count / 2
    return
      "(\(joined(parts[..<middle], operation)) \(operation) \(joined(parts[middle...], operation)))"
  }

  private func comparison(
    _ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>
  ) -> String? {
    if comparison.modifier != .direct { return attempt { quantified(comparison, scope) } }
    if let membership = attempt({ membership(comparison, scope) }) { return membership }
    if let plain = attempt({ plain(comparison, scope) }) { return plain }
    if let flipped = comparison.flipped, let plain = attempt({ plain(flipped, scope) }) {
      return plain
    }
    return attempt { otherComparison(comparison, scope) }
  }

  /// A comparison by operators.
  private func plain(_ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>) -> String? {
    guard comparison.options.isEmpty, !comparison.left.isConstant else { return nil }
    // Before the left side is compiled: the statement would have no place for the constants that it binds.
    if comparison.type == .in, let members = comparison.right.constantMembers, members.isEmpty {
      return Self.literal(false)
    }
    guard let left = operand(comparison.left, scope) else { return nil }
    switch comparison.type {
    case .equalTo, .notEqualTo:
      if comparison.right.isNothing {
        return "(\(left.sql) IS \(comparison.type == .equalTo ? "" : "NOT ")NULL)"
      }
      return compare(left, by: comparison.type, with: comparison.right, in: scope)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard left.type.isOrdered else { return nil }
      return compare(left, by: comparison.type, with: comparison.right, in: scope)
    case .in:
      if let members = comparison.right.constantMembers {
        return list(members, contains: left)
      }
      guard case .aggregate(let elements) = comparison.right,
        !elements.contains(where: \.isNothing)
      else { return nil }
      return condition(
        .or(elements.map { .compare(comparison.left, .equalTo, $0) }), scope)
    case .between:
      guard let bounds = comparison.right.members, bounds.count == 2 else { return nil }
      return condition(
        .and([
          .compare(comparison.left, .greaterThanOrEqualTo, bounds[0]),
          .compare(comparison.left, .lessThanOrEqualTo, bounds[1]),
        ]), scope)
    default: return nil
    }
  }

  /// Combines many equality tests of the same operand into lists: the time SQLite needs for individual comparisons is
  /// quadratic in their number.
  ///
  /// - Returns: the remaining members.
  private func gathered(
    _ members: [PredicateTree], _ scope: SQLScope<Row>, into parts: inout [String]
  ) -> [PredicateTree] {
    let longestDisjunction = 16
    guard members.count > longestDisjunction else { return members }
    let alternatives = members.map(\.alternative)
    var values: [ExpressionTree: [PredicateValue]] = [:]
    for case (let left, let value)? in alternatives { values[left, default: []].append(value) }
    var listed: Set<ExpressionTree> = []
    for case (let left, _)? in alternatives where !listed.contains(left) {
      guard let constants = values.removeValue(forKey: left),
        constants.count > longestDisjunction,
        let part = attempt({
          plain(.init(left: left, type: .in, right: .constant(.array(constants))), scope)
        })
      else { continue }
      parts.append(part)
      listed.insert(left)
    }
    return zip(members, alternatives).filter { !($1.map { listed.contains($0.left) } ?? false) }
      .map(\.0)
  }
}
