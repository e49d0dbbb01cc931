import DataModels
import Foundation
import PredicateFormat

/// Key paths: columns, columns of destinations, and aggregates over destinations.
extension PredicateSQL {
  /// The operand for an expression; nil if SQL can't compute it, or doesn't compare its values as in memory.
  func operand(_ tree: ExpressionTree, _ scope: SQLScope) -> SQLOperand? {
    if let known = meaning(tree, self) { return known }
    switch tree {
    case .evaluatedObject: return key(of: scope.row)
    case .variable(let name): return scope.variables[name].map { key(of: $0) }
    case .constant(let value): return constant(value)
    case .function(let function): return attempt { self.function(function, scope) }
    case .keyPath(let path):
      let keys = path.path.split(separator: ".").map(String.init)[...]
      if case .subquery = path.operand {
        return attempt { aggregate(of: path.operand, keys, scope) }
      }
      if let place = keys.firstIndex(where: { $0.hasPrefix("@") }), place > 0 {
        // Behind a to-one relationship that is nil the collection is empty: the count is 0, not null.
        let collection = ExpressionTree.KeyPath(
          keys[..<place].joined(separator: "."), from: path.operand)
        return attempt { aggregate(of: .keyPath(collection), keys[place...], scope) }
      }
      guard let row = row(of: path.operand, scope) else { return nil }
      return attempt { self.path(keys, row: row, in: scope) }
    default: return nil
    }
  }

  private func key(of row: SQLScope.Row) -> SQLOperand {
    SQLOperand("\(row.alias).Z_PK", .object(root: row.entity.rootNumber))
  }

  /// The row that an expression represents.
  func row(of tree: ExpressionTree, _ scope: SQLScope) -> SQLScope.Row? {
    switch tree {
    case .evaluatedObject: scope.row
    case .variable(let name): scope.variables[name]
    default: nil
    }
  }

  /// The value at the end of a path from a row.
  func path(_ keys: ArraySlice<String>, row: SQLScope.Row, in scope: SQLScope) -> SQLOperand? {
    guard let key = keys.first else { return nil }
    let (alias, entity) = (row.alias, row.entity)
    if keys.count == 1 {
      switch key {
      case "self", "objectID": return self.key(of: row)
      case "entity": return SQLOperand("\(alias).Z_ENT", .entity)
      default: break
      }
      if let toOne = entity.toOnes[key], let target = engine.schema[number: toOne.destination] {
        return SQLOperand("\(alias).\(toOne.key)", .object(root: target.rootNumber))
      }
      return attribute(key, row)
    }
    if key == "self" { return path(keys.dropFirst(), row: row, in: scope) }
    if let toOne = entity.toOnes[key], let target = engine.schema[number: toOne.destination] {
      let next = newRow(target)
      guard let value = path(keys.dropFirst(), row: next, in: scope) else { return nil }
      return SQLOperand(
        "(SELECT \(value.sql) FROM \(target.table) \(next.alias) "
          + "WHERE \(next.alias).Z_PK = \(alias).\(toOne.key))", value.type)
    }
    return attribute(keys.joined(separator: "."), row)
  }

  private func attribute(_ path: String, _ row: SQLScope.Row) -> SQLOperand? {
    guard let column = row.entity.attributes[path],
      let type = row.entity.attributeType(path).flatMap(\.operandType)
    else { return nil }
    return SQLOperand("\(row.alias).\(column)", type)
  }

  // MARK: Aggregates

  /// `@count`, `@sum.x`, `@avg.x`, `@min.x`, `@max.x` over a collection of objects.
  private func aggregate(
    of collection: ExpressionTree, _ keys: ArraySlice<String>, _ scope: SQLScope
  ) -> SQLOperand? {
    guard let operation = keys.first, let rows = rows(collection, scope), rows.rest.isEmpty else {
      return nil
    }
    let path = keys.dropFirst()
    if operation == "@count" {
      return path.isEmpty
        ? SQLOperand("(SELECT count(*) FROM \(rows.from))", .integer) : nil
    }
    guard !path.isEmpty, let value = self.path(path, row: rows.row, in: scope) else { return nil }
    return aggregate(String(operation.dropFirst()), of: value, from: "FROM \(rows.from)")
  }

  /// The sum of values, 0 if there are none. Integers are summed in two halves, and their total is a double if it
  /// needs more than 64 bits; SQLite's own sum would fail then.
  static func sum(_ value: SQLOperand) -> String {
    value.type == .integer
      ? "ifnull(sum(\(value.sql) >> 32) * 4294967296 + sum(\(value.sql) & 4294967295), 0)"
      : "ifnull(sum(\(value.sql)), 0)"
  }

  /// The value of an aggregate, with nil counted as 0, as in memory.
  func aggregate(_ operation: String, of value: SQLOperand, from: String) -> SQLOperand? {
    switch operation {
    case "sum":
      guard value.type.isNumeric, value.type != .decimal else { return nil }
      return SQLOperand(
        "(SELECT \(Self.sum(value)) \(from))", value.type == .real ? .real : .integer)
    case "avg":
      guard value.type.isNumeric, value.type != .decimal else { return nil }
      return SQLOperand(
        "(SELECT ifnull(total(\(value.sql)) / count(*), 0) \(from))", .real)
    case "min", "max":
      guard value.type.isOrdered else { return nil }
      return SQLOperand("(SELECT \(operation)(\(value.sql)) \(from))", value.type)
    default: return nil
    }
  }
}
