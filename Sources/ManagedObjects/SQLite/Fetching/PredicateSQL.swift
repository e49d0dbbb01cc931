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
final class PredicateSQL {
  let engine: SQLiteEngine
  /// The fetched row, `t0`.
  let scope: SQLScope
  private(set) var parameters: [SQLValue] = []
  private var aliasCount = 0
  /// Replaces expressions in a statement over groups; called before anything else.
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }

  /// The number of alternatives above which equality tests of the same operand are combined.
  private static let longestDisjunction = 16
  /// The maximum number of list members that become separate parameters; longer lists become a single one.
  private static let longestList = 200

  init(engine: SQLiteEngine, entity: SchemaEntity) {
    self.engine = engine
    scope = SQLScope(row: SQLScope.Row(alias: "t0", entity: entity))
  }

  // MARK: Pieces

  /// Adds a parameter with a value.
  func bind(_ value: SQLValue) -> String {
    parameters.append(value)
    return "?\(parameters.count)"
  }

  /// A new row of an entity.
  func newRow(_ entity: SchemaEntity) -> SQLScope.Row {
    aliasCount += 1
    return SQLScope.Row(alias: "t\(aliasCount)", entity: entity)
  }

  /// The result of `body`; if it is nil, the parameters it added are removed.
  func attempt<Result>(_ body: () -> Result?) -> Result? {
    let count = parameters.count
    if let result = body() { return result }
    parameters.removeLast(parameters.count - count)
    return nil
  }

  // MARK: Predicates

  /// The condition for a predicate over the fetched row; nil if SQL can't express it.
  func condition(_ predicate: PredicateTree) -> String? { condition(predicate, scope) }

  func condition(_ predicate: PredicateTree, _ scope: SQLScope) -> String? {
    switch predicate {
    case .value(let value): return value ? "1" : "0"
    case .compound(let kind, let members):
      var parts: [String] = []
      for member in kind == .or ? gathered(members, scope, into: &parts) : members {
        guard let part = condition(member, scope) else { return nil }
        parts.append(part)
      }
      switch kind {
      case .not: return parts.first.map { "NOT \($0)" } ?? "0"
      case .and: return parts.isEmpty ? "1" : Self.joined(parts[...], "AND")
      case .or: return parts.isEmpty ? "0" : Self.joined(parts[...], "OR")
      }
    case .comparison(let comparison): return self.comparison(comparison, scope)
    case .opaque: return nil
    }
  }

  /// Joins conditions as a balanced tree: SQLite's parser limits the depth to 1000.
  static func joined(_ parts: ArraySlice<String>, _ operation: String) -> String {
    guard parts.count > 16 else { return "(\(parts.joined(separator: " \(operation) ")))" }
    let middle = parts.startIndex + parts.count / 2
    return
      "(\(joined(parts[..<middle], operation)) \(operation) \(joined(parts[middle...], operation)))"
  }

  /// Combines many equality tests of the same operand into lists: the time SQLite needs for individual comparisons is
  /// quadratic in their number.
  ///
  /// - Returns: the remaining members.
  private func gathered(
    _ members: [PredicateTree], _ scope: SQLScope, into parts: inout [String]
  ) -> [PredicateTree] {
    guard members.count > Self.longestDisjunction else { return members }
    let alternatives = members.map(\.alternative)
    var values: [ExpressionTree: [PredicateValue]] = [:]
    for case (let left, let value)? in alternatives { values[left, default: []].append(value) }
    var listed: Set<ExpressionTree> = []
    for case (let left, _)? in alternatives where !listed.contains(left) {
      guard let constants = values.removeValue(forKey: left),
        constants.count > Self.longestDisjunction,
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

  private func comparison(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    if comparison.modifier != .direct { return attempt { quantified(comparison, scope) } }
    if let membership = attempt({ membership(comparison, scope) }) { return membership }
    if let plain = attempt({ plain(comparison, scope) }) { return plain }
    if let flipped = comparison.flipped, let plain = attempt({ plain(flipped, scope) }) {
      return plain
    }
    return attempt { evaluated(comparison, scope) }
  }

  // MARK: Comparisons with SQLite's operators

  private func plain(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    if comparison.type == .beginsWith { return prefix(comparison, scope) }
    guard comparison.options.isEmpty, !comparison.left.isConstant,
      let left = operand(comparison.left, scope)
    else { return nil }
    switch comparison.type {
    case .equalTo, .notEqualTo:
      let isEqual = comparison.type == .equalTo
      if comparison.right.isNothing {
        return "(\(left.sql) IS \(isEqual ? "" : "NOT ")NULL)"
      }
      guard let right = equal(comparison.right, to: left.type, scope) else { return nil }
      return "(\(left.sql) \(isEqual ? "=" : "<>") \(right))"
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard left.type.isOrdered, let right = value(comparison.right, for: left.type, scope) else {
        return nil
      }
      return "(\(left.sql) \(comparison.type.symbol) \(right))"
    case .in:
      if let members = comparison.right.constantMembers { return list(members, left) }
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

  /// The SQL of the other side of a comparison, if its type is comparable.
  private func value(
    _ tree: ExpressionTree, for type: SQLOperand.ValueType, _ scope: SQLScope
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
    _ tree: ExpressionTree, to type: SQLOperand.ValueType, _ scope: SQLScope
  ) -> String? {
    if case .constant(let value) = tree { return equal(value, to: type).map { bind($0) } }
    return value(tree, for: type, scope)
  }

  private func equal(_ value: PredicateValue, to type: SQLOperand.ValueType) -> SQLValue? {
    if type == .text, let text = value.numberText { return .text(text) }
    return parameter(value, for: type)
  }

  /// `BEGINSWITH`: a range, which can use an index, combined with a test of the prefix.
  private func prefix(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    guard comparison.options.isEmpty, case .constant(.string(let prefix)) = comparison.right,
      !prefix.isEmpty, prefix.utf8.allSatisfy({ $0 < 0x80 && $0 > 0 }),
      let left = operand(comparison.left, scope), left.type == .text,
      let test = evaluated(comparison, scope)
    else { return nil }
    let (low, high) = (bind(.text(prefix)), bind(.text(prefix + "\u{10FFFF}")))
    return "(\(left.sql) >= \(low) AND \(left.sql) < \(high) AND \(test))"
  }

  private func list(_ members: [PredicateValue], _ left: SQLOperand) -> String? {
    guard !members.isEmpty else { return "0" }
    var values: [SQLValue] = []
    for member in members {
      guard let value = equal(member, to: left.type) else { return nil }
      values.append(value)
    }
    let found: String
    if values.count <= Self.longestList {
      found = values.map { bind($0) }.joined(separator: ", ")
    } else if let list = SQLValue.list(values) {
      found = "SELECT value FROM json_each(\(bind(list)))"
    } else {
      return nil
    }
    return "(\(left.sql) IN (\(found)))"
  }

  // MARK: Comparisons with a function

  /// A comparison as a call of ``SQLEvaluator``.
  private func evaluated(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    var lift = OperandExtraction(self, scope)
    guard let tree = lift.predicate(.comparison(comparison)) else { return nil }
    let number = engine.evaluator.number(of: tree, lift.types)
    return "\(SQLEvaluator.predicateName)(\(lift.arguments(bind(.integer(number)))))"
  }
}

extension PredicateTree.Comparison {
  /// The comparison with its sides exchanged; nil if it has no mirror image.
  fileprivate var flipped: PredicateTree.Comparison? {
    let mirrored: ComparisonOperator
    switch type {
    case .equalTo, .notEqualTo: mirrored = type
    case .lessThan: mirrored = .greaterThan
    case .lessThanOrEqualTo: mirrored = .greaterThanOrEqualTo
    case .greaterThan: mirrored = .lessThan
    case .greaterThanOrEqualTo: mirrored = .lessThanOrEqualTo
    default: return nil
    }
    var flipped = self
    (flipped.left, flipped.right, flipped.type) = (right, left, mirrored)
    return flipped
  }
}

extension PredicateTree {
  /// The operand and constant of an equality test; nil for other predicates.
  fileprivate var alternative: (left: ExpressionTree, value: PredicateValue)? {
    guard case .comparison(let comparison) = self, comparison.modifier == .direct,
      comparison.type == .equalTo, comparison.options.isEmpty, !comparison.left.isConstant,
      !comparison.right.isNothing, case .constant(let value) = comparison.right
    else { return nil }
    return (comparison.left, value)
  }
}

extension ExpressionTree {
  /// Whether the expression is a constant.
  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }

  /// The members of a list.
  fileprivate var members: [ExpressionTree]? {
    switch self {
    case .constant(.array(let values)), .constant(.set(let values)),
      .constant(.orderedSet(let values)):
      values.map { .constant($0) }
    case .aggregate(let elements): elements
    default: nil
    }
  }

  /// The members of a list of constants.
  fileprivate var constantMembers: [PredicateValue]? {
    guard let members else { return nil }
    let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    return values.count == members.count ? values : nil
  }
}
