import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat

/// Compiles predicates and expressions to PostgreSQL's SQL, with the semantics they have in SQLite stores: a
/// comparison with nil is neither true nor false, and strings are compared bytewise.
///
/// No functions are installed on the server. If a predicate can't be expressed exactly, the result is nil, or a
/// condition that matches too many rows (``isExact`` is false); the context then filters them.
final class PredicateSQL {
  let tables: StoreTables
  let store: StoreReference
  /// The fetched row, `t0`.
  let scope: SQLScope
  var parameters = PostgreSQLParameters()
  /// Whether the conditions compiled so far match exactly the requested rows.
  private(set) var isExact = true
  /// Gives certain expressions a special meaning in grouped statements; called before anything else.
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }
  /// The joins for to-one relationships, by the alias of the source row.
  private var joins: [String: [Join]] = [:]
  private var aliasCount = 0
  /// Whether a condition that matches too many rows is acceptable at this point.
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

  /// Adds a parameter for the last value appended, and returns its placeholder.
  func bind(_ append: (inout PostgreSQLParameters) -> Void) -> String {
    append(&parameters)
    return "$\(parameters.count)"
  }

  func bind(_ value: PostgreSQLValue) -> String { bind { $0.append(value) } }

  func newRow(_ table: EntityTable) -> SQLScope.Row {
    aliasCount += 1
    return SQLScope.Row(alias: "t\(aliasCount)", table: table)
  }

  /// Returns the destination row of a to-one relationship, adding a join for it.
  func joined(_ row: SQLScope.Row, _ column: String, _ target: EntityTable) -> SQLScope.Row {
    if let known = joins[row.alias]?.first(where: { $0.column == column }) { return known.row }
    let made = newRow(target)
    joins[row.alias, default: []].append(Join(column: column, row: made))
    return made
  }

  /// `"Table" t0 LEFT JOIN …`: a row and the rows that conditions over it refer to. Call this after those have been
  /// compiled.
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

  /// Returns the result of `body`. If that is nil, discards the parameters and joins that it added.
  func attempt<Result>(_ body: () -> Result?) -> Result? {
    let (count, joins, isExact) = (parameters.count, self.joins, self.isExact)
    if let result = body() { return result }
    parameters.removeLast(from: count)
    (self.joins, self.isExact) = (joins, isExact)
    return nil
  }

  // MARK: Predicates

  /// Returns the condition for a predicate over the fetched row, or nil if SQL can't express any of it.
  func condition(_ predicate: PredicateTree) -> String? {
    // In a conjunction, the members that SQL can express narrow the search.
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

  /// Compiles `body` where a condition that matches too much would make the result match too little.
  func exactly(_ body: () -> String?) -> String? {
    let outer = mayBeWide
    mayBeWide = false
    defer { mayBeWide = outer }
    return body()
  }

  /// Joins conditions as a balanced tree, which limits the parser's recursion.
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
      // PostgreSQL considers NaN greater than all numbers.
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

  /// Returns a list of constants as one parameter.
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

  /// String comparisons by substring, or ignoring case. The server evaluates them as predicates do for ASCII; rows
  /// with other characters are matched too, and left for the context to filter.
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
  /// The string with `LIKE`'s special characters escaped.
  fileprivate var escapedForLike: String {
    replacing("\\", with: "\\\\").replacing("%", with: "\\%").replacing("_", with: "\\_")
  }

  /// The equivalent `LIKE` pattern for one with `*` and `?`, or nil if it contains escapes.
  fileprivate var likePattern: String? {
    guard !contains("\\") else { return nil }
    return escapedForLike.replacing("*", with: "%").replacing("?", with: "_")
  }
}

extension PredicateTree.Comparison {
  /// The comparison with its sides exchanged, or nil if there is no equivalent.
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
  /// Whether the expression is a constant.
  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }

  /// Whether the expression is a nil constant.
  fileprivate var isMissing: Bool {
    switch self {
    case .constant(.null), .constant(.nsNull): true
    default: false
    }
  }

  /// The members of an aggregate expression.
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

extension PredicateValue {
  /// The Boolean value of a number.
  fileprivate var flag: Bool? {
    switch self {
    case .bool(let flag): flag
    case .integer(0): false
    case .integer(1): true
    default: nil
    }
  }
}
