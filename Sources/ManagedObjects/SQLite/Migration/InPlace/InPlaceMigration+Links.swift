import DataModels

/// Relationships whose storage changes: the related objects are read from the old form and written in the new one.
extension InPlaceMigration {
  /// Collects the related objects of an old relationship, for rows of one entity, in `temp.Z_LINKS`: the present keys
  /// `S` and `T`, the entity `E` of `T`, and the position `P` of `T`.
  ///
  /// - Returns: whether there is such a relationship.
  private func collectLinks(_ pair: MigrationPair, _ name: String) throws -> Bool {
    guard let query = linkQuery(pair, name) else { return false }
    let shift = pair.shift == 0 ? "" : " + \(pair.shift)"
    try connection.execute(
      "DROP TABLE IF EXISTS temp.Z_LINKS; CREATE TEMP TABLE Z_LINKS AS SELECT q.S\(shift) S, "
        + "q.T + m.SHIFT T, m.NEW E, q.P P FROM (\(query)) q "
        + "JOIN temp.Z_MIGRATION m ON m.OLD = q.E")
    return true
  }

  private func linkQuery(_ pair: MigrationPair, _ name: String) -> String? {
    let source = presentName(pair.old.table)
    let own = "s.Z_ENT = \(pair.old.number)"
    func table(_ number: Int) -> String { presentName(old[number: number]?.table ?? "") }
    if let toOne = pair.old.toOnes[name] {
      return "SELECT s.Z_PK S, t.Z_PK T, t.Z_ENT E, NULL P FROM \(source) s "
        + "JOIN \(table(toOne.destination)) t ON t.Z_PK = s.\(toOne.key) WHERE \(own)"
    }
    switch pair.old.toManys[name] {
    case .key(let key, _, let order, let destination)?:
      return "SELECT s.Z_PK S, t.Z_PK T, t.Z_ENT E, \(order.map { "t.\($0)" } ?? "NULL") P "
        + "FROM \(table(destination)) t JOIN \(source) s ON s.Z_PK = t.\(key) WHERE \(own)"
    case .join(let index, _, let destination)?:
      let join = old.joinTables[index]
      guard let storage = pair.old.toManys[name] else { return nil }
      let (from, to) = (storage.ownKey(join), storage.otherKey(join))
      func select(from: String, to: String, order: String?) -> String {
        "SELECT s.Z_PK S, t.Z_PK T, t.Z_ENT E, \(order.map { "j.\($0)" } ?? "NULL") P "
          + "FROM \(presentName(join.name)) j JOIN \(source) s ON s.Z_PK = j.\(from) "
          + "JOIN \(table(destination)) t ON t.Z_PK = j.\(to) WHERE \(own)"
      }
      let straight = select(from: from, to: to, order: storage.order(join))
      return join.isReflexive
        ? "\(straight) UNION \(select(from: to, to: from, order: nil))" : straight
    case nil: return nil
    }
  }

  /// Throws if there are links to objects that the relationship can't refer to any more.
  private func checkLinks(_ name: String, _ pair: MigrationPair, to number: Int) throws {
    guard let target = new[number: number] else { return }
    let count =
      try connection.integer(
        "SELECT count(*) FROM temp.Z_LINKS WHERE E NOT BETWEEN \(target.number) AND "
          + "\(target.lastNumber)") ?? 0
    guard count == 0 else { throw misdirected(name, of: pair, to: target, count) }
  }

  /// Throws if there are links that don't fit in a single key: none may be lost.
  private func checkSingle(_ column: String, of name: String, in pair: MigrationPair) throws {
    let count =
      try connection.integer("SELECT count(*) - count(DISTINCT \(column)) FROM temp.Z_LINKS") ?? 0
    guard count == 0 else {
      throw MigrationError.failed(
        "Cannot migrate store in-place: \(count) objects are related to several others by "
          + "\(pair.new.name).\(name), which can hold only one", entity: pair.new.name,
        relationship: name)
    }
  }

  /// Throws if there are links of objects that already have another owner: none may be lost.
  private func checkFree(
    _ key: String, in table: String, of name: String, in pair: MigrationPair
  ) throws {
    let taken = try connection.integer(
      "SELECT count(*) FROM temp.Z_LINKS l JOIN \(table) t ON t.Z_PK = l.T "
        + "WHERE t.\(key) IS NOT NULL")
    guard taken == 0 else {
      throw MigrationError.failed(
        "Cannot migrate store in-place: objects are in several \(pair.new.name).\(name), each "
          + "of which can hold only one", entity: pair.new.name, relationship: name)
    }
  }

  // MARK: Keys

  /// Fills keys that don't come from a key in the same row: those of relationships that continue the inverse of an
  /// old one, and hidden keys.
  func fillForeignKeys(_ plan: Plan) throws {
    for pair in pairs where !pair.new.description.isAbstract {
      for (name, toOne) in pair.new.toOnes.sorted(by: { $0.key < $1.key })
      where plan.remakes(pair.new.table) && directKeys(of: name, toOne, in: pair) == nil {
        try fillKeyFromInverse(name, toOne, of: pair)
      }
      for (name, storage) in pair.new.toManys.sorted(by: { $0.key < $1.key }) {
        guard case .key(let key, let targetEntity, let order, let destination) = storage,
          pair.new.description.relationshipsByName[name]?.inverseRelationship == nil,
          let table = new[number: destination]?.table, plan.remakes(table),
          let oldName = pair.relationships[name], try collectLinks(pair, oldName)
        else { continue }
        try checkLinks(name, pair, to: destination)
        try checkSingle("T", of: name, in: pair)
        try checkFree(key, in: table, of: name, in: pair)
        let entity = targetEntity.map { ", \($0) = \(pair.new.number)" } ?? ""
        let position = order.map { ", \($0) = l.P" } ?? ""
        try connection.execute(
          "UPDATE \(table) SET \(key) = l.S\(entity)\(position) FROM temp.Z_LINKS l "
            + "WHERE \(table).Z_PK = l.T")
      }
    }
  }

  private func fillKeyFromInverse(
    _ name: String, _ toOne: SchemaEntity.ToOne, of pair: MigrationPair
  ) throws {
    guard pair.relationships[name] == nil || pair.old.toOnes[pair.relationships[name] ?? ""] == nil,
      let inverse = pair.new.description.relationshipsByName[name]?.inverseRelationship,
      let target = new[number: toOne.destination]
    else { return }
    for number in target.numbers {
      guard let other = pairsByNew[number], let oldName = other.relationships[inverse.name],
        try collectLinks(other, oldName)
      else { continue }
      try connection.execute("DELETE FROM temp.Z_LINKS WHERE E <> \(pair.new.number)")
      try checkSingle("T", of: name, in: pair)
      try checkFree(toOne.key, in: pair.new.table, of: inverse.name, in: other)
      let entity = toOne.targetEntity.map { ", \($0) = \(number)" } ?? ""
      var position = ""
      if case .key(_, _, let order?, _)? = other.new.toManys[inverse.name] {
        position = ", \(order) = l.P"
      }
      try connection.execute(
        "UPDATE \(pair.new.table) SET \(toOne.key) = l.S\(entity)\(position) FROM temp.Z_LINKS l "
          + "WHERE \(pair.new.table).Z_PK = l.T")
    }
  }

  // MARK: Join tables

  /// Fills a join table from whatever stored its relationship before.
  func fill(_ join: JoinTable) throws {
    if try copy(into: join) { return }
    func side(of number: Int, name: String, own: String, other: String, order: String?)
      throws
    {
      guard let entity = new[number: number] else { return }
      for member in entity.numbers {
        guard let pair = pairsByNew[member], !pair.new.description.isAbstract,
          let oldName = pair.relationships[name],
          case .join(_, _, let destination)? =
            pair.new.toManys[name], try collectLinks(pair, oldName)
        else { continue }
        try checkLinks(name, pair, to: destination)
        let (column, value) = (order.map { ", \($0)" } ?? "", order == nil ? "" : ", l.P")
        let update =
          order.map { "DO UPDATE SET \($0) = IFNULL(excluded.\($0), \($0))" } ?? "DO NOTHING"
        try connection.execute(
          "INSERT INTO \(join.name) (\(own), \(other)\(column)) SELECT l.S, l.T\(value) "
            + "FROM temp.Z_LINKS l WHERE true ON CONFLICT \(update)")
      }
    }
    try side(
      of: join.ownerNumber, name: join.relationship, own: join.ownerKey, other: join.inverseKey,
      order: join.inverseOrder)
    if !join.isReflexive {
      try side(
        of: join.inverseOwnerNumber, name: join.inverse, own: join.inverseKey, other: join.ownerKey,
        order: join.ownerOrder)
    }
  }

  /// Copies an old join table row by row, if all rows stay valid.
  private func copy(into join: JoinTable) throws -> Bool {
    guard let owner = new[number: join.ownerNumber],
      let name = pairsByNew[owner.number]?.relationships[join.relationship],
      case .join(let index, let isOwner, _)? = pairsByNew[owner.number]?.old.toManys[name]
    else { return false }
    let before = old.joinTables[index]
    guard before.isReflexive == join.isReflexive else { return false }
    func continues(_ oldNumber: Int, relationship oldName: String, in number: Int, as name: String)
      -> Bool
    {
      guard let oldEntity = old[number: oldNumber], let entity = new[number: number] else {
        return false
      }
      return oldEntity.numbers.allSatisfy { oldNumber in
        guard let pair = pairsByOld[oldNumber] else { return false }
        return pair.shift == 0 && entity.numbers.contains(pair.new.number)
          && pair.relationships[name] == oldName
      }
    }
    let sides =
      isOwner
      ? [(before.ownerNumber, before.relationship), (before.inverseOwnerNumber, before.inverse)]
      : [(before.inverseOwnerNumber, before.inverse), (before.ownerNumber, before.relationship)]
    guard
      continues(sides[0].0, relationship: sides[0].1, in: join.ownerNumber, as: join.relationship),
      continues(sides[1].0, relationship: sides[1].1, in: join.inverseOwnerNumber, as: join.inverse)
    else { return false }
    var columns = [join.ownerKey, join.inverseKey]
    var values =
      isOwner ? [before.ownerKey, before.inverseKey] : [before.inverseKey, before.ownerKey]
    let orders =
      isOwner
      ? [before.ownerOrder, before.inverseOrder] : [before.inverseOrder, before.ownerOrder]
    for (column, value) in zip([join.ownerOrder, join.inverseOrder], orders) {
      guard let column, let value else { continue }
      columns.append(column)
      values.append(value)
    }
    try connection.execute(
      "INSERT INTO \(join.name) (\(columns.joined(separator: ", "))) "
        + "SELECT \(values.joined(separator: ", ")) FROM \(presentName(before.name))")
    return true
  }
}
