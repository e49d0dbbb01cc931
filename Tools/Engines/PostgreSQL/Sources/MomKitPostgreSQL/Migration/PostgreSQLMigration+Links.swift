import DataModels
import MomKit
import RelationalSchemas

/// Relationships, whatever used to keep their links.
extension PostgreSQLMigration {
  /// Where the keys of a to-one relationship come from, and the positions beside them: SQL in terms of the old row `s`
  /// and what is joined to it.
  struct KeySource {
    let key: String
    var position: String?
    var join = ""
  }

  /// Returns the source of a to-one relationship's keys, or nil if there are none.
  ///
  /// - Throws: an error if there are several links where the relationship keeps one.
  func keySource(
    of property: String, _ pair: MigrationMapping.Pair, alias: String
  ) throws -> KeySource? {
    let oldTable = mapping.old.table(of: pair.old)
    if let origin = pair.properties[property], let index = pair.old.columns[origin] {
      guard let shift = shift(of: property, origin, pair) else { return nil }
      let column = oldTable.columns[index]
      return KeySource(
        key: "s.\(SQL.quoted(column.name)) + \(shift)",
        position: positionColumn(beside: index, of: pair.old.table, in: mapping.old).map {
          "s.\($0)"
        })
    }
    guard let links = links(of: property, pair) else { return nil }
    var rows = "(\(links)) l JOIN \(place(oldTable.name)) s ON s.\(SQL.key) = l.m"
    if oldTable.entityType != nil {
      rows += " AND s.\(SQL.entity) = \(SQL.label(pair.old.name))"
    }
    // All but one of several would be lost.
    let several = "SELECT 1 FROM \(rows) GROUP BY l.m HAVING count(*) > 1 LIMIT 1"
    if try integer(several) != nil {
      throw refusal(
        "Objects of \(pair.old.name) are related to several others by '\(property)' of \(pair.new.name), which "
          + "can hold only one.", ["entity": pair.new.name, "relationship": property])
    }
    return KeySource(
      key: "\(alias).o", position: "\(alias).p",
      join: " LEFT JOIN (\(links)) \(alias) ON \(alias).m = s.\(SQL.key)")
  }

  /// Returns the links of a to-one relationship whose keys no column has had: those that its inverse continues, or nil
  /// if there are none. They have the new key `o` of the relationship's destination, the old key `m` of the row, and the
  /// position `p` of the row among those of the destination.
  private func links(of property: String, _ pair: MigrationMapping.Pair) -> String? {
    let relationship = mapping.newModel.entitiesByName[pair.new.name]?.relationshipsByName[property]
    guard let inverse = relationship?.inverseRelationship,
      let target = relationship?.destinationEntity?.name.flatMap({ mapping.new.entities[$0] })
    else { return nil }
    var links: [String] = []
    for other in mapping.pairs where target.rowEntities.contains(other.new.name) {
      guard let origin = other.properties[inverse.name],
        destination(of: origin, other.old)?.table == pair.old.table,
        let pairs = oldPairs(origin, other.old)
      else { continue }
      let table = mapping.old.table(of: other.old)
      var sql = "SELECT p.o + \(shift(of: other)) AS o, p.m, p.p FROM (\(pairs)) p "
      sql += "JOIN \(place(table.name)) a ON a.\(SQL.key) = p.o"
      if table.entityType != nil {
        sql += " AND a.\(SQL.entity) = \(SQL.label(other.old.name))"
      }
      links.append(sql)
    }
    return links.isEmpty ? nil : links.joined(separator: " UNION ALL ")
  }

  /// Returns the column of the positions that accompany a to-one relationship's keys.
  ///
  /// - Parameters:
  ///   - column: the index of the keys' column.
  ///   - table: the index of its table.
  func positionColumn(
    beside column: Int, of table: Int, in schema: RelationalSchema
  ) -> String? {
    // By the relationship that they order, because long names are shortened.
    let positions = schema.entities.values.lazy.flatMap(\.toManys.values).compactMap { storage in
      if case .key(table, column, let position) = storage { position } else { nil }
    }
    return positions.min().map { SQL.quoted(schema.tables[table].columns[$0].name) }
  }

  /// Returns the offset for the keys of a pair's rows.
  func shift(of pair: MigrationMapping.Pair) -> Int64 {
    shifts[Route(old: pair.old.table, new: pair.new.table)] ?? 0
  }

  /// Returns the entity that an old relationship leads to.
  private func destination(of name: String, _ entity: RelationalEntity) -> RelationalEntity? {
    mapping.oldModel.entitiesByName[entity.name]?.relationshipsByName[name]?.destinationEntity?.name
      .flatMap { mapping.old.entities[$0] }
  }

  /// Returns the offset for the keys of a relationship's destinations, or nil if they no longer exist.
  func shift(
    of property: String, _ origin: String, _ pair: MigrationMapping.Pair
  ) -> Int64? {
    let new = mapping.newModel.entitiesByName[pair.new.name]?.relationshipsByName[property]
    guard let newEntity = new?.destinationEntity?.name.flatMap({ mapping.new.entities[$0] }),
      let oldEntity = destination(of: origin, pair.old)
    else { return nil }
    return shifts[Route(old: oldEntity.table, new: newEntity.table)]
  }

  /// Returns the pairs of an old relationship: owner `o`, member `m`, and the member's position `p`.
  private func oldPairs(_ name: String, _ entity: RelationalEntity) -> String? {
    let table = mapping.old.table(of: entity)
    if let column = entity.columns[name] {
      let name = SQL.quoted(table.columns[column].name)
      return "SELECT \(SQL.key) AS o, \(name) AS m, NULL::bigint AS p FROM \(place(table.name)) "
        + "WHERE \(name) IS NOT NULL"
    }
    switch entity.toManys[name] {
    case .key(let target, let column, let position)?:
      let members = mapping.old.tables[target]
      let key = SQL.quoted(members.columns[column].name)
      let order = position.map { SQL.quoted(members.columns[$0].name) } ?? "NULL::bigint"
      return "SELECT \(key) AS o, \(SQL.key) AS m, \(order) AS p FROM \(place(members.name)) "
        + "WHERE \(key) IS NOT NULL"
    case .join(let index, let isOwner)?:
      let join = mapping.old.joinTables[index]
      let order = join.position(isOwner: isOwner).map(SQL.quoted) ?? "NULL::bigint"
      return "SELECT \(SQL.quoted(join.ownColumn(isOwner: isOwner))) AS o, "
        + "\(SQL.quoted(join.otherColumn(isOwner: isOwner))) AS m, \(order) AS p "
        + "FROM \(place(join.name))"
    case nil: return nil
    }
  }

  /// Clears references to rows that weren't kept.
  func clearLostReferences() throws {
    for table in mapping.new.tables {
      for column in table.columns {
        guard case .toOne(let target, _) = column.kind,
          !kept.contains(table.name) || !kept.contains(target)
        else { continue }
        let name = SQL.quoted(column.name)
        try connection.execute(
          "UPDATE \(SQL.quoted(table.name)) t SET \(name) = NULL WHERE \(name) IS NOT NULL AND NOT EXISTS "
            + "(SELECT 1 FROM \(SQL.quoted(target)) d WHERE d.\(SQL.key) = t.\(name))")
      }
    }
  }

  // MARK: Pairs

  func copyPairs(of join: RelationalJoinTable, _ index: Int) throws {
    for pair in mapping.pairs {
      for (name, storage) in pair.new.toManys.sorted(by: { $0.key < $1.key }) {
        guard case .join(index, let isOwner) = storage, let origin = pair.properties[name],
          let pairs = oldPairs(origin, pair.old), let shift = shift(of: name, origin, pair)
        else { continue }
        let own = self.shift(of: pair)
        let position = join.position(isOwner: isOwner).map(SQL.quoted)
        let columns = [
          SQL.quoted(join.ownColumn(isOwner: isOwner)),
          SQL.quoted(join.otherColumn(isOwner: isOwner)),
        ]
        let owners = SQL.quoted(isOwner ? join.ownerTable : join.memberTable)
        let members = SQL.quoted(isOwner ? join.memberTable : join.ownerTable)
        var sql =
          "INSERT INTO \(SQL.quoted(join.name)) (\((columns + [position].compactMap { $0 }).joined(separator: ", "))) "
        sql +=
          "SELECT p.o + \(own), p.m + \(shift)\(position == nil ? "" : ", p.p") FROM (\(pairs)) p "
        sql +=
          "JOIN \(owners) a ON a.\(SQL.key) = p.o + \(own) JOIN \(members) b ON b.\(SQL.key) = p.m + \(shift) "
        sql += "ON CONFLICT (\(columns.joined(separator: ", "))) DO "
        sql += position.map { "UPDATE SET \($0) = excluded.\($0)" } ?? "NOTHING"
        try connection.execute(sql)
      }
    }
  }
}
