import DataModels
import Foundation
import PredicateFormat

/// Turns predicates and expressions into the SQL that Core Data would make of them.
///
/// What SQLite's own operators do otherwise than predicates goes to a function that evaluates it
/// (``SQLEvaluator``); what even that can't do gives nil, and the fetch is finished in memory, by the
/// same rules (``EvaluationRules/sqliteStore``). As in Core Data's own SQL a comparison with NULL is
/// NULL, so neither it nor its negation finds the row. Parameters are numbered, so the parts of a
/// statement may be put together in any order.
final class PredicateSQL {
  let engine: SQLiteEngine
  /// The fetched row, `t0`.
  let scope: SQLScope
  private(set) var parameters: [SQLValue] = []
  private var aliasCount = 0
  /// What some expressions mean in a statement over groups; asked before anything else.
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }

  /// From how many alternatives on those of one thing are gathered.
  private static let longestDisjunction = 16
  /// How many members of a list become parameters of their own; longer lists go as one.
  private static let longestList = 200

  init(engine: SQLiteEngine, entity: SchemaEntity) {
    self.engine = engine
    scope = SQLScope(row: SQLScope.Row(alias: "t0", entity: entity))
  }

  // MARK: Pieces

  /// A parameter that will have the value.
  func bind(_ value: SQLValue) -> String {
    parameters.append(value)
    return "?\(parameters.count)"
  }

  /// A new row of an entity.
  func newRow(_ entity: SchemaEntity) -> SQLScope.Row {
    aliasCount += 1
    return SQLScope.Row(alias: "t\(aliasCount)", entity: entity)
  }

  /// What `body` makes; when it can't, its parameters go.
  func attempt<Result>(_ body: () -> Result?) -> Result? {
    let count = parameters.count
    if let result = body() { return result }
    parameters.removeLast(parameters.count - count)
    return nil
  }

  // MARK: Predicates

  /// The condition for a predicate over the fetched row; nil when SQL can't say it.
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

  /// Joins conditions as a balanced tree: SQLite's parser goes no deeper than 1000.
  static func joined(_ parts: ArraySlice<String>, _ operation: String) -> String {
    guard parts.count > 16 else { return "(\(parts.joined(separator: " \(operation) ")))" }
    let middle = parts.startIndex + parts.count / 2
    return
      "(\(joined(parts[..<middle], operation)) \(operation) \(joined(parts[middle...], operation)))"
  }

  /// Makes lists of the many constants that one thing may be equal to: SQLite takes as long as the square of
  /// their number for comparisons one by one.
  ///
  /// - Returns: what remains to be made of the members.
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

  // MARK: What SQLite's operators do as predicates do

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

  /// The SQL of the side that an operand is compared with, if it is of a comparable type.
  private func value(
    _ tree: ExpressionTree, for type: SQLOperand.ValueType, _ scope: SQLScope
  ) -> String? {
    if case .constant(let value) = tree { return parameter(value, for: type).map { bind($0) } }
    guard let operand = operand(tree, scope), operand.type.isComparable(with: type) else {
      return nil
    }
    return operand.sql
  }

  /// The same for a side that is to be equal: texts are equal to numbers that are written so, as the
  /// affinity of a column of texts makes them.
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

  /// `BEGINSWITH`: a range, which an index can find, and in it what begins so.
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

  // MARK: What a function does

  /// A comparison of values as a call of ``SQLEvaluator``.
  private func evaluated(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    var lift = OperandExtraction(self, scope)
    guard let tree = lift.predicate(.comparison(comparison)) else { return nil }
    let number = engine.evaluator.number(of: tree, lift.types)
    return "\(SQLEvaluator.predicateName)(\(lift.arguments(bind(.integer(number)))))"
  }
}

extension PredicateTree.Comparison {
  /// The same comparison with the sides exchanged; nil for one that has no mirror image.
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
  /// What is compared, and the constant that it is to be equal to; nil for other predicates.
  fileprivate var alternative: (left: ExpressionTree, value: PredicateValue)? {
    guard case .comparison(let comparison) = self, comparison.modifier == .direct,
      comparison.type == .equalTo, comparison.options.isEmpty, !comparison.left.isConstant,
      !comparison.right.isNothing, case .constant(let value) = comparison.right
    else { return nil }
    return (comparison.left, value)
  }
}

extension ExpressionTree {
  /// Whether the expression is a value.
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

  /// The members of a list of values.
  fileprivate var constantMembers: [PredicateValue]? {
    guard let members else { return nil }
    let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    return values.count == members.count ? values : nil
  }
}
