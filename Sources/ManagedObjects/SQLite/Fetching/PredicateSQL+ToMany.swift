import DataModels
import Foundation
import PredicateFormat

/// Collections of objects: to-many relationships.
extension PredicateSQL {
  func from(_ row: Row) -> String { "\(row.entity.table) \(row.alias)" }

  func rows(of keys: ArraySlice<String>, row: Row) -> SQLRows<Row>? {
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
      let owner = before.isEmpty ? "\(row.alias).Z_PK" : path(before, row: row)?.sql
      guard let owner else { return nil }
      let made = newRow(target)
      return SQLRows(
        row: made, condition: storage.condition(of: owner, as: made.alias, engine.schema),
        rest: Array(keys.dropFirst(index + 1)),
        keepsDuplicates: entity.description.relationshipsByName[key]?.isOrdered ?? false)
    }
    return nil
  }
}

extension SchemaEntity.ToMany {
  /// `ZTABLE alias WHERE …` for the destinations of the object with the key `key`.
  func rows(of key: String, as alias: String, _ schema: StoreSchema) -> String {
    let table = schema[number: destinationNumber]?.table ?? ""
    return "\(table) \(alias) WHERE \(condition(of: key, as: alias, schema))"
  }

  /// The condition that a row of the destination's table meets if it belongs to the object with the key `key`.
  func condition(of key: String, as alias: String, _ schema: StoreSchema) -> String {
    switch self {
    case .key(let column, _, _, _): return "\(alias).\(column) = \(key)"
    case .join(let index, let isOwner, _):
      let join = schema.joinTables[index]
      let (own, other) =
        isOwner ? (join.ownerKey, join.inverseKey) : (join.inverseKey, join.ownerKey)
      let mirrored =
        join.isReflexive ? " UNION SELECT \(own) FROM \(join.name) WHERE \(other) = \(key)" : ""
      return "\(alias).Z_PK IN (SELECT \(other) FROM \(join.name) "
        + "WHERE \(own) = \(key)\(mirrored))"
    }
  }
}
