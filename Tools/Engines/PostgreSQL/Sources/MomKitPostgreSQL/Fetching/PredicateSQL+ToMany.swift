import DataModels
@_spi(Engines) import MomKit
import PredicateFormat
import RelationalSchemas

/// Collections of objects: to-many relationships.
extension PredicateSQL {
  func rows(of keys: ArraySlice<String>, row: Row) -> SQLRows<Row>? {
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
      return SQLRows(
        row: made, condition: condition, rest: Array(keys.dropFirst(index + 1)),
        keepsDuplicates: true)
    }
    return nil
  }
}
