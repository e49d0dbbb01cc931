import DataModels
import Foundation

/// Checks of relationships: keys, join tables, inverses, positions.
extension StoreCheck {
  mutating func checkToOnes() throws {
    for entity in schema.entities where columns[entity.table] != nil {
      for (name, toOne) in entity.toOnes.sorted(by: { $0.key < $1.key })
      where declares(entity, name) && has(entity.table, toOne.key) {
        guard let target = schema[number: toOne.destination], has(target.table, "Z_PK") else {
          continue
        }
        let rows = "SELECT a.Z_PK FROM \(entity.table) a"
        let ours = isKind(entity, "a")
        try addRows(
          .danglingKey, in: entity.name, at: name, "the key refers to no row",
          sql: "\(rows) WHERE \(ours) AND a.\(toOne.key) IS NOT NULL "
            + "AND a.\(toOne.key) NOT IN (SELECT Z_PK FROM \(target.table))")
        try addRows(
          .targetEntity, in: entity.name, at: name,
          "the row it refers to isn't of the entity \(target.name)",
          sql: "\(rows) JOIN \(target.table) b ON a.\(toOne.key) = b.Z_PK "
            + "WHERE \(ours) AND NOT (\(isKind(target, "b")))")
        guard let column = toOne.targetEntity, has(entity.table, column) else { continue }
        try addRows(
          .targetEntity, in: entity.name, at: name,
          "\(column) isn't the entity of the row it refers to",
          sql: "\(rows) JOIN \(target.table) b ON a.\(toOne.key) = b.Z_PK "
            + "WHERE \(ours) AND a.\(column) IS NOT b.Z_ENT")
        try addRows(
          .targetEntity, in: entity.name, at: name,
          "only one of \(toOne.key) and \(column) has a value",
          sql: "\(rows) WHERE \(ours) AND (a.\(toOne.key) IS NULL) <> (a.\(column) IS NULL)")
      }
    }
  }

  /// Checks the columns of to-many relationships without inverses, which lead from each member to its owner.
  mutating func checkHiddenKeys() throws {
    for entity in schema.entities where columns[entity.table] != nil {
      for (name, storage) in entity.toManys.sorted(by: { $0.key < $1.key })
      where declares(entity, name) {
        guard case .key(let key, _, _, let destination) = storage,
          entity.description.relationshipsByName[name]?.inverseRelationship == nil,
          let target = schema[number: destination], has(target.table, key),
          has(entity.table, "Z_PK")
        else { continue }
        try addRows(
          .danglingKey, in: target.name, at: key,
          "the key refers to no row: the owner of \(entity.name).\(name) is missing",
          sql: "SELECT Z_PK FROM \(target.table) WHERE \(key) IS NOT NULL "
            + "AND \(key) NOT IN (SELECT Z_PK FROM \(entity.table))")
      }
    }
  }

  /// Checks one-to-one relationships, which are stored at both ends; all others are stored at one end and can't be
  /// inconsistent.
  mutating func checkInverses() throws {
    for entity in schema.entities where columns[entity.table] != nil {
      for (name, toOne) in entity.toOnes.sorted(by: { $0.key < $1.key })
      where declares(entity, name) && has(entity.table, toOne.key) {
        guard
          let inverse = entity.description.relationshipsByName[name]?.inverseRelationship,
          !inverse.isToMany, let target = schema[number: toOne.destination],
          let back = target.toOnes[inverse.name], has(target.table, back.key)
        else { continue }
        try addRows(
          .inverse, in: entity.name, at: name, "the \(target.name) it refers to doesn't refer back",
          sql:
            "SELECT a.Z_PK FROM \(entity.table) a JOIN \(target.table) b ON a.\(toOne.key) = b.Z_PK "
            + "WHERE \(isKind(entity, "a")) AND b.\(back.key) IS NOT a.Z_PK")
      }
    }
  }

  mutating func checkJoins() throws {
    for join in schema.joinTables where has(join.name, join.ownerKey, join.inverseKey) {
      guard let owner = schema[number: join.ownerNumber],
        let inverse = schema[number: join.inverseOwnerNumber],
        has(owner.table, "Z_PK"), has(inverse.table, "Z_PK")
      else { continue }
      try addRows(
        .joinKey, in: owner.name, at: join.relationship, "\(join.name): a key is missing",
        sql: "SELECT coalesce(\(join.ownerKey), \(join.inverseKey)) FROM \(join.name) "
          + "WHERE \(join.ownerKey) IS NULL OR \(join.inverseKey) IS NULL")
      for (key, entity) in [(join.ownerKey, owner), (join.inverseKey, inverse)] {
        try addRows(
          .danglingJoin, in: owner.name, at: join.relationship,
          "\(join.name).\(key) refers to no row of \(entity.table)",
          sql: "SELECT \(key) FROM \(join.name) WHERE \(key) IS NOT NULL "
            + "AND \(key) NOT IN (SELECT Z_PK FROM \(entity.table))")
        try addRows(
          .targetEntity, in: owner.name, at: join.relationship,
          "\(join.name).\(key) refers to a row that isn't of the entity \(entity.name)",
          sql: "SELECT j.\(key) FROM \(join.name) j JOIN \(entity.table) b ON j.\(key) = b.Z_PK "
            + "WHERE NOT (\(isKind(entity, "b")))")
      }
    }
  }

  mutating func checkMemberCounts() throws {
    for entity in concreteEntities {
      for (name, storage) in entity.toManys.sorted(by: { $0.key < $1.key }) {
        guard let relationship = entity.description.relationshipsByName[name],
          let source = memberSource(storage)
        else { continue }
        let least = relationship.minCount
        let most = relationship.maxCount
        let count = "(SELECT count(*) FROM \(source) = a.Z_PK)"
        let rows = "SELECT a.Z_PK FROM \(entity.table) a WHERE a.Z_ENT = \(entity.number)"
        if least > 0 {
          // An optional relationship may be empty, whatever its minimum count is.
          let isEmpty = relationship.isOptional ? " AND \(count) > 0" : ""
          try addRows(
            .memberCount, in: entity.name, at: name, "there are fewer than \(least) objects",
            sql: "\(rows) AND \(count) < \(least)\(isEmpty)")
        }
        if most > 1 {
          try addRows(
            .memberCount, in: entity.name, at: name, "there are more than \(most) objects",
            sql: "\(rows) AND \(count) > \(most)")
        }
      }
    }
  }

  /// `TABLE WHERE column`, to be followed by `= key`: the members of a to-many relationship.
  private func memberSource(_ storage: SchemaEntity.ToMany) -> String? {
    switch storage {
    case .key(let key, _, _, let destination):
      guard let table = schema[number: destination]?.table, has(table, key) else { return nil }
      return "\(table) WHERE \(key)"
    case .join(let index, _, _):
      let join = schema.joinTables[index]
      // Rows of a relationship that is its own inverse represent both directions.
      guard !join.isReflexive, has(join.name, join.ownerKey, join.inverseKey) else { return nil }
      return "\(join.name) WHERE \(storage.ownKey(join))"
    }
  }

  mutating func checkOrder() throws {
    for entity in schema.entities where columns[entity.table] != nil {
      for (name, storage) in entity.toManys.sorted(by: { $0.key < $1.key })
      where declares(entity, name)
        && entity.description.relationshipsByName[name]?.isOrdered == true
      {
        switch storage {
        case .key(let key, _, let order?, let destination):
          guard let target = schema[number: destination], has(target.table, key, order) else {
            continue
          }
          try addRows(
            .orderKey, in: entity.name, at: name,
            "only one of \(target.table).\(key) and \(order) has a value",
            sql: "SELECT Z_PK FROM \(target.table) WHERE (\(key) IS NULL) <> (\(order) IS NULL)")
          try addRows(
            .orderTie, in: entity.name, at: name,
            "another member of the same object has the same position",
            sql:
              "SELECT Z_PK FROM \(target.table) WHERE (\(key), \(order)) IN (SELECT \(key), \(order) "
              + "FROM \(target.table) WHERE \(key) IS NOT NULL GROUP BY 1, 2 HAVING count(*) > 1)")
        case .join(let index, _, _):
          let join = schema.joinTables[index]
          let own = storage.ownKey(join)
          guard let order = storage.order(join), has(join.name, own, order) else { continue }
          try addRows(
            .orderKey, in: entity.name, at: name, "members have no position in \(join.name)",
            sql: "SELECT \(own) FROM \(join.name) WHERE \(order) IS NULL")
          try addRows(
            .orderTie, in: entity.name, at: name,
            "another member of the same object has the same position",
            sql: "SELECT \(own) FROM \(join.name) WHERE \(order) IS NOT NULL "
              + "GROUP BY \(own), \(order) HAVING count(*) > 1")
        default: continue
        }
      }
    }
  }
}
