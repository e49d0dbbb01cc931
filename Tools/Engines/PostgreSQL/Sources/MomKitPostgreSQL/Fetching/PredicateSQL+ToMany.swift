import DataModels
@_spi(Engines) import MomKit
import PredicateFormat
import RelationalSchemas

/// Collections of objects: to-many relationships and subqueries over them.
extension PredicateSQL {
  /// The rows of a collection.
  struct Rows {
    let row: SQLScope.Row
    /// The conditions that a row must meet to belong to the collection.
    var conditions: [String]
    /// The rest of the key path, applied to each object.
    let rest: [String]
  }

  /// `"Table" t1 … WHERE …`, to which conditions can be added with AND. Call this after all conditions over the rows
  /// have been compiled.
  func sql(_ rows: Rows) -> String {
    "\(from(rows.row)) WHERE \(rows.conditions.joined(separator: " AND "))"
  }

  /// Returns the rows of a collection, or nil if the expression isn't one.
  func rows(_ tree: ExpressionTree, _ scope: SQLScope) -> Rows? {
    switch tree {
    case .subquery(let collection, let variable, let predicate):
      guard var rows = rows(collection, scope), rows.rest.isEmpty else { return nil }
      guard let condition = exactly({ condition(predicate, scope.with(variable, rows.row)) })
      else { return nil }
      rows.conditions.append(condition)
      return rows
    case .keyPath(let path):
      let keys = path.path.split(separator: ".").map(String.init)
      if case .subquery = path.operand {
        guard let rows = rows(path.operand, scope) else { return nil }
        return Rows(row: rows.row, conditions: rows.conditions, rest: keys)
      }
      guard let row = row(of: path.operand, scope) else { return nil }
      return rows(of: keys[...], row: row)
    default: return nil
    }
  }

  /// Returns the rows of the first to-many relationship in a key path, which to-one relationships may precede.
  private func rows(of keys: ArraySlice<String>, row: SQLScope.Row) -> Rows? {
    var owner = row
    for (index, key) in keys.enumerated() {
      if let slot = owner.table.slot(key), let destination = slot.property.destinationLayout,
        let target = try? tables.table(destination)
      {
        guard index + 1 < keys.count else { return nil }
        owner = joined(owner, slot.name, target)
        continue
      }
      guard let storage = owner.table.entity.toManys[key],
        let destination = owner.table.layout.property(key)?.destinationLayout,
        let target = try? tables.table(destination)
      else { return nil }
      let made = newRow(target)
      let ownerKey = "\(owner.alias).\(SQL.key)"
      let condition: String
      switch storage {
      case .key(_, let column, _):
        condition = "\(made.alias).\(SQL.quoted(target.table.columns[column].name)) = \(ownerKey)"
      case .join(let index, let isOwner):
        let join = tables.schema.joinTables[index]
        condition =
          "\(made.alias).\(SQL.key) IN (SELECT \(SQL.quoted(join.otherColumn(isOwner: isOwner))) "
          + "FROM \(SQL.quoted(join.name)) WHERE \(SQL.quoted(join.ownColumn(isOwner: isOwner))) "
          + "= \(ownerKey))"
      }
      return Rows(
        row: made, conditions: [condition], rest: Array(keys.dropFirst(index + 1)))
    }
    return nil
  }

  /// `ANY collection op value` and `ALL …`: some element satisfies the comparison, or none fails to.
  func quantified(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    guard let rows = rows(comparison.left, scope) else { return nil }
    let isAny = comparison.modifier == .any
    let name = "\u{0}\(rows.row.alias)"
    var element = comparison
    element.left = Self.element(name, rows.rest)
    // A path through two collections refers to the elements of the inner one.
    let inner = scope.with(name, rows.row)
    element.modifier =
      rows.rest.contains { $0.hasPrefix("@") } || attempt({ self.rows(element.left, inner) }) == nil
      ? .direct : comparison.modifier
    let test = { self.condition(.comparison(element), inner) }
    guard let condition = isAny ? test() : exactly(test) else { return nil }
    var tested = rows
    // ALL requires the comparison to be true for each element; unknown counts as failing.
    if isAny {
      tested.conditions.append(condition)
      return "EXISTS (SELECT 1 FROM \(sql(tested)))"
    }
    tested.conditions.append("(\(condition)) IS NOT TRUE")
    return "NOT EXISTS (SELECT 1 FROM \(sql(tested)))"
  }

  /// `value IN collection` and `collection CONTAINS value`.
  func membership(_ comparison: PredicateTree.Comparison, _ scope: SQLScope) -> String? {
    let (collection, value): (ExpressionTree, ExpressionTree)
    switch comparison.type {
    case .in: (collection, value) = (comparison.right, comparison.left)
    case .contains: (collection, value) = (comparison.left, comparison.right)
    default: return nil
    }
    guard var rows = rows(collection, scope) else { return nil }
    let name = "\u{0}\(rows.row.alias)"
    let inner = scope.with(name, rows.row)
    let element = Self.element(name, rows.rest)
    guard attempt({ self.rows(element, inner) }) == nil,
      let condition = condition(
        .compare(element, .equalTo, value, options: comparison.options), inner)
    else { return nil }
    rows.conditions.append(condition)
    return "EXISTS (SELECT 1 FROM \(sql(rows)))"
  }

  private static func element(_ name: String, _ rest: [String]) -> ExpressionTree {
    rest.isEmpty
      ? .variable(name)
      : .keyPath(ExpressionTree.KeyPath(rest.joined(separator: "."), from: .variable(name)))
  }
}
