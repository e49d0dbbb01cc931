import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat

/// Compiles predicates and expressions to PostgreSQL's SQL, with the semantics they have in SQLite stores: a
/// comparison with nil is neither true nor false, and strings are compared bytewise.
///
/// No functions are installed on the server. If a predicate can't be expressed exactly, the result is nil, or a
/// condition that matches too many rows (``isExact`` is false); the context then filters them.
final class PredicateSQL: PredicateCompiler {
  /// A row of a statement.
  struct Row: SQLRow {
    let alias: String
    let table: EntityTable
  }

  let tables: StoreTables
  let store: StoreReference
  /// The fetched row, `t0`.
  let scope: SQLScope<Row>
  var parameters = PostgreSQLParameters()
  /// Whether the conditions compiled so far match exactly the requested rows.
  private(set) var isExact = true
  var meaning: (ExpressionTree, PredicateSQL) -> SQLOperand? = { _, _ in nil }
  /// The joins for to-one relationships, by the alias of the source row.
  private var joins: [String: [Join]] = [:]
  /// The numbers of characters that are indexed, by the SQL of columns.
  var indexedLengths: [String: Int] = [:]
  private var aliasCount = 0
  /// Whether a condition that matches too many rows is acceptable at this point.
  private var mayBeWide = true

  private struct Join {
    let column: String
    let row: Row
  }

  init(_ tables: StoreTables, _ store: StoreReference, _ table: EntityTable) {
    (self.tables, self.store) = (tables, store)
    scope = SQLScope(row: Row(alias: "t0", table: table))
  }

  /// The number of parameters that a predicate may have: somewhat less than a statement may.
  private static let mostParameters = 65_000

  // MARK: Pieces

  /// Adds a parameter for the last value appended, and returns its placeholder.
  func bind(_ append: (inout PostgreSQLParameters) -> Void) -> String {
    append(&parameters)
    return "$\(parameters.count)"
  }

  func bind(_ value: PostgreSQLValue) -> String { bind { $0.append(value) } }

  func newRow(_ table: EntityTable) -> Row {
    aliasCount += 1
    return Row(alias: "t\(aliasCount)", table: table)
  }

  /// Returns the destination row of a to-one relationship, adding a join for it.
  func joined(_ row: Row, _ column: String, _ target: EntityTable) -> Row {
    if let known = joins[row.alias]?.first(where: { $0.column == column }) { return known.row }
    let made = newRow(target)
    joins[row.alias, default: []].append(Join(column: column, row: made))
    return made
  }

  /// `"Table" t0 LEFT JOIN …`: a row and the rows that conditions over it refer to.
  func from(_ row: Row) -> String {
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
      return attempt {
        condition(predicate, scope).flatMap { parameters.count > Self.mostParameters ? nil : $0 }
      }
    }
    var parts: [String] = []
    for member in members {
      if let part = condition(member) { parts.append(part) } else { isExact = false }
    }
    return parts.isEmpty ? nil : Self.joined(parts[...], "AND")
  }

  static func literal(_ value: Bool) -> String { value ? "TRUE" : "FALSE" }

  func exactly(_ body: () -> String?) -> String? {
    let outer = mayBeWide
    mayBeWide = false
    defer { mayBeWide = outer }
    return body()
  }

  // MARK: Comparisons with operators

  func compare(
    _ left: SQLOperand, by type: ComparisonOperator, with right: ExpressionTree,
    in scope: SQLScope<Row>
  ) -> String? {
    let (isEqual, isUnequal) = (type == .equalTo, type == .notEqualTo)
    let symbol = isEqual ? "=" : isUnequal ? "<>" : type.symbol
    if case .constant(let value) = right {
      if left.type == .boolean, isEqual || isUnequal, let flag = value.flag {
        return "(\(left.sql) \(symbol) \(Self.literal(flag)))"
      }
      guard let parameter = parameter(value, for: left.type) else { return nil }
      var sql = "(\(left.number) \(symbol) \(bind(parameter))"
      if let length = indexedLengths[left.sql], !isUnequal {
        // The index contains only the beginnings, which for different strings may be equal.
        let loose = isEqual ? "=" : "\(symbol.prefix(1))="
        sql += " AND left(\(left.sql), \(length)) \(loose) "
        sql += "left($\(parameters.count)::text, \(length))"
      }
      // PostgreSQL considers NaN greater than all numbers.
      if Self.hasNaN(left), symbol.hasPrefix(">") { sql += " AND \(left.sql) < 'NaN'" }
      return sql + ")"
    }
    guard let right = operand(right, scope), right.type.isComparable(with: left.type) else {
      return nil
    }
    var sql = "(\(left.number) \(symbol) \(right.number)"
    for side in [left, right] where Self.hasNaN(side) && !isUnequal {
      sql += " AND \(side.sql) <> 'NaN'"
    }
    return sql + ")"
  }

  /// Whether values may be NaN, which predicates don't consider equal to, less or greater than anything.
  private static func hasNaN(_ value: SQLOperand) -> Bool {
    value.type == .real || value.type == .decimal
  }

  /// Lists of keys and of strings are one parameter.
  func list(_ members: [PredicateValue], contains left: SQLOperand) -> String? {
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
      let list = "\(left.sql) = ANY (\(bind { $0.append(texts: texts) }))"
      guard let length = indexedLengths[left.sql] else { return "(\(list))" }
      let beginnings = texts.map { String($0.unicodeScalars.prefix(length)) }
      let places = bind { $0.append(texts: beginnings) }
      return "(\(list) AND left(\(left.sql), \(length)) = ANY (\(places)))"
    }
    guard values.count <= 10_000 else { return nil }
    return "(\(left.number) IN (\(values.map { bind($0) }.joined(separator: ", "))))"
  }

  // MARK: Texts

  /// String comparisons by substring, or ignoring case. The server evaluates them as predicates do for ASCII; rows
  /// with other characters are matched too, and left for the context to filter.
  func otherComparison(
    _ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>
  ) -> String? {
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
