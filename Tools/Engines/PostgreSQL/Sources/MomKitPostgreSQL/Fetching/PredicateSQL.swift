import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat

/// Turns predicates and expressions into PostgreSQL's SQL, with the meaning they have for SQLite stores: a comparison
/// with a missing value is neither true nor false, texts are compared by their bytes.
///
/// There are no functions of ours in the server. What it can't say as predicates mean it gives nil, or a condition that
/// lets too many rows through (``isExact``): then the context looks at these again.
final class PredicateSQL {
  let tables: StoreTables
  let store: StoreReference
  /// The fetched row, `t0`.
  let scope: SQLScope
  var parameters = PostgreSQLParameters()
  /// Whether the conditions so far let through what is asked for, and nothing else.
  private(set) var isExact = true
  /// What some expressions mean in a statement over groups; asked before anything else.
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }
  /// The rows that to-one relationships lead to, by the alias of the row that they lead from.
  private var joins: [String: [Join]] = [:]
  private var aliasCount = 0
  /// Whether a condition that lets too many rows through is of use where we are.
  private var mayBeWide = true

  private struct Join {
    let column: String
    let row: SQLScope.Row
  }

  init(_ tables: StoreTables, _ store: StoreReference, _ table: EntityTable) {
    (self.tables, self.store) = (tables, store)
    scope = SQLScope(row: SQLScope.Row(alias: "t0", table: table))
  }

  // MARK: Pieces

  /// A parameter that will have the value last appended.
  func bind(_ append: (inout PostgreSQLParameters) -> Void) -> String {
    append(&parameters)
    return "$\(parameters.count)"
  }

  func bind(_ value: PostgreSQLValue) -> String { bind { $0.append(value) } }

  func newRow(_ table: EntityTable) -> SQLScope.Row {
    aliasCount += 1
    return SQLScope.Row(alias: "t\(aliasCount)", table: table)
  }

  /// The row that a to-one relationship of a row leads to.
  func joined(_ row: SQLScope.Row, _ column: String, _ target: EntityTable) -> SQLScope.Row {
    if let known = joins[row.alias]?.first(where: { $0.column == column }) { return known.row }
    let made = newRow(target)
    joins[row.alias, default: []].append(Join(column: column, row: made))
    return made
  }

  /// `"Table" t0 LEFT JOIN …`: a row, and those that conditions over it lead to. Asked when these are made.
  func from(_ row: SQLScope.Row) -> String {
    var sql = "\(row.table.name) \(row.alias)"
    var pending = [row]
    while let next = pending.popLast() {
      for join in joins[next.alias] ?? [] {
        sql +=
          " LEFT JOIN \(join.row.table.name) \(join.row.alias) ON \(join.row.alias).\(SQL.key) "
        sql += "= \(next.alias).\(join.column)"
        pending.append(join.row)
      }
    }
    return sql
  }

  /// What `body` makes; when it can't, what it left goes.
  func attempt<Result>(_ body: () -> Result?) -> Result? {
    let (count, joins, isExact) = (parameters.count, self.joins, self.isExact)
    if let result = body() { return result }
    parameters.removeLast(from: count)
    (self.joins, self.isExact) = (joins, isExact)
    return nil
  }

  // MARK: Predicates

  /// The condition for a predicate over the fetched row; nil when SQL can't say anything of it.
  func condition(_ predicate: PredicateTree) -> String? {
    // Of members that all must hold those that SQL can say narrow the search.
    guard case .compound(.and, let members) = predicate, !members.isEmpty else {
      return attempt { condition(predicate, scope) }
    }
    var parts: [String] = []
    for member in members {
      if let part = condition(member) { parts.append(part) } else { isExact = false }
    }
    return parts.isEmpty ? nil : Self.joined(parts[...], "AND")
  }

  func condition(_ predicate: PredicateTree, _ scope: SQLScope) -> String? {
    switch predicate {
    case .value(let value): return value ? "TRUE" : "FALSE"
    case .compound(let kind, let members):
      if kind == .not {
        guard let member = members.first else { return "FALSE" }
        return exactly { condition(member, scope) }.map { "NOT \($0)" }
      }
      var parts: [String] = []
      for member in members {
        guard let part = condition(member, scope) else { return nil }
        parts.append(part)
      }
      if kind == .and { return parts.isEmpty ? "TRUE" : Self.joined(parts[...], "AND") }
      return parts.isEmpty ? "FALSE" : Self.joined(parts[...], "OR")
    case .comparison(let comparison): return self.comparison(comparison, scope)
    case .opaque: return nil
    }
  }

  /// What `body` makes where a condition that lets too much through would let too little through.
  func exactly(_ body: () -> String?) -> String? {
    let outer = mayBeWide
    mayBeWide = false
    defer { mayBeWide = outer }
    return body()
  }

  /// Joins conditions as a balanced tree: what reads them goes in only so deep.
  static func joined(_ parts: ArraySlice<String>, _ operation: String) -> String {
    guard parts.count > 16 else { return "(\(parts.joined(separator: " \(operation) ")))" }
    let middle = parts.startIndex + parts.count / 2
    return
      "(\(joined(parts[..<middle], operation)) \(operation) \(joined(parts[middle...], operation)))"
  }

  private func comparison(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    if comparison.modifier != .direct { return attempt { quantified(comparison, scope) } }
    if let membership = attempt({ membership(comparison, scope) }) { return membership }
    if let plain = attempt({ plain(comparison, scope) }) { return plain }
    if let flipped = comparison.flipped, let plain = attempt({ plain(flipped, scope) }) {
      return plain
    }
    return attempt { text(comparison, scope) }
  }

  private func plain(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    guard comparison.options.isEmpty, !comparison.left.isConstant,
      let left = operand(comparison.left, scope)
    else { return nil }
    switch comparison.type {
    case .equalTo, .notEqualTo:
      let isEqual = comparison.type == .equalTo
      if comparison.right.isMissing { return "(\(left.sql) IS \(isEqual ? "" : "NOT ")NULL)" }
      return compare(left, isEqual ? "=" : "<>", comparison.right, scope)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      guard left.type.isOrdered else { return nil }
      return compare(left, comparison.type.symbol, comparison.right, scope)
    case .in:
      if let members = comparison.right.constantMembers { return list(members, left) }
      guard case .aggregate(let elements) = comparison.right,
        !elements.contains(where: \.isMissing)
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

  private func compare(
    _ left: SQLOperand, _ symbol: String, _ tree: ExpressionTree, _ scope: SQLScope
  ) -> String? {
    if case .constant(let value) = tree {
      if left.type == .boolean, symbol == "=" || symbol == "<>", let flag = value.flag {
        return "(\(left.sql) \(symbol) \(flag ? "TRUE" : "FALSE"))"
      }
      guard let parameter = parameter(value, for: left.type) else { return nil }
      var sql = "(\(left.number) \(symbol) \(bind(parameter))"
      // To PostgreSQL what is no number is greater than all numbers.
      if left.type == .real, symbol.hasPrefix(">") { sql += " AND \(left.sql) < 'NaN'" }
      return sql + ")"
    }
    guard let right = operand(tree, scope), right.type.isComparable(with: left.type) else {
      return nil
    }
    var sql = "(\(left.number) \(symbol) \(right.number)"
    for side in [left, right] where side.type == .real {
      if symbol != "<>" { sql += " AND \(side.sql) <> 'NaN'" }
    }
    return sql + ")"
  }

  /// A list of constants, as one parameter.
  private func list(_ members: [PredicateValue], _ left: SQLOperand) -> String? {
    guard !members.isEmpty else { return "FALSE" }
    var values: [PostgreSQLValue] = []
    for member in members {
      guard let value = parameter(member, for: left.type) else { return nil }
      values.append(value)
    }
    let keys = values.compactMap { if case .int8(let key) = $0 { key } else { nil } }
    if keys.count == values.count {
      return "(\(left.number) = ANY (\(bind { $0.append(keys: keys) })))"
    }
    let texts = values.compactMap { if case .text(let text) = $0 { text } else { nil } }
    if texts.count == values.count {
      return "(\(left.sql) = ANY (\(bind { $0.append(texts: texts) })))"
    }
    guard values.count <= 10_000 else { return nil }
    return "(\(left.number) IN (\(values.map { bind($0) }.joined(separator: ", "))))"
  }

  // MARK: Texts

  /// Comparisons of texts by their parts, or without regard to case. The server does them as predicates do where all is
  /// ASCII; other texts are let through, for the context to look at.
  private func text(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    guard mayBeWide, case .constant(.string(let pattern)) = comparison.right,
      pattern.utf8.allSatisfy({ $0 < 0x80 && $0 > 0 }),
      comparison.options.isSubset(of: [.caseInsensitive, .diacriticInsensitive]),
      let left = operand(comparison.left, scope), left.type == .text
    else { return nil }
    let ignoresCase = comparison.options.contains(.caseInsensitive)
    let value = ignoresCase ? "lower(\(left.sql))" : left.sql
    let wanted = ignoresCase ? pattern.lowercased() : pattern
    let test: String
    switch comparison.type {
    case .equalTo: test = "\(value) = \(bind(.text(wanted)))"
    case .contains: test = "strpos(\(value), \(bind(.text(wanted)))) > 0"
    case .beginsWith: test = "\(value) LIKE \(bind(.text(wanted.escapedForLike + "%")))"
    case .endsWith: test = "\(value) LIKE \(bind(.text("%" + wanted.escapedForLike)))"
    case .like:
      guard let like = wanted.likePattern else { return nil }
      test = "\(value) LIKE \(bind(.text(like)))"
    default: return nil
    }
    isExact = false
    return "(\(test) OR octet_length(\(left.sql)) <> char_length(\(left.sql)))"
  }
}

extension String {
  /// The text as `LIKE` takes it for itself.
  fileprivate var escapedForLike: String {
    replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
  }

  /// A pattern with `*` and `?` as SQL has it; nil for one with escapes of its own.
  fileprivate var likePattern: String? {
    guard !contains("\\") else { return nil }
    return escapedForLike.replacing("*", with: "%").replacing("?", with: "_")
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

extension ExpressionTree {
  /// Whether the expression is a value.
  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }

  /// Whether the expression is no value.
  fileprivate var isMissing: Bool {
    switch self {
    case .constant(.null), .constant(.nsNull): true
    default: false
    }
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

extension PredicateValue {
  /// The truth value that a number is.
  fileprivate var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .integer(0): false
    case .integer(1): true
    default: nil
    }
  }
}
