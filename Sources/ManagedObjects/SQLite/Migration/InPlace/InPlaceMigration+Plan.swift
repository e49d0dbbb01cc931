import DataModels

/// The plan of which tables are kept and which are rebuilt.
extension InPlaceMigration {
  /// The tables of the new schema that must be created.
  struct Plan {
    /// The entity tables to rebuild.
    var tables: [SchemaTable] = []
    /// The join tables to rebuild.
    var joins: [JoinTable] = []
    /// The names of tables that are kept.
    var kept: Set<String> = []

    /// Whether an entity's table is rebuilt.
    func remakes(_ table: String) -> Bool { !kept.contains(table) }
  }

  func tablePlan() throws -> Plan {
    var plan = Plan()
    for table in new.tables {
      if try stays(table) { plan.kept.insert(table.name) } else { plan.tables.append(table) }
    }
    for join in new.joinTables {
      if stays(join) { plan.kept.insert(join.name) } else { plan.joins.append(join) }
    }
    return plan
  }

  /// Whether a table's rows can stay: same columns, same numbers, nothing to compute.
  private func stays(_ table: SchemaTable) throws -> Bool {
    guard let before = old.table(table.name), before.rootNumber == table.rootNumber,
      before.inlineUniques == table.inlineUniques, before.columns.count == table.columns.count,
      let oldRoot = old[number: before.rootNumber], let newRoot = new[number: table.rootNumber],
      oldRoot.numbers == newRoot.numbers
    else { return false }
    for (left, right) in zip(before.columns, table.columns) {
      guard left.name == right.name, left.declaredType == right.declaredType,
        left.content == right.content, left.entityNumber == right.entityNumber
      else { return false }
    }
    for number in newRoot.numbers {
      guard let pair = pairsByNew[number], pair.old.number == number, pair.shift == 0 else {
        return false
      }
      // Values of what an entity no longer has would come back with it in a later version.
      guard columns(of: pair.old).isSubset(of: columns(of: pair.new)) else { return false }
      for (name, column) in pair.new.attributes {
        guard try valueExpression(of: name, column: column, in: pair) == "s.\(column)" else {
          return false
        }
      }
      for (name, toOne) in pair.new.toOnes {
        guard let direct = directKeys(of: name, toOne, in: pair), direct.isPlain,
          direct.key == "s.\(toOne.key)", direct.entity == toOne.targetEntity.map({ "s.\($0)" })
        else { return false }
      }
    }
    // Hidden keys and positions belong to relationships of other entities.
    for column in table.columns where column.isOfOtherSide {
      guard isSameOnOtherSide(column) else { return false }
    }
    return true
  }

  /// The columns of an entity's own attributes and to-one relationships, own and inherited.
  private func columns(of entity: SchemaEntity) -> Set<String> {
    Set(entity.attributes.values)
      .union(entity.toOnes.values.flatMap { [$0.key, $0.targetEntity].compactMap(\.self) })
  }

  /// A to-many relationship of an entity whose members are in rows with a certain column.
  private struct ColumnUser: Hashable {
    let entity: Int
    let relationship: String
    /// The entities of the members.
    let members: ClosedRange<Int>?
  }

  private func users(of column: SchemaColumn, in schema: StoreSchema) -> Set<ColumnUser> {
    var users: Set<ColumnUser> = []
    for entity in schema.entities {
      for (name, storage) in entity.toManys {
        guard case .key(let key, let target, let order, let destination) = storage,
          [key, target, order].contains(column.name)
        else { continue }
        users.insert(
          ColumnUser(
            entity: entity.number, relationship: name, members: schema[number: destination]?.numbers
          ))
      }
    }
    return users
  }

  /// Whether the to-many relationship of a hidden key or a position continues unchanged, with the same owners and
  /// members.
  private func isSameOnOtherSide(_ column: SchemaColumn) -> Bool {
    let users = users(of: column, in: new)
    guard users == self.users(of: column, in: old) else { return false }
    return users.allSatisfy { user in
      let name = user.relationship
      guard let pair = pairsByNew[user.entity], pair.shift == 0,
        pair.old.number == user.entity, pair.relationships[name] == name,
        pair.old.toManys[name] == pair.new.toManys[name]
      else { return false }
      return true
    }
  }

  private func stays(_ join: JoinTable) -> Bool {
    guard let before = old.joinTables.first(where: { $0.name == join.name }),
      before.ownerKey == join.ownerKey, before.inverseKey == join.inverseKey,
      before.ownerOrder == join.ownerOrder, before.inverseOrder == join.inverseOrder,
      before.relationship == join.relationship, before.inverse == join.inverse,
      before.ownerNumber == join.ownerNumber, before.inverseOwnerNumber == join.inverseOwnerNumber
    else { return false }
    return [join.ownerNumber, join.inverseOwnerNumber].allSatisfy { number in
      guard let before = old[number: number], let after = new[number: number],
        before.numbers == after.numbers
      else { return false }
      return after.numbers.allSatisfy { number in
        guard let pair = pairsByNew[number], pair.old.number == number, pair.shift == 0 else {
          return false
        }
        return [join.relationship, join.inverse].allSatisfy { name in
          pair.new.toManys[name] == nil || pair.relationships[name] == name
        }
      }
    }
  }

  // MARK: Old and new tables

  /// Renames every old table that isn't kept, and creates the new ones.
  func setAside(_ plan: Plan) throws {
    let tables = old.tables.map(\.name) + old.joinTables.map(\.name)
    for name in tables where plan.remakes(name) {
      try connection.execute("ALTER TABLE \(name) RENAME TO _T_\(name)")
      presentNames[name] = "_T_\(name)"
    }
    for table in plan.tables { try connection.execute(table.createStatement) }
    for join in plan.joins { try connection.execute(join.createStatement) }
  }

  func dropSetAside() throws {
    for name in presentNames.values.sorted() { try connection.execute("DROP TABLE \(name)") }
    presentNames = [:]
  }
}

extension SchemaColumn {
  /// Whether the column belongs to a relationship of another entity.
  var isOfOtherSide: Bool {
    switch content {
    case .orderKey: true
    // The names of hidden keys begin with a number; those of properties don't.
    case .foreignKey(let name), .targetEntity(let name): name.first?.isNumber ?? false
    default: false
    }
  }
}
