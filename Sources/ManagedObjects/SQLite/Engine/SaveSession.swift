import DataModels
import Foundation

/// One save, from the beginning of its transaction to the commit.
struct SaveSession {
  let engine: SQLiteEngine
  /// The changes to write.
  let changes: StoreChanges
  var conflicts = StoreConflicts()
  /// The rows to write, by key; see ``noteClash(of:_:)``.
  var rowsByKey: [RowKey: RowChange]?
  /// The positions of clashes in ``conflicts``, by the row of the store that has the values.
  var clashesWithPresent: [ClashPlace: Int] = [:]
  /// The positions of clashes among rows of this save, by each of these rows.
  var clashesAmongRows: [ClashPlace: Int] = [:]
  /// The searches for what violates constraints, by layout.
  var clashSearches: [ObjectIdentifier: [ClashSearch]] = [:]
  /// The entity whose last row has met a row of the store that has its unique values; see
  /// ``noteExpectedClash(of:)``.
  var clashingLayout: EntityLayout?
  /// Collects the row that a search has found.
  let found = RowCollector()
  /// Whether unique values are cleared in the rows to update before they get new ones.
  let freesUniqueValues: Bool
  /// The error of a row that couldn't be written because of one whose own conflict is recorded.
  var obstruction: SQLiteError?
  /// The indexes of the updates whose rows have the next version once the save succeeds.
  private(set) var written: [Int] = []
  /// Files that no row refers to any more once the save succeeds.
  private(set) var obsoleteFiles: [URL] = []
  var values: ValueWriter
  /// The slots of updated rows that were written, for history.
  private(set) var writtenUpdates: [(row: RowChange, slots: [Int])] = []
  /// Rows to delete that another writer has already deleted.
  private(set) var missing: Set<RowKey> = []
  /// Rows whose members change, which counts as a change of these rows, wherever the members are stored.
  private var owners: Set<RowKey> = []

  var connection: SQLiteConnection { engine.connection }

  init(_ changes: StoreChanges, engine: SQLiteEngine, freesUniqueValues: Bool = false) {
    self.changes = changes
    self.engine = engine
    self.freesUniqueValues = freesUniqueValues
    values = ValueWriter(engine: engine)
  }

  /// - Throws: ``BlockingUniqueValues`` if a session that clears unique values may succeed.
  mutating func write() throws {
    if !changes.updated.isEmpty { owners = Set(changes.members.map { RowKey($0.owner) }) }
    // Deletions free unique values.
    for row in changes.deleted { try delete(row) }
    if freesUniqueValues { try freeUniqueValues() }
    try update()
    try insert()
    for row in changes.guarded { try check(row) }
    if conflicts.isEmpty, obstruction == nil { try checkReferences() }
    guard conflicts.isEmpty else { throw conflicts }
    if let obstruction { throw obstruction }
    guard !changes.members.isEmpty else { return }
    var relationships = RelationshipWriter(changes, engine: engine)
    try relationships.write()
  }

  // MARK: Rows

  private mutating func insert() throws {
    var statements: [ObjectIdentifier: SQLiteStatement] = [:]
    defer { for statement in statements.values { connection.recycle(statement) } }
    let rows = changes.inserted
    var start = 0
    while start < rows.count {
      let layout = rows[start].layout
      var end = start + 1
      while end < rows.count, rows[end].layout === layout { end += 1 }
      let writer = try engine.writer(layout)
      let place = ObjectIdentifier(writer)
      let statement = try statements[place] ?? connection.borrow(writer.insertSQL)
      if statements.updateValue(statement, forKey: place) == nil {
        // The same for every row: parameters keep their values.
        try statement.bind(writer.number, at: 2)
        try statement.bind(Int64(1), at: 3)
      }
      for position in start..<end { try insert(rows[position], by: writer, in: statement) }
      start = end
    }
  }

  @inline(__always)
  private mutating func insert(
    _ row: RowChange, by writer: RowWriter, in statement: SQLiteStatement
  ) throws {
    guard row.hasValues else { return }
    try statement.bind(row.key, at: 1)
    // Another writer has deleted it since it was read.
    let isBack = row.version != 0
    if isBack { try statement.bind(row.version &+ 1, at: 3) }
    var index: Int32 = 4
    for position in writer.steps.indices {
      index = try values.bindOnce(row, position: position, writer: writer, to: statement, at: index)
    }
    if !isBack, let clashingLayout, row.layout === clashingLayout,
      try noteExpectedClash(of: row)
    {
      statement.discardOnce()
    } else {
      try run(statement, for: row)
    }
    if isBack { try statement.bind(Int64(1), at: 3) }
  }

  private mutating func update() throws {
    let rows = changes.updated
    written.reserveCapacity(rows.count)
    var start = 0
    while start < rows.count {
      // Adjacent rows that change the same slots share a statement.
      let first = rows[start]
      let writer = try engine.writer(first.layout)
      let bits = writer.changedBits(of: first)
      var end = start + 1
      while bits != nil, end < rows.count, rows[end].layout === first.layout,
        writer.changedBits(of: rows[end]) == bits
      {
        end += 1
      }
      let slots = writer.changedSlots(of: first)
      if !slots.isEmpty || !owners.isEmpty {
        let statement = try connection.borrow(writer.updateSQL(slots))
        defer { connection.recycle(statement) }
        for position in start..<end {
          try update(at: position, changing: slots, writer: writer, statement: statement)
        }
      }
      start = end
    }
  }

  @inline(__always)
  private mutating func update(
    at position: Int, changing slots: [Int], writer: RowWriter, statement: SQLiteStatement
  ) throws {
    let row = changes.updated[position]
    guard row.hasValues, !slots.isEmpty || owners.contains(RowKey(row)) else { return }
    if writer.hasExternalData {
      try noteObsoleteFiles(of: row, writer, slots.map { writer.slots[$0] })
    }
    var index: Int32 = 1
    for slot in slots {
      index = try values.bindOnce(row, position: slot, writer: writer, to: statement, at: index)
    }
    try statement.bind(row.version &+ 1, at: index)
    try statement.bind(row.key, at: index + 1)
    try statement.bind(row.version, at: index + 2)
    guard try run(statement, for: row) else { return }
    if connection.changedRowCount == 0 {
      try noteConflict(row)
    } else {
      written.append(position)
      if engine.historyWriter != nil { writtenUpdates.append((row, slots)) }
    }
  }

  private mutating func delete(_ change: RowChange) throws {
    let writer = try engine.writer(change.layout)
    if writer.hasExternalData { try noteObsoleteFiles(of: change, writer, writer.slots) }
    for storage in writer.entity.toManys.values {
      guard case .join(let index, _, _) = storage else { continue }
      let join = engine.schema.joinTables[index]
      let keys = join.isReflexive ? [join.ownerKey, join.inverseKey] : [storage.ownKey(join)]
      for key in keys {
        try connection.withStatement("DELETE FROM \(join.name) WHERE \(key) = ?") { row in
          try row.bind(change.key, at: 1)
          try row.run()
        }
      }
    }
    for property in change.layout.toManys where property.inverse == nil {
      try releaseMembers(of: change, writer.entity.toManys[property.name])
    }
    let isGone = try connection.withStatement(writer.deleteSQL) { row in
      try row.bind(change.key, at: 1)
      try row.bind(change.version, at: 2)
      try row.run()
      return connection.changedRowCount == 1
    }
    guard !isGone else { return }
    // If another writer has deleted it, nothing is lost; if another writer has changed it, that is a conflict.
    if try present(change) == nil {
      missing.insert(RowKey(change))
    } else {
      try noteConflict(change)
    }
  }

  /// Clears references to a deleted row in the rows of its members, where no inverse does. The members' versions
  /// aren't incremented, as none of their properties change.
  private func releaseMembers(
    of change: RowChange, _ storage: SchemaEntity.ToMany?
  ) throws {
    guard case .key(let key, let targetEntity, let order, let destination)? = storage,
      let table = engine.schema[number: destination]?.table
    else { return }
    let columns = [key, targetEntity, order].compactMap { $0 }.map { "\($0) = NULL" }
    let sql = "UPDATE \(table) SET \(columns.joined(separator: ", ")) WHERE \(key) = ?"
    try connection.withStatement(sql) { row in
      try row.bind(change.key, at: 1)
      try row.run()
    }
  }

  private mutating func check(_ change: RowChange) throws {
    guard try present(change)?.version != change.version else { return }
    try noteConflict(change)
  }

  /// Looks for the destinations of new references that nothing else vouches for.
  private mutating func checkReferences() throws {
    let references = changes.unguardedReferences
    guard !references.isEmpty else { return }
    let new = Set(changes.inserted.map { RowKey($0) })
    var known: [RowKey: Bool] = [:]
    for reference in references where reference.target.storeReference === engine.reference {
      let target = RowKey(reference.target)
      guard !new.contains(target) else { continue }
      let isThere = try known[target] ?? exists(target)
      known[target] = isThere
      if !isThere { conflicts.references.append(reference) }
    }
  }

  private func exists(_ row: RowKey) throws -> Bool {
    let table = try engine.entity(row.layout).table
    return try connection.withStatement("SELECT 1 FROM \(table) WHERE Z_PK = ?") { statement in
      try statement.bind(row.key, at: 1)
      return try statement.step()
    }
  }

  // MARK: Conflicts

  private func present(_ change: RowChange) throws -> StoredRow? { try presentRow(RowKey(change)) }

  /// The current row in the store.
  func presentRow(_ place: RowKey) throws -> StoredRow? {
    let collector = RowCollector()
    _ = try engine.fetchRow(
      NSManagedObjectID(layout: place.layout, store: engine.reference, key: place.key),
      into: collector)
    return collector.rows.first
  }

  private mutating func noteConflict(_ change: RowChange) throws {
    conflicts.versions.append((RowKey(change), try present(change)))
  }

  /// Runs a statement; a uniqueness violation becomes a conflict.
  @discardableResult
  private mutating func run(_ row: SQLiteStatement, for change: RowChange) throws -> Bool {
    do {
      try row.runOnce()
      return true
    } catch {
      if error.extendedCode == SQLiteError.uniqueViolation {
        try noteClash(of: change, error)
      } else if error.extendedCode == SQLiteError.keyViolation, change.version != 0 {
        // A row that was gone is to be written again, and another writer has done so.
        try noteConflict(change)
      } else {
        throw error
      }
      return false
    }
  }

  // MARK: External files

  private mutating func noteObsoleteFiles(
    of change: RowChange, _ writer: RowWriter, _ slots: [RowWriter.Slot]
  ) throws {
    for slot in slots {
      for column in slot.externalColumns {
        try connection.withStatement(
          "SELECT \(column) FROM \(writer.entity.table) WHERE Z_PK = ?"
        ) { row in
          try row.bind(change.key, at: 1)
          guard try row.step(), let bytes = row.blob(at: 0),
            let file = engine.externalData.file(of: bytes)
          else { return }
          obsoleteFiles.append(file)
        }
      }
    }
  }
}

extension SchemaEntity.ToMany {
  /// The join table's column with the keys of the objects that have this relationship.
  func ownKey(_ join: JoinTable) -> String {
    if case .join(_, let isOwner, _) = self, !isOwner { join.inverseKey } else { join.ownerKey }
  }

  /// The join table's column with the keys of the destinations.
  func otherKey(_ join: JoinTable) -> String {
    if case .join(_, let isOwner, _) = self, !isOwner { join.ownerKey } else { join.inverseKey }
  }

  /// The join table's column with the positions of the destinations.
  func order(_ join: JoinTable) -> String? {
    if case .join(_, let isOwner, _) = self, !isOwner { join.ownerOrder } else { join.inverseOrder }
  }
}
