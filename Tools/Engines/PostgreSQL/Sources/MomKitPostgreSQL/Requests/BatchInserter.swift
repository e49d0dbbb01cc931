import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Inserts a batch's rows.
struct BatchInserter {
  typealias Statement = PostgreSQLConnection.Statement

  private let engine: PostgreSQLEngine
  private let connection: PostgreSQLConnection
  private let batch: BatchInsertion
  private let rows: BatchRows
  private let table: EntityTable
  /// The uniqueness constraints, if the merge policy handles violations.
  private let uniques: [RelationalUnique]
  private var inserted: [Int64] = []
  private var updated: [(key: Int64, layout: EntityLayout, slots: [EntityTable.Slot])] = []
  /// How many rows are written at once: more if each of them needn't be looked for first.
  private var rowsAtOnce: Int { uniques.isEmpty ? 20_000 : 2_000 }
  /// Rows that have been read but not yet written.
  private var pending: [BatchInsertion.Row] = []
  /// The constrained values of the pending rows.
  private var pendingValues: Set<[PostgreSQLValue]> = []

  init(
    _ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ batch: BatchInsertion,
    _ rows: BatchRows
  ) throws {
    (self.engine, self.connection, self.batch, self.rows) = (engine, connection, batch, rows)
    table = try engine.tables.table(batch.layout)
    let applying = table.table.uniques.filter {
      $0.entityNames?.contains(batch.layout.name) ?? true
    }
    uniques = batch.policy == .errorMergePolicyType ? [] : applying
  }

  mutating func run() throws -> BatchOutcome {
    if !uniques.isEmpty {
      // Rows that don't exist yet can't be locked, so nobody else may write to the table.
      try connection.execute("LOCK TABLE \(table.name) IN SHARE ROW EXCLUSIVE MODE")
    }
    while let row = try rows.read() {
      let values = try uniqueValues(row).map { $0.map(\.identity) }
      if values.contains(where: { pendingValues.contains($0) }) { try flush() }
      pending.append(row)
      pendingValues.formUnion(values)
      if pending.count >= rowsAtOnce { try flush() }
    }
    try flush()
    return outcome()
  }

  /// Returns the values of each constraint, preceded by its index; constraints with a missing value are omitted.
  private func uniqueValues(_ row: BatchInsertion.Row) throws -> [[PostgreSQLValue]] {
    try uniques.enumerated().compactMap { index, unique in
      var values: [PostgreSQLValue] = [.int8(Int64(index))]
      for name in unique.properties {
        guard let slot = table.slot(name) else { return nil }
        let value = try PostgreSQLCodec.value(
          row.values[slot.property.slot], slot, engine.reference)
        if case .null = value { return nil }
        values.append(value)
      }
      return values
    }
  }

  private mutating func flush() throws {
    var rows = pending
    pending = []
    pendingValues = []
    if !uniques.isEmpty, !rows.isEmpty {
      let present = try presentRows(rows)
      var new: [BatchInsertion.Row] = []
      for (row, found) in zip(rows, present) {
        if let found { try resolve(row, found) } else { new.append(row) }
      }
      rows = new
    }
    guard !rows.isEmpty else { return }
    let first = try engine.reserveKeys(rows.count, for: batch.layout.root)
    let writing = RowWriting(table, engine.reference)
    if rows.count > RowWriting.rowsAtOnce {
      try writing.copy(rows.lazy.map(\.values), firstKey: first, to: connection)
    } else {
      var changes = StoreChanges()
      for (index, row) in rows.enumerated() {
        changes.insert(batch.layout, key: first + Int64(index), values: row.values)
      }
      try connection.runAll(try writing.insertions(Array(changes.inserted)[...])) { _, _, _ in }
    }
    inserted += (0..<rows.count).map { first + Int64($0) }
  }

  /// A row that has the constrained values of a row to insert.
  private struct PresentRow {
    let key: Int64
    /// Its entity, or nil if it isn't the batch's or a subentity of it: the row then lacks values of the batch.
    let layout: EntityLayout?
  }

  /// Returns, for each row, the existing row that a constraint doesn't allow beside it.
  private func presentRows(_ rows: [BatchInsertion.Row]) throws -> [PresentRow?] {
    var present = [PresentRow?](repeating: nil, count: rows.count)
    var statements: [Statement] = []
    var places: [Int] = []
    for (place, row) in rows.enumerated() {
      for values in try uniqueValues(row) {
        guard case .int8(let index)? = values.first else { continue }
        let unique = uniques[Int(index)]
        var parameters = PostgreSQLParameters()
        var conditions: [String] = []
        for (column, value) in zip(unique.columns, values.dropFirst()) {
          parameters.append(value)
          conditions.append("\(SQL.quoted(column)) = $\(parameters.count)")
        }
        // Other entities of the hierarchy may have the same values.
        if let names = unique.entityNames {
          conditions.append(
            "\(SQL.entity) IN (\(names.map(SQL.label).joined(separator: ", ")))")
        }
        statements.append(
          Statement(
            "SELECT \(SQL.key), \(table.label("d")) FROM \(table.name) d WHERE "
              + "\(conditions.joined(separator: " AND ")) LIMIT 1", parameters))
        places.append(place)
      }
    }
    try connection.runAll(statements) { number, _, rows in
      guard let row = rows.first, present[places[number]] == nil else { return }
      let layout = engine.tables.layouts.entity(labeled: row.text(1))
      present[places[number]] = PresentRow(
        key: try row.integer(0),
        layout: layout.flatMap { $0.isKind(of: batch.layout) ? $0 : nil })
    }
    return present
  }

  private mutating func resolve(_ row: BatchInsertion.Row, _ present: PresentRow) throws {
    let slots: [EntityTable.Slot]
    switch batch.policy {
    case .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType, .rollbackMergePolicyType:
      return
    case .mergeByPropertyObjectTrumpMergePolicyType:
      let given = Set(row.given)
      slots = table.slots.filter { given.contains($0.property.slot) }
    case .overwriteMergePolicyType:
      slots = table.slots.filter { $0.property.destinationLayout == nil }
    }
    guard let layout = present.layout else {
      throw PostgreSQLStore.error(
        NSManagedObjectConstraintMergeError,
        "Values that must be unique are already those of an object of another entity.")
    }
    var parameters = PostgreSQLParameters()
    parameters.append(present.key)
    var sql = "UPDATE \(table.name) SET \(SQL.version) = \(SQL.version) + 1"
    for slot in slots {
      parameters.append(
        try PostgreSQLCodec.value(row.values[slot.property.slot], slot, engine.reference))
      sql += ", \(slot.name) = $\(parameters.count)"
    }
    try connection.run(Statement("\(sql) WHERE \(SQL.key) = $1", parameters))
    updated.append((present.key, layout, slots))
  }

  // MARK: What was done

  /// The changes to record in persistent history.
  var history: [HistoryTables.Change] {
    let name = batch.layout.name
    // A row inserted by this batch counts as inserted even if the batch then updated it.
    let new = updated.isEmpty ? [] : Set(inserted)
    return inserted.map { HistoryTables.Change(entity: name, key: $0, kind: .insert) }
      + updated.filter { !new.contains($0.key) }.map {
        HistoryTables.Change(
          entity: $0.layout.name, key: $0.key, kind: .update,
          properties: $0.slots.map(\.property.name))
      }
  }

  private func outcome() -> BatchOutcome {
    var outcome = BatchOutcome()
    var seen = Set(inserted)
    let others = updated.filter { seen.insert($0.key).inserted }
    outcome.count = inserted.count + others.count
    if batch.wantsIDs {
      let rows = inserted.map { (batch.layout, $0) } + others.map { ($0.layout, $0.key) }
      outcome.ids = rows.map { layout, key in
        NSManagedObjectID(layout: layout, store: engine.reference, key: key)
      }
    }
    return outcome
  }
}
