import Foundation
import ManagedModel

/// One save: everything between the beginning of its transaction and the commit.
struct SaveSession {
  let engine: SQLiteEngine
  var conflicts = SaveConflicts()
  /// What was to be written, by identity; see ``noteClash(of:_:)``.
  var objectsByID: [NSManagedObjectID: NSManagedObject]?
  /// What is to be written.
  private(set) var changes: StoreChanges?
  /// Whether values that must be unique are taken out of the rows to be updated before they get others.
  let freesUniqueValues: Bool
  /// Why an object couldn't be written for the sake of a row whose own conflict is known.
  var obstruction: SQLiteError?
  /// The objects, inserted ones aside, whose rows will have the next version when the save succeeds.
  private(set) var updated: [NSManagedObject] = []
  /// Files that no row names any more when the save succeeds.
  private(set) var obsoleteFiles: [URL] = []
  private(set) var values: ValueWriter
  /// Which slots of an updated object were written, for history.
  private(set) var writtenUpdates: [(object: NSManagedObject, slots: [Int])] = []
  /// Objects to be deleted whose rows somebody else has deleted before.
  private(set) var missing: Set<ObjectIdentifier> = []

  var connection: SQLiteConnection { engine.connection }

  init(engine: SQLiteEngine, freesUniqueValues: Bool = false) {
    self.engine = engine
    self.freesUniqueValues = freesUniqueValues
    values = ValueWriter(engine: engine)
  }

  /// - Throws: ``UniqueValuesInTheWay`` when a session that frees them may succeed.
  mutating func write(_ changes: StoreChanges) throws {
    self.changes = changes
    // What goes makes room for what must be unique.
    for object in changes.deleted { try delete(object) }
    if freesUniqueValues { try freeUniqueValues() }
    try update(changes.updated)
    try insert(changes.inserted)
    for object in changes.guarded { try check(object) }
    guard conflicts.isEmpty else { throw conflicts }
    if let obstruction { throw obstruction }
    var relationships = RelationshipWriter(
      engine: engine, inserted: changes.inserted, updated: updated)
    try relationships.write(changes.inserted)
    try relationships.write(changes.updated)
    let others = relationships.updatedOthers
    if !others.isEmpty { updated += others }
    if engine.historyWriter != nil {
      writtenUpdates += relationships.changedOwners.map { ($0, []) }
    }
  }

  // MARK: Rows

  private mutating func insert(_ objects: [NSManagedObject]) throws {
    var statements: [ObjectIdentifier: SQLiteStatement] = [:]
    defer { for statement in statements.values { connection.giveBack(statement) } }
    var start = 0
    while start < objects.count {
      let layout = objects[start].layout
      let range = objects.run(from: start) { $0.layout === layout }
      start = range.upperBound
      let writer = try engine.writer(layout)
      let place = ObjectIdentifier(writer)
      let row = try statements[place] ?? connection.borrow(writer.insertSQL)
      if statements.updateValue(row, forKey: place) == nil {
        // The same for every row: parameters keep their values.
        try row.bind(writer.number, at: 2)
        try row.bind(Int64(1), at: 3)
      }
      try objects.visit(range) { try insert($0, writer, row) }
    }
  }

  @inline(__always)
  private mutating func insert(
    _ object: NSManagedObject, _ writer: RowWriter, _ row: SQLiteStatement
  ) throws {
    guard let values = object.currentRow else { return }
    guard !object.isTemporary else { throw CoreDataError.unwritable(object.identity) }
    try row.bind(object.rowKey, at: 1)
    var index: Int32 = 4
    for position in writer.steps.indices {
      index = try self.values.bindOnce(values, position, writer, to: row, at: index)
    }
    try run(row, for: object)
  }

  private mutating func update(_ objects: [NSManagedObject]) throws {
    updated.reserveCapacity(objects.count)
    var start = 0
    while start < objects.count {
      // Neighbours that change the same slots share a statement.
      let first = objects[start]
      let writer = try engine.writer(first.layout)
      let bits = writer.changedBits(of: first)
      let range = objects.run(from: start) {
        bits != nil && $0.layout === first.layout && writer.changedBits(of: $0) == bits
      }
      start = range.upperBound
      let slots = writer.changedSlots(of: first)
      let row = try connection.borrow(writer.updateSQL(slots))
      defer { connection.giveBack(row) }
      try objects.visit(range) { try update($0, slots, writer, row) }
    }
  }

  @inline(__always)
  private mutating func update(
    _ object: NSManagedObject, _ slots: [Int], _ writer: RowWriter, _ row: SQLiteStatement
  ) throws {
    guard !slots.isEmpty || changesJoinTable(object), let values = object.currentRow else { return }
    if writer.hasExternalData {
      try noteObsoleteFiles(of: object, writer, slots.map { writer.slots[$0] })
    }
    var index: Int32 = 1
    for position in slots {
      index = try self.values.bindOnce(values, position, writer, to: row, at: index)
    }
    try row.bind(object.version &+ 1, at: index)
    try row.bind(object.rowKey, at: index + 1)
    try row.bind(object.version, at: index + 2)
    guard try run(row, for: object) else { return }
    if connection.changedRowCount == 0 {
      try noteConflict(object)
    } else {
      updated.append(object)
      if engine.historyWriter != nil { writtenUpdates.append((object, slots)) }
    }
  }

  private func changesJoinTable(_ object: NSManagedObject) -> Bool {
    object.layout.toManys.contains { property in
      guard !object.toManys.isEmpty, object.toManys[property.slot]?.hasChanges == true,
        case .join? = try? engine.entity(object.layout).toManys[property.name]
      else { return false }
      return true
    }
  }

  private mutating func delete(_ object: NSManagedObject) throws {
    let writer = try engine.writer(object.layout)
    if writer.hasExternalData { try noteObsoleteFiles(of: object, writer, writer.slots) }
    for storage in writer.entity.toManys.values {
      guard case .join(let index, _, _) = storage else { continue }
      let join = engine.schema.joinTables[index]
      let keys = join.isReflexive ? [join.ownerKey, join.inverseKey] : [storage.ownKey(join)]
      for key in keys {
        try connection.withStatement("DELETE FROM \(join.name) WHERE \(key) = ?") { row in
          try row.bind(object.rowKey, at: 1)
          try row.run()
        }
      }
    }
    for property in object.layout.toManys where property.inverse == nil {
      try releaseMembers(of: object, writer.entity.toManys[property.name])
    }
    let isGone = try connection.withStatement(writer.deleteSQL) { row in
      try row.bind(object.rowKey, at: 1)
      try row.bind(object.version, at: 2)
      try row.run()
      return connection.changedRowCount == 1
    }
    guard !isGone else { return }
    // Somebody deleted it before: nothing is lost. Somebody changed it: that is a conflict.
    if try present(object) == nil {
      missing.insert(ObjectIdentifier(object))
    } else {
      try noteConflict(object)
    }
  }

  /// Clears what leads to a row that goes from the rows of its members: nobody else does, as nobody sees it. The
  /// members' versions stay, as nothing of theirs changes.
  private func releaseMembers(
    of object: NSManagedObject, _ storage: SchemaEntity.ToMany?
  ) throws {
    guard case .key(let key, let targetEntity, let order, let destination)? = storage,
      let table = engine.schema[number: destination]?.table
    else { return }
    let columns = [key, targetEntity, order].compactMap { $0 }.map { "\($0) = NULL" }
    let sql = "UPDATE \(table) SET \(columns.joined(separator: ", ")) WHERE \(key) = ?"
    try connection.withStatement(sql) { row in
      try row.bind(object.rowKey, at: 1)
      try row.run()
    }
  }

  private mutating func check(_ object: NSManagedObject) throws {
    guard try present(object)?.version != object.version else { return }
    try noteConflict(object)
  }

  // MARK: Conflicts

  private func present(_ object: NSManagedObject) throws -> StoredRow? {
    let collector = FirstRow()
    _ = try engine.fetchRow(object.identity, into: collector)
    return collector.row
  }

  private mutating func noteConflict(_ object: NSManagedObject) throws {
    conflicts.versions.append((object, try present(object)))
  }

  /// Runs a statement; a broken uniqueness constraint becomes a conflict.
  @discardableResult
  private mutating func run(_ row: SQLiteStatement, for object: NSManagedObject) throws -> Bool {
    do {
      try row.runOnce()
      return true
    } catch let error where error.extendedCode == SQLiteError.uniqueViolation {
      try noteClash(of: object, error)
      return false
    }
  }

  // MARK: External files

  private mutating func noteObsoleteFiles(
    of object: NSManagedObject, _ writer: RowWriter, _ slots: [RowWriter.Slot]
  ) throws {
    for slot in slots {
      guard case .external = slot.field, let column = slot.columns.first else { continue }
      try connection.withStatement(
        "SELECT \(column) FROM \(writer.entity.table) WHERE Z_PK = ?"
      ) { row in
        try row.bind(object.rowKey, at: 1)
        guard try row.step(), let bytes = row.blob(at: 0),
          let file = engine.externalData.file(of: bytes)
        else { return }
        obsoleteFiles.append(file)
      }
    }
  }
}

/// Takes the first row it is given.
final class FirstRow: RowSink {
  private(set) var row: StoredRow?
  private var pending: (layout: EntityLayout, key: Int64, version: Int64)?

  func begin(_ store: StoreReference?) {}

  func wantsValues(of layout: EntityLayout, key: Int64, version: Int64) -> Bool {
    pending = (layout, key, version)
    return true
  }

  func take(_ values: [StoredValue]) {
    guard let pending, row == nil else { return }
    row = StoredRow(
      layout: pending.layout, key: pending.key, version: pending.version, values: values)
  }
}

extension SchemaEntity.ToMany {
  /// The join table's column with the key of the object whose relationship this is.
  func ownKey(_ join: JoinTable) -> String {
    if case .join(_, let isOwner, _) = self, !isOwner { join.inverseKey } else { join.ownerKey }
  }

  /// The join table's column with the destinations' keys.
  func otherKey(_ join: JoinTable) -> String {
    if case .join(_, let isOwner, _) = self, !isOwner { join.ownerKey } else { join.inverseKey }
  }

  /// The join table's column with the destinations' positions.
  func order(_ join: JoinTable) -> String? {
    if case .join(_, let isOwner, _) = self, !isOwner { join.ownerOrder } else { join.inverseOrder }
  }
}
