import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Finds what caused a save to fail: rows that others changed and values that others already use.
struct SaveConflictSearch {
  private let engine: PostgreSQLEngine
  private let changes: StoreChanges

  /// Values covered by a uniqueness constraint.
  private struct Values: Hashable {
    let table: Int
    let constraint: String
    let values: [PostgreSQLValue]
    let identities: [PostgreSQLValue]

    init(table: Int, constraint: String, values: [PostgreSQLValue]) {
      (self.table, self.constraint, self.values) = (table, constraint, values)
      identities = values.map(\.identity)
    }
  }

  init(_ engine: PostgreSQLEngine, _ changes: StoreChanges) {
    (self.engine, self.changes) = (engine, changes)
  }

  /// Returns all conflicts, read from one snapshot of the store.
  func conflicts() throws -> StoreConflicts {
    try engine.withConnection(NSPersistentStoreSaveError) { connection in
      try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
      defer { if !connection.isBroken { try? connection.execute("ROLLBACK") } }
      var conflicts = StoreConflicts()
      try addVersions(to: &conflicts, connection)
      try addClashes(to: &conflicts, connection)
      if conflicts.isEmpty { try addMissingReferences(to: &conflicts, connection) }
      return conflicts
    }
  }

  private func changedSlots(of row: RowChange) throws -> [Int] {
    try RowWriting(engine.tables.table(row.layout), engine.reference).changedSlots(of: row)
  }

  // MARK: Versions

  private func addVersions(
    to conflicts: inout StoreConflicts, _ connection: PostgreSQLConnection
  ) throws {
    let joined = Set(changes.members.map { RowKey($0.owner) })
    let written = try changes.updated.filter { row in
      try !changedSlots(of: row).isEmpty || joined.contains(RowKey(row))
    }
    // Rows that were gone are to be written again, and another writer may have done so.
    let back = changes.inserted.filter { $0.version != 0 }
    let asked = Array(changes.deleted) + changes.guarded + written
    var keys: [Int: (root: EntityLayout, keys: [Int64])] = [:]
    for row in asked + back {
      let table = try engine.tables.table(row.layout).entity.table
      keys[table, default: (row.layout.root, [])].keys.append(row.key)
    }
    var present: [RowKey: StoredRow] = [:]
    for (root, keys) in keys.values {
      let shape = try engine.tables.shape(root)
      var parameters = PostgreSQLParameters()
      parameters.append(keys: keys)
      for row in try rows(
        "SELECT \(shape.columns) FROM \(shape.table.name) t0 WHERE t0.\(SQL.key) = ANY ($1)",
        parameters, shape, connection)
      { present[RowKey(layout: row.layout, key: row.key)] = row }
    }
    let deleted = Set(changes.deleted.map { RowKey($0) })
    for row in asked {
      let key = RowKey(row)
      let found = present[key]
      if found == nil, deleted.contains(key) { continue }
      guard found?.version != row.version else { continue }
      conflicts.versions.append((key, found))
    }
    for row in back {
      if let found = present[RowKey(row)] { conflicts.versions.append((RowKey(row), found)) }
    }
  }

  private func rows(
    _ sql: String, _ parameters: PostgreSQLParameters, _ shape: RowShape,
    _ connection: PostgreSQLConnection
  ) throws -> [StoredRow] {
    var decoder = RowDecoder(store: engine.reference, layouts: engine.tables.layouts)
    var found: [StoredRow] = []
    try connection.run(PostgreSQLConnection.Statement(sql, parameters)) { row in
      let reader = try shape.reader(of: row)
      found.append(
        StoredRow(
          layout: reader.layout, key: try row.integer(0), version: try row.integer(1),
          values: try decoder.values(row, reader)))
    }
    return found
  }

  // MARK: References

  /// Adds the references to rows that others have deleted, or that the save itself deletes.
  private func addMissingReferences(
    to conflicts: inout StoreConflicts, _ connection: PostgreSQLConnection
  ) throws {
    let new = Set(changes.inserted.map { RowKey($0) })
    let references = changes.unguardedReferences.filter {
      $0.target.storeReference === engine.reference && !new.contains(RowKey($0.target))
    }
    var asked: [Int: (table: EntityTable, keys: [Int64])] = [:]
    for reference in references {
      let table = try engine.tables.table(reference.target.layout)
      asked[table.entity.table, default: (table, [])].keys.append(reference.target.key)
    }
    var present: Set<RowKey> = []
    for (table, keys) in asked.values {
      var parameters = PostgreSQLParameters()
      parameters.append(keys: keys)
      try connection.run(
        PostgreSQLConnection.Statement(
          "SELECT \(SQL.key) FROM \(table.name) WHERE \(SQL.key) = ANY ($1)", parameters)
      ) { row in present.insert(RowKey(layout: table.layout, key: try row.integer(0))) }
    }
    let gone = Set(changes.deleted.map { RowKey($0) })
    conflicts.references = references.filter {
      let target = RowKey($0.target)
      return !present.contains(target) || gone.contains(target)
    }
  }

  // MARK: Values that must be unique

  private func addClashes(
    to conflicts: inout StoreConflicts, _ connection: PostgreSQLConnection
  ) throws {
    var holders: [Values: [RowKey]] = [:]
    var asked: [(values: Values, unique: RelationalUnique, row: RowChange)] = []
    // Rows that only get another version, because their members change, keep the values that they have.
    let updated = try changes.updated.filter { !(try changedSlots(of: $0).isEmpty) }
    for (rows, areNew) in [(Array(changes.inserted), true), (updated, false)] {
      for row in rows where row.hasValues {
        let table = try engine.tables.table(row.layout)
        for unique in table.table.uniques {
          guard unique.entityNames?.contains(row.layout.name) ?? true,
            let values = try values(of: row, unique, table)
          else { continue }
          holders[values, default: []].append(RowKey(row))
          let isChanged =
            areNew
            || unique.properties.contains { name in
              table.slot(name).map { row.differs(in: $0.property) } ?? false
            }
          if isChanged { asked.append((values, unique, row)) }
        }
      }
    }
    var told: Set<Values> = []
    for (values, unique, row) in asked where told.insert(values).inserted {
      let rows = holders[values] ?? []
      if rows.count > 1 {
        conflicts.constraints.append(
          StoreConflicts.Clash(constraint: unique.properties, rows: rows))
      } else if let present = try present(
        values, unique, row, besides: Array(changes.deleted) + updated, connection)
      {
        conflicts.constraints.append(
          StoreConflicts.Clash(
            constraint: unique.properties, rows: [RowKey(row)], present: present))
      }
    }
  }

  private func values(
    of row: RowChange, _ unique: RelationalUnique, _ table: EntityTable
  ) throws -> Values? {
    var values: [PostgreSQLValue] = []
    for name in unique.properties {
      guard let slot = table.slot(name) else { return nil }
      let value = try PostgreSQLCodec.value(
        row.value(of: slot.property), slot, engine.reference)
      // A missing value equals nothing.
      if case .null = value { return nil }
      values.append(value)
    }
    return Values(table: table.entity.table, constraint: unique.name, values: values)
  }

  /// Returns the row in the store that has the values and will keep them.
  private func present(
    _ values: Values, _ unique: RelationalUnique, _ row: RowChange, besides others: [RowChange],
    _ connection: PostgreSQLConnection
  ) throws -> StoredRow? {
    let shape = try engine.tables.shape(row.layout.root)
    var parameters = PostgreSQLParameters()
    parameters.append(row.key)
    var sql = "SELECT \(shape.columns) FROM \(shape.table.name) t0 WHERE t0.\(SQL.key) <> $1"
    for (column, value) in zip(unique.columns, values.values) {
      parameters.append(value)
      sql += " AND t0.\(SQL.quoted(column)) = $\(parameters.count)"
    }
    if let names = unique.entityNames {
      sql += " AND t0.\(SQL.entity) IN (\(names.map(SQL.label).joined(separator: ", ")))"
    }
    let gone = Set(others.map { RowKey($0) })
    return try rows(sql, parameters, shape, connection).first {
      // Rows that this save changes will have other values once everything is written.
      !gone.contains(RowKey(layout: $0.layout, key: $0.key))
    }
  }
}
