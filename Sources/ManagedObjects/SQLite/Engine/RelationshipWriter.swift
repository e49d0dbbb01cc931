import Foundation

/// Writes what a save changes outside the rows of the objects themselves: join tables, positions in
/// ordered relationships, and the hidden keys of relationships without inverse.
struct RelationshipWriter {
  let engine: SQLiteEngine
  /// Objects whose rows this save has written, and whose versions have grown: few saves ask.
  private lazy var written = Set(
    inserted.map(ObjectIdentifier.init) + updated.map(ObjectIdentifier.init))
  private let inserted: [NSManagedObject]
  private let updated: [NSManagedObject]
  /// Other objects whose rows have the next version now.
  private(set) var updatedOthers: [NSManagedObject] = []
  /// Objects whose own rows this save leaves alone, but which have other members, or others' order.
  private(set) var changedOwners: [NSManagedObject] = []

  /// The positions of ordered relationships: the first, and the step to the next.
  private static let firstPosition: Int64 = 2048
  private static let step: Int64 = 1024

  private var connection: SQLiteConnection { engine.connection }

  /// - Parameters:
  ///   - inserted: the objects inserted by this save.
  ///   - updated: the objects whose rows it has updated, inserted ones aside.
  init(
    engine: SQLiteEngine, inserted: [NSManagedObject],
    updated: [NSManagedObject]
  ) {
    self.engine = engine
    self.inserted = inserted
    self.updated = updated
  }

  mutating func write(_ objects: [NSManagedObject]) throws {
    try objects.visit { if $0.hasTouchedToManys { try write($0) } }
  }

  private mutating func write(_ object: NSManagedObject) throws {
    let entity = try engine.entity(object.layout)
    var writesOthers = false
    for property in object.layout.toManys {
      guard let members = object.toManys[property.slot], members.hasChanges,
        let storage = entity.toManys[property.name]
      else { continue }
      switch storage {
      case .join(let index, _, _):
        try writeJoin(object, members, storage, engine.schema.joinTables[index], property)
      case .key(let key, let targetEntity, let order, let destination):
        let table = engine.schema[number: destination]?.table ?? ""
        if property.inverse == nil {
          try writeHiddenKeys(object, members, table, key, targetEntity, entity.number)
          writesOthers = true
        }
        if property.isOrdered, let order {
          try writePositions(object, members, table, key: key, order: order)
          writesOthers = true
        }
      }
    }
    // History has no other trace of it: the keys are no properties of the members.
    if writesOthers, engine.historyWriter != nil, !written.contains(ObjectIdentifier(object)) {
      changedOwners.append(object)
    }
  }

  /// The key of a member, which must be a row of this store.
  private func key(of target: NSManagedObject) throws -> Int64 {
    try engine.reference.key(of: target.identity)
  }

  // MARK: Join tables

  private func writeJoin(
    _ object: NSManagedObject, _ members: ToManyMembers, _ storage: SchemaEntity.ToMany,
    _ join: JoinTable, _ property: PropertyLayout
  ) throws {
    let (own, other) = (storage.ownKey(join), storage.otherKey(join))
    let key = object.identity.key
    // What has no row, or one elsewhere, was no member.
    for target in members.removed where target.storeReference === engine.reference {
      try run("DELETE FROM \(join.name) WHERE \(own) = ? AND \(other) = ?", key, target.key)
      if join.isReflexive {
        try run("DELETE FROM \(join.name) WHERE \(own) = ? AND \(other) = ?", target.key, key)
      }
    }
    for target in members.added {
      let sql = "INSERT OR IGNORE INTO \(join.name) (\(own), \(other)) VALUES (?, ?)"
      let other = try self.key(of: target)
      try run(sql, key, other)
      if join.isReflexive { try run(sql, other, key) }
    }
    guard property.isOrdered, let order = storage.order(join) else { return }
    let update = "UPDATE OR FAIL \(join.name) SET \(order) = ? WHERE \(own) = ? AND \(other) = ?"
    if members.isLoaded {
      for (index, target) in members.objects.enumerated() {
        try run(update, position(index), key, try self.key(of: target))
      }
    } else {
      var last = try lastPosition("\(join.name) WHERE \(own) = ?", order, key)
      for target in members.added {
        last += Self.step
        try run(update, last, key, try self.key(of: target))
      }
    }
  }

  // MARK: Keys in the destinations' table

  private mutating func writeHiddenKeys(
    _ object: NSManagedObject, _ members: ToManyMembers, _ table: String, _ key: String,
    _ targetEntity: String?, _ number: Int
  ) throws {
    let clear = targetEntity.map { ", \($0) = NULL" } ?? ""
    for target in members.removedObjects where !target.isTemporary {
      try run(
        "UPDATE \(table) SET \(key) = NULL\(clear) WHERE Z_PK = ? AND \(key) = ?",
        try self.key(of: target), object.identity.key)
      if connection.changedRowCount > 0 { try bumpVersion(of: target, table) }
    }
    let set = targetEntity.map { ", \($0) = \(number)" } ?? ""
    for target in members.added {
      try run(
        "UPDATE \(table) SET \(key) = ?\(set) WHERE Z_PK = ?", object.identity.key,
        try self.key(of: target))
      try bumpVersion(of: target, table)
    }
  }

  private mutating func writePositions(
    _ object: NSManagedObject, _ members: ToManyMembers, _ table: String, key: String,
    order: String
  ) throws {
    for target in members.removed where target.storeReference === engine.reference {
      // Its key is gone already, or it is another object's by now.
      try run(
        "UPDATE \(table) SET \(order) = NULL WHERE Z_PK = ? AND \(key) IS NULL", target.key)
    }
    let update = "UPDATE \(table) SET \(order) = ? WHERE Z_PK = ? AND \(order) IS NOT ?"
    var positions: [(NSManagedObject, Int64)] = []
    if members.isLoaded {
      positions = members.objects.enumerated().map { ($1, position($0)) }
    } else {
      var last = try lastPosition("\(table) WHERE \(key) = ?", order, object.identity.key)
      for target in members.added {
        last += Self.step
        positions.append((target, last))
      }
    }
    for (target, position) in positions {
      try run(update, position, try self.key(of: target), position)
      if connection.changedRowCount > 0 { try bumpVersion(of: target, table) }
    }
  }

  /// Counts a row as saved once more, unless this save counted it already.
  private mutating func bumpVersion(of object: NSManagedObject, _ table: String) throws {
    guard written.insert(ObjectIdentifier(object)).inserted else { return }
    try run("UPDATE \(table) SET Z_OPT = Z_OPT + 1 WHERE Z_PK = ?", object.identity.key)
    updatedOthers.append(object)
  }

  private func position(_ index: Int) -> Int64 { Self.firstPosition + Int64(index) * Self.step }

  private func lastPosition(_ rows: String, _ order: String, _ key: Int64) throws -> Int64 {
    try connection.withStatement("SELECT max(\(order)) FROM \(rows)") { row in
      try row.bind(key, at: 1)
      guard try row.step(), !row.isNull(at: 0) else { return Self.firstPosition - Self.step }
      return row.integer(at: 0)
    }
  }

  private func run(_ sql: String, _ values: Int64...) throws {
    try connection.withStatement(sql) { row in
      for (index, value) in values.enumerated() { try row.bind(value, at: Int32(index + 1)) }
      try row.run()
    }
  }
}
