import DataModels
import Foundation

/// Records each save in the store's history tables.
final class HistoryWriter {
  private var columns: [ObjectIdentifier: ChangedColumns] = [:]
  private let processName = ProcessInfo.processInfo.processName
  /// The number of columns for values of deleted objects.
  let tombstoneCount: Int

  init(_ connection: SQLiteConnection) throws {
    tombstoneCount = try connection.tombstoneCount
  }

  /// Records a save: a transaction, and a change for each row.
  func record(_ session: SaveSession) throws {
    let (changes, engine) = (session.changes, session.engine)
    let updates = session.writtenUpdates
    // The writer that deleted a row has recorded it.
    let deleted = changes.deleted.filter {
      session.missing.isEmpty || !session.missing.contains(RowKey($0))
    }
    let count = changes.inserted.count + updates.count + deleted.count
    guard count > 0 else { return }
    let rows = try begin(
      rowCount: count, contextName: changes.contextName, author: changes.author, engine: engine)
    defer { rows.end() }
    func write(_ change: RowChange, as type: HistoryRows.ChangeType, columns: [UInt8]?) throws {
      try rows.write(
        type, entity: try engine.entity(change.layout).number, key: change.key, columns: columns
      ) { row in
        if type == .delete { try bindTombstones(of: change, in: engine, to: row) }
      }
    }
    for change in changes.inserted { try write(change, as: .insert, columns: nil) }
    var members: [RowKey: [String]] = [:]
    for change in changes.members {
      members[RowKey(change.owner), default: []].append(change.property.name)
    }
    for (change, slots) in updates {
      let layout = change.layout
      let names =
        try slots.map { layout.values[try engine.writer(layout).slots[$0].index].name }
        + members[RowKey(change), default: []]
      try write(change, as: .update, columns: try changedColumns(layout, engine).bytes(names))
    }
    for change in deleted { try write(change, as: .delete, columns: nil) }
  }

  /// Begins a history transaction with a number of changes.
  func begin(
    rowCount count: Int, contextName: String?, author: String?, engine: SQLiteEngine
  ) throws -> HistoryRows {
    let transaction = try writeTransaction(contextName: contextName, author: author, engine: engine)
    let key = try engine.reserveKeys(
      count, number: HistorySchema.changeNumber, name: "CHANGE", table: "ACHANGE")
    return try HistoryRows(
      engine.connection, transaction: transaction, firstKey: key, tombstones: tombstoneCount)
  }

  /// The bits of an entity's properties.
  func changedColumns(
    _ layout: EntityLayout, _ engine: SQLiteEngine
  ) throws -> ChangedColumns {
    if let known = columns[ObjectIdentifier(layout)] { return known }
    let entity = try engine.entity(layout)
    let made = ChangedColumns(
      layout: layout, entity: entity, table: engine.schema.table(entity.table))
    columns[ObjectIdentifier(layout)] = made
    return made
  }

  // MARK: The transaction

  private func writeTransaction(
    contextName: String?, author: String?, engine: SQLiteEngine
  ) throws -> Int64 {
    let author = try author.map { try string($0, engine) }
    let context = try contextName.map { try string($0, engine) }
    let process = try string(processName, engine)
    let bundle = try Bundle.main.bundleIdentifier.map { try string($0, engine) }
    let key = try engine.reserveKeys(
      1, number: HistorySchema.transactionNumber, name: "TRANSACTION", table: "ATRANSACTION")
    try engine.connection.withStatement(
      """
      INSERT INTO ATRANSACTION (Z_PK, Z_ENT, ZAUTHORTS, ZBUNDLEIDTS, ZCONTEXTNAMETS, \
      ZPROCESSIDTS, ZTIMESTAMP) VALUES (?, ?, ?, ?, ?, ?, ?)
      """
    ) { row in
      try row.bind(key, at: 1)
      try row.bind(Int64(HistorySchema.transactionNumber), at: 2)
      for (index, value) in [author, bundle, context, process].enumerated() {
        if let value { try row.bind(value, at: Int32(index + 3)) }
      }
      try row.bind(Date().timeIntervalSinceReferenceDate, at: 7)
      try row.run()
    }
    return key
  }

  /// The key of a string, each of which is stored once.
  private func string(_ text: String, _ engine: SQLiteEngine) throws -> Int64 {
    try HistorySchema.key(ofText: text, in: engine.connection) {
      try engine.reserveKeys(
        1, number: HistorySchema.stringNumber, name: "TRANSACTIONSTRING",
        table: "ATRANSACTIONSTRING")
    }
  }

  // MARK: Tombstones

  /// The attributes whose values are preserved when an object is deleted, in column order.
  static func tombstoneProperties(of layout: EntityLayout) -> [PropertyLayout] {
    layout.values.filter {
      ($0.description as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion == true
    }
  }

  /// Binds the values stored in the row's own columns, even large ones: external files are deleted with the row.
  private func bindTombstones(
    of change: RowChange, in engine: SQLiteEngine, to row: SQLiteStatement
  ) throws {
    let kept = Self.tombstoneProperties(of: change.layout).prefix(tombstoneCount)
    guard !kept.isEmpty else { return }
    let slots = try engine.writer(change.layout).slots
    var writer = ValueWriter(engine: engine, keepsInline: true)
    for (index, property) in kept.enumerated() {
      // A composite has several columns, or none: there is one for a tombstone.
      guard let slot = slots.first(where: { $0.index == property.slot }), slot.columns.count == 1
      else { continue }
      _ = try writer.bind(
        change.valueBefore(at: property.slot), slot, to: row,
        at: HistoryRows.firstTombstone + Int32(index))
    }
  }
}
