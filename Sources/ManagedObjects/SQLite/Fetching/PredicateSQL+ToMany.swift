import DataModels
import Foundation
import PredicateFormat

/// Collections of objects: to-many relationships, and subqueries over them.
extension PredicateSQL {
  /// The rows of a collection.
  struct Rows {
    /// `ZTABLE alias WHERE …`, to which conditions can be added with AND.
    let from: String
    let row: SQLScope.Row
    /// The rest of the key path, starting from each object.
    let rest: [String]
    /// Whether duplicates are counted separately; in sets they count once.
    let keepsDuplicates: Bool
  }

  /// The rows of a collection; nil for an expression that isn't one.
  func rows(_ tree: ExpressionTree, _ scope: SQLScope) -> Rows? {
    switch tree {
    case .subquery(let collection, let variable, let predicate):
      guard let rows = rows(collection, scope), rows.rest.isEmpty,
        let condition = condition(predicate, scope.with(variable, rows.row))
      else { return nil }
      return Rows(
        from: "\(rows.from) AND \(condition)", row: rows.row, rest: [], keepsDuplicates: true)
    case .keyPath(let path):
      let keys = path.path.split(separator: ".").map(String.init)
      if case .subquery = path.operand {
        guard let rows = rows(path.operand, scope) else { return nil }
        return Rows(from: rows.from, row: rows.row, rest: keys, keepsDuplicates: true)
      }
      guard let row = row(of: path.operand, scope) else { return nil }
      return rows(of: keys[...], row: row, in: scope)
    default: return nil
    }
  }

  /// The rows of the first to-many relationship in a path, after any to-one relationships.
  private func rows(
    of keys: ArraySlice<String>, row: SQLScope.Row, in scope: SQLScope
  ) -> Rows? {
    var entity = row.entity
    for (index, key) in keys.enumerated() {
      if let toOne = entity.toOnes[key], let next = engine.schema[number: toOne.destination] {
        entity = next
        continue
      }
      guard let storage = entity.toManys[key],
        let target = engine.schema[number: storage.destinationNumber]
      else { return nil }
      let before = keys.prefix(index)
      let owner = before.isEmpty ? "\(row.alias).Z_PK" : path(before, row: row, in: scope)?.sql
      guard let owner else { return nil }
      let made = newRow(target)
      return Rows(
        from: storage.rows(of: owner, as: made.alias, engine.schema), row: made,
        rest: Array(keys.dropFirst(index + 1)),
        keepsDuplicates: entity.description.relationshipsByName[key]?.isOrdered ?? false)
    }
    return nil
  }

  /// `ANY collection op value` and `ALL …`: there is an element that satisfies the comparison, or none that doesn't.
  func quantified(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    guard let rows = rows(comparison.left, scope) else { return nil }
    let isAny = comparison.modifier == .any
    let name = "\u{0}\(rows.row.alias)"
    var element = comparison
    element.left = Self.element(name, rows.rest)
    // A path through two collections compares the elements of the inner one.
    let inner = scope.with(name, rows.row)
    element.modifier =
      rows.rest.contains { $0.hasPrefix("@") } || self.rows(element.left, inner) == nil
      ? .direct : comparison.modifier
    let test = PredicateTree.comparison(element)
    guard let condition = condition(test, inner) else { return nil }
    // `ALL` requires a true comparison for each element: unknown isn't true.
    return isAny
      ? "EXISTS (SELECT 1 FROM \(rows.from) AND \(condition))"
      : "NOT EXISTS (SELECT 1 FROM \(rows.from) AND (\(condition)) IS NOT 1)"
  }

  /// `value IN collection` and `collection CONTAINS value`.
  func membership(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    let (collection, value): (ExpressionTree, ExpressionTree)
    switch comparison.type {
    case .in: (collection, value) = (comparison.right, comparison.left)
    case .contains: (collection, value) = (comparison.left, comparison.right)
    default: return nil
    }
    guard let rows = rows(collection, scope) else { return nil }
    let name = "\u{0}\(rows.row.alias)"
    let inner = scope.with(name, rows.row)
    let element = Self.element(name, rows.rest)
    guard self.rows(element, inner) == nil,
      let condition = condition(
        .compare(element, .equalTo, value, options: comparison.options), inner)
    else { return nil }
    return "EXISTS (SELECT 1 FROM \(rows.from) AND \(condition))"
  }

  private static func element(_ name: String, _ rest: [String]) -> ExpressionTree {
    rest.isEmpty
      ? .variable(name)
      : .keyPath(ExpressionTree.KeyPath(rest.joined(separator: "."), from: .variable(name)))
  }
}

extension SchemaEntity.ToMany {
  /// `ZTABLE alias … WHERE …` for the destinations of the object with the key `key`.
  func rows(of key: String, as alias: String, _ schema: StoreSchema) -> String {
    let table = schema[number: destinationNumber]?.table ?? ""
    switch self {
    case .key(let column, _, _, _): return "\(table) \(alias) WHERE \(alias).\(column) = \(key)"
    case .join(let index, let isOwner, _):
      let join = schema.joinTables[index]
      let (own, other) =
        isOwner ? (join.ownerKey, join.inverseKey) : (join.inverseKey, join.ownerKey)
      let mirrored =
        join.isReflexive ? " UNION SELECT \(own) FROM \(join.name) WHERE \(other) = \(key)" : ""
      return "\(table) \(alias) WHERE \(alias).Z_PK IN (SELECT \(other) FROM \(join.name) "
        + "WHERE \(own) = \(key)\(mirrored))"
    }
  }
}
