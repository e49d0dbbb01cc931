import DataModels
import Foundation
import PredicateFormat

/// Key paths: columns and columns of destinations, and aggregates of them.
extension PredicateSQL {
  func key(of row: Row) -> SQLOperand {
    SQLOperand("\(row.alias).Z_PK", .object(root: row.entity.rootNumber))
  }

  func path(_ keys: ArraySlice<String>, row: Row) -> SQLOperand? {
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
    if key == "self" { return path(keys.dropFirst(), row: row) }
    if let toOne = entity.toOnes[key], let target = engine.schema[number: toOne.destination] {
      let next = newRow(target)
      guard let value = path(keys.dropFirst(), row: next) else { return nil }
      return SQLOperand(
        "(SELECT \(value.sql) FROM \(target.table) \(next.alias) "
          + "WHERE \(next.alias).Z_PK = \(alias).\(toOne.key))", value.type)
    }
    return attribute(keys.joined(separator: "."), row)
  }

  private func attribute(_ path: String, _ row: Row) -> SQLOperand? {
    guard let column = row.entity.attributes[path],
      let type = row.entity.attributeType(path).flatMap(\.operandType)
    else { return nil }
    return SQLOperand("\(row.alias).\(column)", type)
  }

  // MARK: Aggregates

  /// The sum of values, 0 if there are none. Integers are summed in two halves, and their total is a double if it
  /// needs more than 64 bits; SQLite's own sum would fail then.
  static func sum(_ value: SQLOperand) -> String {
    value.type == .integer
      ? "ifnull(sum(\(value.sql) >> 32) * 4294967296 + sum(\(value.sql) & 4294967295), 0)"
      : "ifnull(sum(\(value.sql)), 0)"
  }

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

  func grouped(_ function: DictionaryPlan.Aggregate, of value: SQLOperand) -> SQLOperand? {
    switch function {
    case .count: return SQLOperand("count(\(value.sql))", .integer)
    case .sum:
      guard value.type.isComputed else { return nil }
      let type: SQLOperand.ValueType =
        switch value.type {
        case .boolean: .integer
        // Of numbers of seconds.
        case .date: .real
        default: value.type
        }
      return SQLOperand(Self.sum(value), type)
    case .average:
      guard value.type.isComputed else { return nil }
      return SQLOperand("avg(\(value.sql))", value.type == .decimal ? .decimal : .real)
    case .min, .max:
      guard value.type.isOrdered else { return nil }
      return SQLOperand("\(function == .min ? "min" : "max")(\(value.sql))", value.type)
    }
  }
}
