import PredicateFormat

/// Collections of objects: to-many relationships, and subqueries over them.
@_spi(Engines) extension PredicateCompiler {
  /// `table alias WHERE …` for a collection, to which conditions can be added with AND. Called after all conditions over
  /// its rows have been compiled.
  public func source(_ rows: SQLRows<Row>) -> String {
    "\(from(rows.row)) WHERE \(rows.conditions.joined(separator: " AND "))"
  }

  /// The rows of a collection; nil for an expression that isn't one.
  public func rows(_ tree: ExpressionTree, _ scope: SQLScope<Row>) -> SQLRows<Row>? {
    switch tree {
    case .subquery(let collection, let variable, let predicate):
      guard let rows = rows(collection, scope), rows.rest.isEmpty,
        let condition = exactly({ condition(predicate, scope.with(variable, rows.row)) })
      else { return nil }
      return SQLRows(
        row: rows.row, conditions: rows.conditions + [condition], rest: [], keepsDuplicates: true)
    case .keyPath(let path):
      let keys = path.path.split(separator: ".").map(String.init)
      if case .subquery = path.operand {
        guard let rows = rows(path.operand, scope) else { return nil }
        return SQLRows(
          row: rows.row, conditions: rows.conditions, rest: keys, keepsDuplicates: true)
      }
      guard let row = scope.row(of: path.operand) else { return nil }
      return rows(of: keys[...], row: row)
    default: return nil
    }
  }

  /// `ANY collection op value` and `ALL …`: there is an element that satisfies the comparison, or none that doesn't.
  func quantified(_ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>) -> String? {
    guard let rows = rows(comparison.left, scope) else { return nil }
    let isAny = comparison.modifier == .any
    let name = Self.elementName(rows)
    var element = comparison
    element.left = Self.element(name, rows.rest)
    // A path through two collections compares the elements of the inner one.
    let inner = scope.with(name, rows.row)
    element.modifier =
      rows.rest.contains { $0.hasPrefix("@") } || attempt({ self.rows(element.left, inner) }) == nil
      ? .direct : comparison.modifier
    let test = { self.condition(.comparison(element), inner) }
    guard let condition = isAny ? test() : exactly(test) else { return nil }
    if isAny { return "EXISTS (SELECT 1 FROM \(source(rows.meeting(condition))))" }
    // `ALL` requires a true comparison for each element: unknown isn't true.
    let failing = rows.meeting("(\(condition)) IS NOT \(Self.literal(true))")
    return "NOT EXISTS (SELECT 1 FROM \(source(failing)))"
  }

  /// `value IN collection` and `collection CONTAINS value`.
  func membership(_ comparison: PredicateTree.Comparison, _ scope: SQLScope<Row>) -> String? {
    let (collection, value): (ExpressionTree, ExpressionTree)
    switch comparison.type {
    case .in: (collection, value) = (comparison.right, comparison.left)
    case .contains: (collection, value) = (comparison.left, comparison.right)
    default: return nil
    }
    guard let rows = rows(collection, scope) else { return nil }
    let name = Self.elementName(rows)
    let inner = scope.with(name, rows.row)
    let element = Self.element(name, rows.rest)
    guard attempt({ self.rows(element, inner) }) == nil,
      let condition = condition(
        .compare(element, .equalTo, value, options: comparison.options), inner)
    else { return nil }
    return "EXISTS (SELECT 1 FROM \(source(rows.meeting(condition))))"
  }

  /// The name of a variable for a collection's element, which no predicate has.
  private static func elementName(_ rows: SQLRows<Row>) -> String { "\u{0}\(rows.row.alias)" }

  private static func element(_ name: String, _ rest: [String]) -> ExpressionTree {
    rest.isEmpty
      ? .variable(name)
      : .keyPath(ExpressionTree.KeyPath(rest.joined(separator: "."), from: .variable(name)))
  }
}
