import PredicateFormat

/// The `WHERE` clause of a partial index: comparisons of columns with constants, combined with AND and OR.
enum PartialIndexPredicate {
  /// The SQL of a predicate over an entity's own columns; nil if an index can't express it.
  static func sql(_ predicate: PredicateTree, in entity: SchemaEntity) -> String? {
    switch predicate {
    case .comparison(let comparison): return self.comparison(comparison, in: entity)
    case .compound(let kind, let members):
      let parts = members.map { sql($0, in: entity) }
      guard kind != .not, !parts.isEmpty, !parts.contains(nil) else { return nil }
      let joined = parts.compactMap { $0 }.joined(separator: kind == .and ? " AND " : " OR ")
      return "(\(joined))"
    case .value, .opaque: return nil
    }
  }

  private static func comparison(
    _ comparison: PredicateTree.Comparison, in entity: SchemaEntity
  ) -> String? {
    guard comparison.modifier == .direct, comparison.options.isEmpty,
      let left = operand(comparison.left, in: entity),
      let right = operand(comparison.right, in: entity)
    else { return nil }
    if right == "NULL" {
      switch comparison.type {
      case .equalTo: return "\(left) IS NULL"
      case .notEqualTo: return "\(left) IS NOT NULL"
      default: return nil
      }
    }
    return symbol(comparison.type).map { "\(left) \($0) \(right)" }
  }

  private static func symbol(_ type: ComparisonOperator) -> String? {
    switch type {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "="
    case .notEqualTo: "<>"
    default: nil
    }
  }

  private static func operand(_ expression: ExpressionTree, in entity: SchemaEntity) -> String? {
    switch expression {
    case .evaluatedObject: "Z_PK"
    case .keyPath(let path) where path.operand == .evaluatedObject: entity.column(of: path.path)
    case .constant(let value): literal(value)
    default: nil
    }
  }

  private static func literal(_ value: PredicateValue) -> String? {
    switch value {
    case .null, .nsNull: "NULL"
    case .bool(let flag): flag ? "1" : "0"
    case .integer(let number): "\(number)"
    case .double(let number): "\(number)"
    case .string(let text): SQLLiteral.text(text)
    default: nil
    }
  }
}
