import DataModels
import Foundation
import PredicateFormat

/// Expressions: constants, functions, key paths, and aggregates over destinations.
@_spi(Engines) extension PredicateCompiler {
  /// The operand for an expression; nil if SQL can't compute it, or doesn't compare its values as in memory.
  public func operand(_ tree: ExpressionTree, _ scope: SQLScope<Row>) -> SQLOperand? {
    if let known = meaning(tree, self) { return known }
    switch tree {
    case .evaluatedObject, .variable: return scope.row(of: tree).map { key(of: $0) }
    case .constant(let value): return constant(value)
    case .function(let function):
      return attempt { dateArithmetic(function, scope) ?? self.function(function, scope) }
    case .keyPath(let path):
      let keys = path.path.pathKeys[...]
      if case .subquery = path.operand {
        return attempt { aggregate(of: path.operand, keys, scope) }
      }
      if let place = keys.firstIndex(where: { $0.hasPrefix("@") }), place > 0 {
        // Behind a to-one relationship that is nil the collection is empty: the count is 0, not null.
        let collection = ExpressionTree.KeyPath(
          keys[..<place].joined(separator: "."), from: path.operand)
        return attempt { aggregate(of: .keyPath(collection), keys[place...], scope) }
      }
      guard let row = scope.row(of: path.operand) else { return nil }
      return attempt { self.path(keys, row: row) }
    default: return nil
    }
  }

  /// `FUNCTION(date, "dateByAddingTimeInterval:", seconds)` and `FUNCTION(date, "timeIntervalSinceDate:", other)`, which
  /// are sums and differences.
  private func dateArithmetic(
    _ function: ExpressionTree.Function, _ scope: SQLScope<Row>
  ) -> SQLOperand? {
    let methods = [
      "dateByAddingTimeInterval:": "add:to:", "timeIntervalSinceDate:": "from:subtract:",
    ]
    guard function.arguments.count == 1, let sum = methods[function.selector],
      operand(function.operand, scope)?.type == .date,
      let argument = operand(function.arguments[0], scope),
      (argument.type == .date) == (function.selector == "timeIntervalSinceDate:")
    else { return nil }
    return self.function(
      ExpressionTree.Function(sum, [function.operand, function.arguments[0]]), scope)
  }

  /// `@count`, `@sum.x`, `@avg.x`, `@min.x`, `@max.x` over a collection of objects.
  private func aggregate(
    of collection: ExpressionTree, _ keys: ArraySlice<String>, _ scope: SQLScope<Row>
  ) -> SQLOperand? {
    guard let operation = keys.first, let rows = rows(collection, scope), rows.rest.isEmpty else {
      return nil
    }
    let path = keys.dropFirst()
    if operation == "@count" { return path.isEmpty ? count(rows) : nil }
    guard !path.isEmpty, let value = self.path(path, row: rows.row) else { return nil }
    return aggregate(String(operation.dropFirst()), of: value, from: "FROM \(source(rows))")
  }

  /// The number of a collection's rows.
  public func count(_ rows: SQLRows<Row>) -> SQLOperand {
    SQLOperand("(SELECT count(*) FROM \(source(rows)))", .integer)
  }

  // MARK: Groups

  /// The operand for an aggregate function in a statement over groups; nil for other expressions.
  public func aggregate(_ tree: ExpressionTree, in plan: DictionaryPlan) -> SQLOperand? {
    guard let (function, argument) = plan.aggregate(tree) else { return nil }
    if function == .count, argument == .evaluatedObject || argument == .key("objectID") {
      return SQLOperand("count(*)", .integer)
    }
    let value = withMeaning({ _, _ in nil }) { operand(argument, scope) }
    return value.flatMap { grouped(function, of: $0) }
  }

  /// The operand for a result column with a name, or with a variable of that name, in predicates over groups and in
  /// sort descriptors.
  public func column(_ tree: ExpressionTree, in plan: DictionaryPlan) -> SQLOperand? {
    let name: String
    switch tree {
    case .keyPath(let path) where path.operand == .evaluatedObject: name = path.path
    case .variable(let variable): name = variable
    default: return nil
    }
    guard let column = plan.column(named: name), column.value != tree else { return nil }
    return withMeaning({ $1.aggregate($0, in: plan) }) { operand(column.value, scope) }
  }

  /// The result of a closure in which expressions have another meaning.
  private func withMeaning<Result>(
    _ inner: @escaping (ExpressionTree, Self) -> SQLOperand?, _ body: () -> Result
  ) -> Result {
    let outer = meaning
    meaning = inner
    defer { meaning = outer }
    return body()
  }
}
