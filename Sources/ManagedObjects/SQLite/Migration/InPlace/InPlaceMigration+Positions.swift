import DataModels

/// Positions in ordered relationships.
extension InPlaceMigration {
  /// Copies positions, and numbers the members of relationships that weren't ordered before.
  func fillPositions(_ plan: Plan) throws {
    for table in plan.tables {
      for column in table.columns {
        guard case .orderKey(let relationship) = column.content,
          let entity = new[number: column.entityNumber]
        else { continue }
        if let toOne = entity.toOnes[relationship] {
          try carryPositions(column.name, of: relationship, toOne, in: entity)
        }
        let key = table.columns.first { $0.content == .foreignKey(relationship: relationship) }
        guard let key else { continue }
        try number(column.name, in: table.name, by: key.name, then: "Z_PK")
      }
    }
    for join in plan.joins {
      if let order = join.ownerOrder {
        try number(order, in: join.name, by: join.inverseKey, then: join.ownerKey)
      }
      if let order = join.inverseOrder {
        try number(order, in: join.name, by: join.ownerKey, then: join.inverseKey)
      }
    }
  }

  /// Copies positions from the old rows: those of an old to-many relationship are in the members' rows.
  private func carryPositions(
    _ column: String, of relationship: String, _ toOne: SchemaEntity.ToOne,
    in entity: SchemaEntity
  ) throws {
    guard let inverse = entity.description.relationshipsByName[relationship]?.inverseRelationship,
      let target = new[number: toOne.destination]
    else { return }
    for member in entity.numbers {
      guard let pair = pairsByNew[member] else { continue }
      for number in target.numbers {
        guard let owner = pairsByNew[number], let oldName = owner.relationships[inverse.name],
          case .key(_, _, let order?, let destination)? = owner.old.toManys[oldName],
          old[number: destination]?.table == pair.old.table
        else { continue }
        let shift = pair.shift == 0 ? "" : " + \(pair.shift)"
        try connection.execute(
          "UPDATE \(entity.table) SET \(column) = s.\(order) FROM \(presentName(pair.old.table)) s "
            + "WHERE \(entity.table).Z_PK = s.Z_PK\(shift) AND s.Z_ENT = \(pair.old.number) "
            + "AND \(entity.table).Z_ENT = \(pair.new.number)")
        break
      }
    }
  }

  /// Numbers the members of owners without any positions, in key order.
  private func number(
    _ order: String, in table: String, by owner: String, then member: String
  ) throws {
    try connection.execute(
      "UPDATE \(table) SET \(order) = x.n FROM (SELECT rowid r, 1024 + 1024 * row_number() OVER "
        + "(PARTITION BY \(owner) ORDER BY \(member)) n FROM \(table) WHERE \(owner) IS NOT NULL "
        + "AND \(owner) NOT IN (SELECT \(owner) FROM \(table) WHERE \(order) IS NOT NULL "
        + "AND \(owner) IS NOT NULL)) x WHERE x.r = \(table).rowid")
  }
}
