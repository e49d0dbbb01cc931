import Foundation

/// Writes the changes of a save outside the objects' own rows: join tables, positions in ordered relationships, and
/// the hidden keys of relationships without inverse.
///
/// Positions and hidden keys stand in the members' rows, whose versions aren't incremented: none of the members'
/// properties change, and no notification or history names them. The owner's version guards both.
struct RelationshipWriter {
  let engine: SQLiteEngine
  private let changes: StoreChanges

  /// A row of a join table.
  private struct Link: Hashable {
    let table: Int
    let owner: Int64
    let inverse: Int64
  }

  /// The links written so far: each is reported by both sides.
  private var writtenLinks: Set<Link> = []
  /// The links removed so far.
  private var removedLinks: Set<Link> = []
  /// Links added from the unordered side of an ordered relationship.
  private var unplaced: [UnplacedLink] = []

  /// A link whose row has a column for the position in the target's list.
  private struct UnplacedLink {
    let table: String
    let order: String
    let own: String
    let other: String
    let key: Int64
    let target: Int64
  }

  private var connection: SQLiteConnection { engine.connection }

  init(_ changes: StoreChanges, engine: SQLiteEngine) {
    self.changes = changes
    self.engine = engine
  }

  /// Writes the relationship changes.
  mutating func write() throws {
    for change in changes.members {
      let entity = try engine.entity(change.owner.layout)
      guard let storage = entity.toManys[change.property.name] else { continue }
      switch storage {
      case .join(let index, let isOwner, _):
        let join = engine.schema.joinTables[index]
        if join.isReflexive {
          try writeBothWays(change, in: storage, join: join)
        } else {
          try write(change, in: storage, join: join, index, isOwner: isOwner)
        }
        try writePositions(change, in: storage, join: join)
      case .key(let key, let targetEntity, let order, let destination):
        let table = engine.schema[number: destination]?.table ?? ""
        if change.property.inverse == nil {
          try writeHiddenKeys(
            change, table, key: key, entityColumn: targetEntity.map { ($0, entity.number) })
        }
        if change.property.isOrdered, let order {
          try writePositions(change, table, key: key, order: order)
        }
      }
    }
    for link in unplaced { try place(link) }
  }

  /// The key of a member, which must be a row of this store.
  private func key(of target: NSManagedObjectID) throws -> Int64 {
    try engine.reference.key(of: target)
  }

  /// The removed members that have rows in this store; others weren't members.
  private func removed(_ change: MemberChange) -> [NSManagedObjectID] {
    change.removed.filter { $0.storeReference === engine.reference }
  }

  // MARK: Join tables

  /// Writes links that are one row of the table each.
  private mutating func write(
    _ change: MemberChange, in storage: SchemaEntity.ToMany, join: JoinTable, _ index: Int,
    isOwner: Bool
  ) throws {
    let (own, other) = (storage.ownKey(join), storage.otherKey(join))
    let key = change.owner.key
    func link(_ target: Int64) -> Link {
      Link(table: index, owner: isOwner ? key : target, inverse: isOwner ? target : key)
    }
    let removed = removed(change).map(\.key).filter { removedLinks.insert(link($0)).inserted }
    if !removed.isEmpty {
      try run(
        "DELETE FROM \(join.name) WHERE \(own) = ? AND \(other) = ?", key, withEach: removed)
    }
    let added = try change.added.map(self.key).filter { writtenLinks.insert(link($0)).inserted }
    if !added.isEmpty {
      try run(
        "INSERT OR IGNORE INTO \(join.name) (\(own), \(other)) VALUES (?, ?)", key,
        withEach: added)
    }
    guard change.property.inverse?.isOrdered == true,
      let order = isOwner ? join.ownerOrder : join.inverseOrder
    else { return }
    unplaced += added.map {
      UnplacedLink(
        table: join.name, order: order, own: own, other: other, key: key, target: $0)
    }
  }

  /// Gives a link a place at the end of the target's list, unless the list's own change has given it one: the target
  /// may have had the member before another writer removed it, so that nothing of the list has changed here.
  private func place(_ link: UnplacedLink) throws {
    let list = OrderEnds.Place(
      rows: "\(link.table) WHERE \(link.other) = ?", order: link.order, owner: link.target)
    let row = "WHERE \(link.own) = ?1 AND \(link.other) = ?2 AND \(link.order) IS NULL"
    if let last = engine.orderEnds[list], last <= Int64.max - OrderPositions.step {
      let position = last + OrderPositions.step
      try run(
        "UPDATE \(link.table) SET \(link.order) = ?3 \(row)", link.key, link.target, position)
      if connection.changedRowCount > 0 { engine.orderEnds[list] = position }
      return
    }
    let last = "ifnull(max(\(link.order)), \(OrderPositions.first - OrderPositions.step))"
    try run(
      "UPDATE \(link.table) SET \(link.order) = (SELECT \(last) + \(OrderPositions.step)"
        + " FROM \(link.table) WHERE \(link.other) = ?2) \(row)", link.key, link.target)
    if connection.changedRowCount > 0 { engine.orderEnds[list] = try lastPosition(in: list) }
  }

  /// Writes links of a relationship that is its own inverse, which are two rows each.
  private mutating func writeBothWays(
    _ change: MemberChange, in storage: SchemaEntity.ToMany, join: JoinTable
  ) throws {
    let (own, other) = (storage.ownKey(join), storage.otherKey(join))
    let key = change.owner.key
    for target in removed(change) {
      try run("DELETE FROM \(join.name) WHERE \(own) = ? AND \(other) = ?", key, target.key)
      try run("DELETE FROM \(join.name) WHERE \(own) = ? AND \(other) = ?", target.key, key)
    }
    let order = change.property.isOrdered ? storage.order(join) : nil
    for target in try change.added.map(self.key) {
      let sql = "INSERT OR IGNORE INTO \(join.name) (\(own), \(other)) VALUES (?, ?)"
      try run(sql, key, target)
      try run(sql, target, key)
      guard let order else { continue }
      unplaced.append(
        UnplacedLink(
          table: join.name, order: order, own: other, other: own, key: key, target: target))
    }
  }

  private func writePositions(
    _ change: MemberChange, in storage: SchemaEntity.ToMany, join: JoinTable
  ) throws {
    guard change.property.isOrdered, let order = storage.order(join) else { return }
    let (own, other) = (storage.ownKey(join), storage.otherKey(join))
    let key = change.owner.key
    let update = "UPDATE OR FAIL \(join.name) SET \(order) = ? WHERE \(own) = ? AND \(other) = ?"
    for (target, position) in try positions(
      of: change, in: "\(join.name) WHERE \(own) = ?", member: other, order: order)
    {
      try run(update, position, key, target.key)
    }
  }

  // MARK: Keys in the destinations' table

  /// - Parameter entityColumn: the column beside the key that contains the owner's entity, and the owner's entity
  ///   number.
  private func writeHiddenKeys(
    _ change: MemberChange, _ table: String, key: String, entityColumn: (name: String, number: Int)?
  ) throws {
    let owner = change.owner.key
    let clear = entityColumn.map { ", \($0.name) = NULL" } ?? ""
    for target in removed(change) {
      try run(
        "UPDATE \(table) SET \(key) = NULL\(clear) WHERE Z_PK = ? AND \(key) = ?", target.key, owner
      )
    }
    let set = entityColumn.map { ", \($0.name) = \($0.number)" } ?? ""
    for target in change.added {
      try run(
        "UPDATE \(table) SET \(key) = ?\(set) WHERE Z_PK = ?", owner, try self.key(of: target))
    }
  }

  private func writePositions(
    _ change: MemberChange, _ table: String, key: String, order: String
  ) throws {
    for target in removed(change) {
      // Its key is null already, or refers to another object by now.
      try run(
        "UPDATE \(table) SET \(order) = NULL WHERE Z_PK = ? AND \(key) IS NULL", target.key)
    }
    // A row that leads elsewhere by now, because another writer changed it, has no place in this order.
    let update =
      "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ? AND \(order) IS NOT ? AND \(key) = ?"
    for (target, position) in try positions(
      of: change, in: "\(table) WHERE \(key) = ?", member: "Z_PK", order: order)
    {
      try run(update, position, target.key, position, change.owner.key)
    }
  }

  /// The positions of members that have none yet, or whose neighbors have changed. If the relationship wasn't read,
  /// added members get positions after the last existing one.
  private func positions(
    of change: MemberChange, in rows: String, member: String, order: String
  ) throws -> [(target: (id: NSManagedObjectID, key: Int64), position: Int64)] {
    let list = OrderEnds.Place(rows: rows, order: order, owner: change.owner.key)
    if change.order != nil || !change.removed.isEmpty { engine.orderEnds[list] = nil }
    guard let all = change.order else {
      let added = try change.added.map { (id: $0, key: try key(of: $0)) }
      let last = try lastPosition(in: list)
      // Any position may stand in a file.
      guard last <= Int64.max - OrderPositions.step * Int64(added.count) else {
        engine.orderEnds[list] = nil
        return try positionsFromTheStart(of: change, added, in: rows, member: member, order: order)
      }
      engine.orderEnds[list] = last + OrderPositions.step * Int64(added.count)
      return added.enumerated().map { ($1, last + OrderPositions.step * Int64($0 + 1)) }
    }
    let targets = try all.map { (id: $0, key: try key(of: $0)) }
    var present: [Int64: Int64] = [:]
    // A new row isn't an owner yet.
    if change.owner.version != 0 {
      present = try presentPositions(in: rows, member, order: order, key: change.owner.key)
      // A member that came from another owner still has its position there.
      for target in change.added { present[try key(of: target)] = nil }
    }
    let own = targets.map { present.removeValue(forKey: $0.key) }
    return OrderPositions(own, others: Array(present.values)).changes().map {
      (targets[$0.place], $0.position)
    }
  }

  /// New positions for all members, for want of room after the last: those in the store in their order, then the added
  /// ones.
  private func positionsFromTheStart(
    of change: MemberChange, _ added: [(id: NSManagedObjectID, key: Int64)], in rows: String,
    member: String, order: String
  ) throws -> [(target: (id: NSManagedObjectID, key: Int64), position: Int64)] {
    guard let layout = change.property.destinationLayout else { return [] }
    var present = try presentPositions(in: rows, member, order: order, key: change.owner.key)
    for target in added { present[target.key] = nil }
    let others = present.sorted { ($0.value, $0.key) < ($1.value, $1.key) }
    let targets =
      others.map {
        (id: NSManagedObjectID(layout: layout, store: engine.reference, key: $0.key), key: $0.key)
      } + added
    let own = others.map { Int64?.some($0.value) } + added.map { _ in nil }
    return OrderPositions(own).changes().map { (targets[$0.place], $0.position) }
  }

  /// The stored positions of an object's members, by key.
  private func presentPositions(
    in rows: String, _ member: String, order: String, key: Int64
  ) throws -> [Int64: Int64] {
    try connection.withStatement("SELECT \(member), \(order) FROM \(rows)") { row in
      try row.bind(key, at: 1)
      var positions: [Int64: Int64] = [:]
      while try row.step() {
        if !row.isNull(at: 1) { positions[row.integer(at: 0)] = row.integer(at: 1) }
      }
      return positions
    }
  }

  /// The last position in a list, or the place before the first one.
  private func lastPosition(in list: OrderEnds.Place) throws -> Int64 {
    if let known = engine.orderEnds[list] { return known }
    return try connection.withStatement("SELECT max(\(list.order)) FROM \(list.rows)") { row in
      try row.bind(list.owner, at: 1)
      guard try row.step(), !row.isNull(at: 0) else {
        return OrderPositions.first - OrderPositions.step
      }
      return row.integer(at: 0)
    }
  }

  /// Runs a statement with two keys for each of the second keys.
  private func run(_ sql: String, _ first: Int64, withEach second: [Int64]) throws {
    try connection.withStatement(sql) { row in
      try row.bind(first, at: 1)
      for key in second {
        try row.bind(key, at: 2)
        try row.run()
      }
    }
  }

  private func run(_ sql: String, _ values: Int64...) throws {
    try connection.withStatement(sql) { row in
      for (index, value) in values.enumerated() { try row.bind(value, at: Int32(index + 1)) }
      try row.run()
    }
  }
}
