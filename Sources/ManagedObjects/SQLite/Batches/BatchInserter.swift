import DataModels
import Foundation

/// Inserts a batch's rows.
struct BatchInserter: BatchRun {
  private let engine: SQLiteEngine
  private let batch: BatchInsertion
  private let writer: RowWriter
  private var values: ValueWriter
  private let constraints: [[RowWriter.Slot]]

  /// Reserved keys; the unused ones are returned in the end.
  private var keys: Range<Int64> = 0..<0
  private var inserted: [Int64] = []
  private var updated: [(key: Int64, entity: Int, slots: [Int])] = []
  private(set) var obsoleteFiles: [URL] = []
  /// Whether the last row existed already: then the next one is looked up before it is inserted.
  private var lastWasPresent = false
  private var presenceSQL: [String] = []
  private var updateSQL: [[Int]: String] = [:]
  /// Whether rows may be written by ``UpsertStatement``s.
  private var upserts = false
  /// The statement of the last row, which the next one mostly needs, too.
  private var upsert: UpsertStatement?

  var writtenFiles: [URL] { values.writtenFiles }
  private var connection: SQLiteConnection { engine.connection }

  init(_ engine: SQLiteEngine, _ batch: BatchInsertion) throws {
    self.engine = engine
    self.batch = batch
    let writer = try engine.writer(batch.layout)
    self.writer = writer
    values = ValueWriter(engine: engine)
    constraints = batch.layout.entity.uniquenessConstraints.compactMap { names in
      writer.slots(ofConstraint: names.compactMap { $0 as? String })
    }
  }

  mutating func run() throws -> BatchOutcome {
    upserts = try canUpsert
    let statement = try connection.borrow(writer.insertSQL)
    defer {
      connection.recycle(statement)
      if let upsert { connection.recycle(upsert.statement) }
    }
    while let row = try batch.next() {
      if upserts, try upsert(row) { continue }
      if lastWasPresent, try resolvePresent(row) { continue }
      if keys.isEmpty { try reserveKeys() }
      let fileCount = values.writtenFiles.count
      do {
        try insert(row, statement)
        inserted.append(keys.lowerBound)
        keys = keys.dropFirst()
      } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueViolation {
        // No row refers to the files of a row that wasn't inserted.
        obsoleteFiles += values.writtenFiles.dropFirst(fileCount)
        try resolve(row, error)
      }
    }
    try releaseUnusedKeys()
    try writeHistory()
    return try outcome()
  }

  private mutating func insert(_ row: BatchInsertion.Row, _ statement: SQLiteStatement) throws {
    try statement.bind(keys.lowerBound, at: 1)
    try statement.bind(writer.number, at: 2)
    try statement.bind(Int64(1), at: 3)
    var index: Int32 = 4
    for position in writer.steps.indices {
      let value = row.values[writer.steps[position].index]
      index = try values.bindOnce(
        value, position: position, writer: writer, to: statement, at: index)
    }
    try statement.runOnce()
  }

  // MARK: Keys

  private mutating func reserveKeys() throws {
    let count = min(max(64, inserted.count), 4096)
    let first = try engine.reserveKeysOfBatch(count, for: batch.layout.root)
    keys = first..<first + Int64(count)
  }

  /// Returns unused keys. This transaction holds the lock, so no other connection has seen the counter.
  private func releaseUnusedKeys() throws {
    guard !keys.isEmpty else { return }
    try connection.withStatement(
      "UPDATE Z_PRIMARYKEY SET Z_MAX = ? WHERE Z_ENT = ? AND Z_MAX = ?"
    ) { row in
      try row.bind(keys.lowerBound - 1, at: 1)
      try row.bind(Int64(writer.entity.rootNumber), at: 2)
      try row.bind(keys.upperBound - 1, at: 3)
      try row.run()
    }
  }

  // MARK: Uniqueness

  /// Inserts a row, or updates the present one, in one step; false if the row is to be inserted in the usual way, which
  /// tells what is wrong with it.
  private mutating func upsert(_ row: BatchInsertion.Row) throws -> Bool {
    guard let upsert = upsertStatement(row) else { return false }
    if keys.isEmpty { try reserveKeys() }
    // A statement that failed may have noted one.
    engine.presentRow.forget()
    do {
      try insert(row, upsert.statement)
    } catch let error as SQLiteError where error.extendedCode == SQLiteError.uniqueViolation {
      return false
    }
    if let present = engine.presentRow.take() {
      updated.append((present.key, number(of: present), upsert.replaced))
    } else if connection.changedRowCount > 0 {
      inserted.append(keys.lowerBound)
      keys = keys.dropFirst()
    } else {
      return false
    }
    return true
  }

  private var canUpsert: Bool {
    get throws {
      switch batch.policy {
      case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
        try constraints.count == 1 && !writer.hasExternalData
          && !connection.hasTriggers(on: writer.entity.table)
      default: false
      }
    }
  }

  private mutating func upsertStatement(_ row: BatchInsertion.Row) -> UpsertStatement? {
    if let upsert, upsert.given == row.given { return upsert }
    if let upsert { connection.recycle(upsert.statement) }
    upsert = UpsertStatement(
      row, replacing: replacedSlots(row), unique: constraints[0], writer: writer, on: connection)
    if upsert == nil { upserts = false }
    return upsert
  }

  /// The entity number of a row in the table.
  private func number(of present: (key: Int64, entity: Int)) -> Int {
    writer.entity.hasOwnTable ? writer.entity.number : present.entity
  }

  private mutating func resolve(_ row: BatchInsertion.Row, _ error: SQLiteError) throws {
    switch batch.policy {
    case .errorMergePolicyType: throw error
    case .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType: return
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType: break
    }
    guard let present = try presentRow(row), isKind(present.entity) else { throw error }
    try update(present, with: row, slots: replacedSlots(row))
    lastWasPresent = true
  }

  /// Does the same as ``resolve(_:_:)`` without trying to insert the row first; false if no such row exists.
  private mutating func resolvePresent(_ row: BatchInsertion.Row) throws -> Bool {
    // With several constraints, SQLite finds the conflict.
    guard constraints.count == 1, let present = try presentRow(row), isKind(present.entity)
    else {
      lastWasPresent = false
      return false
    }
    try update(present, with: row, slots: replacedSlots(row))
    return true
  }

  /// Whether rows of an entity have all the values of the batch: those of its own entity, and of its subentities.
  private func isKind(_ entity: Int) -> Bool {
    writer.entity.hasOwnTable || writer.entity.numbers.contains(entity)
  }

  /// The slots that are overwritten in the existing row.
  private func replacedSlots(_ row: BatchInsertion.Row) -> [RowWriter.Slot] {
    if case .mergeByPropertyObjectTrumpMergePolicyType = batch.policy {
      let given = Set(row.given)
      return writer.slots.filter { given.contains($0.index) }
    }
    return writer.slots.filter { slot in
      if case .toOne = slot.field { return false }
      return !batch.layout.values[slot.index].isDerived
    }
  }

  /// The row that has the values already.
  private mutating func presentRow(
    _ row: BatchInsertion.Row
  ) throws -> (key: Int64, entity: Int)? {
    if presenceSQL.isEmpty {
      presenceSQL = constraints.map { slots in
        let condition = slots.flatMap(\.columns).map { "\($0) = ?" }.joined(separator: " AND ")
        return "SELECT Z_PK, Z_ENT FROM \(writer.entity.table) WHERE \(condition)"
      }
    }
    for (slots, sql) in zip(constraints, presenceSQL) {
      let found = try connection.withStatement(sql) { statement -> (Int64, Int)? in
        var index: Int32 = 1
        for slot in slots {
          index = try values.bind(row.values[slot.index], slot, to: statement, at: index)
        }
        guard try statement.step() else { return nil }
        return (statement.integer(at: 0), Int(truncatingIfNeeded: statement.integer(at: 1)))
      }
      if let found { return found }
    }
    return nil
  }

  private mutating func update(
    _ present: (key: Int64, entity: Int), with row: BatchInsertion.Row, slots: [RowWriter.Slot]
  ) throws {
    let key = present.key
    let external = slots.flatMap(\.externalColumns)
    if !external.isEmpty {
      obsoleteFiles += try engine.externalFiles(
        of: external, in: writer.entity.table, where: "Z_PK = \(key)")
    }
    let places = slots.map(\.index)
    let sql =
      updateSQL[places]
      ?? {
        let assignments = slots.flatMap(\.columns).map { "\($0) = ?, " }.joined()
        return
          "UPDATE \(writer.entity.table) SET \(assignments)Z_OPT = ifnull(Z_OPT, 0) + 1 WHERE Z_PK = ?"
      }()
    updateSQL[places] = sql
    try connection.withStatement(sql) { statement in
      var index: Int32 = 1
      for slot in slots {
        index = try values.bind(row.values[slot.index], slot, to: statement, at: index)
      }
      try statement.bind(key, at: index)
      try statement.run()
    }
    updated.append((key, number(of: present), places))
  }

  // MARK: Outcome

  private func writeHistory() throws {
    // Rows inserted by the batch itself count as inserted, even if they were updated afterwards.
    let new = updated.isEmpty ? [] : Set(inserted)
    let updated = updated.filter { !new.contains($0.key) }
    let count = inserted.count + updated.count
    guard let writer = engine.historyWriter, count > 0 else { return }
    let rows = try writer.begin(
      rowCount: count, contextName: batch.author.contextName, author: batch.author.author,
      engine: engine)
    defer { rows.end() }
    let number = Int(self.writer.number)
    for key in inserted { try rows.write(.insert, entity: number, key: key) }
    for (key, entity, slots) in updated {
      let names = slots.map { batch.layout.values[$0].name }
      let columns = try writer.changedColumns(try engine.layout(number: entity), engine)
      try rows.write(.update, entity: entity, key: key, columns: columns.bytes(names))
    }
  }

  private func outcome() throws -> BatchOutcome {
    var outcome = BatchOutcome()
    var seen = Set(inserted)
    seen.reserveCapacity(inserted.count + updated.count)
    let others = updated.filter { seen.insert($0.key).inserted }
    outcome.count = inserted.count + others.count
    guard batch.wantsIDs else { return outcome }
    outcome.ids =
      try inserted.map { NSManagedObjectID(layout: batch.layout, store: engine.reference, key: $0) }
      + others.map {
        NSManagedObjectID(
          layout: try engine.layout(number: $0.entity), store: engine.reference, key: $0.key)
      }
    return outcome
  }
}
