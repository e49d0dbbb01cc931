import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Deletes a batch's rows and applies the delete rules of their relationships.
struct BatchDeleter {
  private let engine: PostgreSQLEngine
  private let connection: PostgreSQLConnection
  private let batch: BatchDeletion
  /// Rows of other objects that lose a reference, with the properties that change.
  private var losses: [String: [Int64: Set<String>]] = [:]
  private(set) var history: [HistoryTables.Change] = []

  init(_ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ batch: BatchDeletion) {
    (self.engine, self.connection, self.batch) = (engine, connection, batch)
  }

  mutating func run() throws -> BatchOutcome {
    if let outcome = try runAtOnce() { return outcome }
    let selection = try BatchSelection(engine, connection)
    switch batch.rows {
    case .ids(let ids): try selection.add(ids)
    case .query(let query): try selection.add(query, matching: batch.matching)
    }
    let outcome = try selection.outcome(wantsIDs: batch.wantsIDs)
    guard outcome.count > 0 else { return outcome }
    try cascade(selection)
    let layouts = try selection.entities()
    for layout in layouts { try release(layout, selection) }
    if engine.tracksHistory { try noteHistory(selection, layouts) }
    // Remaining join rows and references are removed by the foreign keys.
    var told: Set<Int> = []
    for layout in layouts {
      let table = try engine.tables.table(layout)
      guard told.insert(table.entity.table).inserted else { continue }
      try selection.run(
        "DELETE FROM \(table.name) WHERE \(SQL.key) IN (\(BatchSelection.keys(table)))")
    }
    return outcome
  }

  /// Deletes the rows by a single statement and returns their number, or returns nil if that isn't enough: because
  /// somebody wants to know which they are, because they have relationships, or because the server can't compute which
  /// they are.
  private func runAtOnce() throws -> BatchOutcome? {
    guard case .query(let query) = batch.rows, !batch.wantsIDs, !engine.tracksHistory else {
      return nil
    }
    let shape = try engine.tables.shape(
      query.layout, includesSubentities: query.includesSubentities)
    let isAlone = shape.table.entity.rowEntities.allSatisfy { name in
      engine.tables.layouts[name].map { $0.toOnes.isEmpty && $0.toManys.isEmpty } ?? false
    }
    guard isAlone,
      let statement = FetchStatement(query, shape, engine.tables, engine.reference).deletion,
      let count = try connection.attempt(statement)
    else { return nil }
    var outcome = BatchOutcome()
    outcome.count = count
    return outcome
  }

  // MARK: Cascades

  /// Selects the objects that deletion cascades to, round by round until none are added.
  private func cascade(_ selection: BatchSelection) throws {
    var round = 0
    var isNew = true
    while isNew {
      isNew = false
      for layout in try selection.entities(round: round) {
        let table = try engine.tables.table(layout)
        for property in layout.toOnes + layout.toManys
        where Self.rule(property) == .cascadeDeleteRule && !property.isTransient {
          guard let destination = property.destinationLayout,
            let target = try? engine.tables.table(destination),
            let rows = destinations(of: property, table, round: round)
          else { continue }
          if try selection.add(from: target, where: rows, round: round + 1) > 0 { isNew = true }
        }
      }
      round += 1
    }
  }

  private static func rule(_ property: PropertyLayout) -> NSDeleteRule {
    (property.description as? NSRelationshipDescription)?.deleteRule ?? .noActionDeleteRule
  }

  /// Returns the condition for rows `d` of a relationship's destination that are related to a selected row.
  private func destinations(
    of property: PropertyLayout, _ table: EntityTable, round: Int? = nil
  ) -> String? {
    let keys = BatchSelection.keys(table, entity: table.layout.name, round: round)
    if !property.isToMany {
      return table.slot(property.name).map {
        "d.\(SQL.key) IN (SELECT \($0.name) FROM \(table.name) WHERE \(SQL.key) IN (\(keys)))"
      }
    }
    switch table.entity.toManys[property.name] {
    case .key(let target, let column, _)?:
      let name = engine.tables.schema.tables[target].columns[column].name
      return "d.\(SQL.quoted(name)) IN (\(keys))"
    case .join(let index, let isOwner)?:
      let join = engine.tables.schema.joinTables[index]
      return
        "d.\(SQL.key) IN (SELECT \(SQL.quoted(join.otherColumn(isOwner: isOwner))) FROM "
        + "\(SQL.quoted(join.name)) WHERE \(SQL.quoted(join.ownColumn(isOwner: isOwner))) IN (\(keys)))"
    case nil: return nil
    }
  }

  // MARK: References

  /// Removes an entity's selected rows from the relationships of remaining rows.
  private mutating func release(_ layout: EntityLayout, _ selection: BatchSelection) throws {
    let table = try engine.tables.table(layout)
    for property in layout.toOnes + layout.toManys where !property.isTransient {
      guard let destination = property.destinationLayout,
        let target = try? engine.tables.table(destination),
        let rows = destinations(of: property, table)
      else { continue }
      let stays = "d.\(SQL.key) NOT IN (\(BatchSelection.keys(target)))"
      switch Self.rule(property) {
      case .denyDeleteRule:
        guard try count(target, "\(rows) AND \(stays)") == 0 else {
          throw PostgreSQLStore.error(
            NSValidationRelationshipDeniedDeleteError,
            "Rows of \(layout.name) can't be deleted: '\(property.name)' denies it while it has "
              + "destinations.", [NSValidationKeyErrorKey: property.name])
        }
      case .noActionDeleteRule: continue
      default:
        guard let inverse = property.inverseProperty else { continue }
        if inverse.isToMany {
          try leave(property, inverse, target, "\(rows) AND \(stays)", table, selection)
        } else if let slot = target.slot(inverse.name) {
          let keys = BatchSelection.keys(table, entity: layout.name)
          try clear(
            property, inverse, slot, target, "d.\(slot.name) IN (\(keys)) AND \(stays)", selection)
        }
      }
    }
  }

  private func count(_ table: EntityTable, _ condition: String) throws -> Int {
    var statement = PostgreSQLConnection.Statement(
      "SELECT count(*) FROM \(table.name) d WHERE \(condition)")
    statement.isKept = false
    var count = 0
    try connection.run(statement) { count = Int(try $0.integer(0)) }
    return count
  }

  /// Records rows `d` as changed, and returns their number.
  private mutating func note(
    _ target: EntityTable, _ condition: String, _ name: String
  ) throws -> Int {
    guard engine.tracksHistory else { return try count(target, condition) }
    var statement = PostgreSQLConnection.Statement(
      "SELECT d.\(SQL.key), \(target.label("d")) FROM \(target.name) d WHERE \(condition)")
    statement.isKept = false
    var count = 0
    try connection.run(statement) { row in
      count += 1
      guard let layout = engine.tables.layouts.entity(labeled: row.text(1)) else { return }
      losses[layout.name, default: [:]][try row.integer(0), default: []].insert(name)
    }
    return count
  }

  private mutating func clear(
    _ property: PropertyLayout, _ inverse: PropertyLayout, _ slot: EntityTable.Slot,
    _ target: EntityTable, _ condition: String, _ selection: BatchSelection
  ) throws {
    guard try note(target, condition, inverse.name) > 0 else { return }
    if !inverse.isOptional { throw mandatory(property, inverse) }
    var sql = "UPDATE \(target.name) AS d SET \(slot.name) = NULL, "
    if property.isOrdered,
      case .key(let table, _, let position?)? = engine.tables.schema.entities[
        inverse.destinationLayout?.name ?? ""]?.toManys[property.name]
    {
      sql += "\(SQL.quoted(engine.tables.schema.tables[table].columns[position].name)) = NULL, "
    }
    try selection.run("\(sql)\(SQL.version) = \(SQL.version) + 1 WHERE \(condition)")
  }

  /// Removes the selected rows from to-many relationships of remaining rows.
  private mutating func leave(
    _ property: PropertyLayout, _ inverse: PropertyLayout, _ target: EntityTable,
    _ condition: String, _ table: EntityTable, _ selection: BatchSelection
  ) throws {
    let least = (inverse.description as? NSRelationshipDescription)?.minCount ?? 0
    if least > 0, let members = members(of: inverse, target) {
      let rest = "SELECT count(*) \(members) NOT IN (\(BatchSelection.keys(table)))"
      let short = try count(target, "\(condition) AND (\(rest)) < \(least)")
      guard short == 0 else { throw mandatory(property, inverse) }
    }
    // The owner of a one-to-many relationship stores nothing of it in its own row.
    guard case .join? = target.entity.toManys[inverse.name] else { return }
    // Nor does it in a many-to-many one, whose change only history tells.
    _ = try note(target, condition, inverse.name)
  }

  /// The rows of a to-many relationship's members of row `d`, as a clause that ends with their keys.
  private func members(of property: PropertyLayout, _ owner: EntityTable) -> String? {
    let schema = engine.tables.schema
    switch owner.entity.toManys[property.name] {
    case .key(let target, let column, _)?:
      let table = schema.tables[target]
      return "FROM \(SQL.quoted(table.name)) m WHERE "
        + "m.\(SQL.quoted(table.columns[column].name)) = d.\(SQL.key) AND m.\(SQL.key)"
    case .join(let index, let isOwner)?:
      let join = schema.joinTables[index]
      return "FROM \(SQL.quoted(join.name)) m WHERE "
        + "m.\(SQL.quoted(join.ownColumn(isOwner: isOwner))) = d.\(SQL.key) AND "
        + "m.\(SQL.quoted(join.otherColumn(isOwner: isOwner)))"
    case nil: return nil
    }
  }

  private func mandatory(_ property: PropertyLayout, _ inverse: PropertyLayout) -> NSError {
    let kind = inverse.isToMany ? (property.isToMany ? "MTM" : "OTM") : "OTO"
    return PostgreSQLStore.error(
      NSPersistentStoreSaveConflictsError,
      "Constraint trigger violation: Batch delete failed due to mandatory \(kind) nullify inverse "
        + "on \(inverse.destinationLayout?.name ?? "")/\(property.name)",
      [NSValidationKeyErrorKey: inverse.name])
  }

  // MARK: History

  private mutating func noteHistory(
    _ selection: BatchSelection, _ layouts: [EntityLayout]
  ) throws {
    for (entity, changed) in losses.sorted(by: { $0.key < $1.key }) {
      for (key, names) in changed.sorted(by: { $0.key < $1.key }) {
        history.append(
          HistoryTables.Change(
            entity: entity, key: key, kind: .update, properties: names.sorted()))
      }
    }
    var tombstones: [RowKey: Data] = [:]
    for layout in layouts {
      let table = try engine.tables.table(layout)
      let kept = HistoryTables.tombstones(table)
      guard !kept.isEmpty else { continue }
      let shape = try engine.tables.shape(layout, includesSubentities: false)
      var statement = PostgreSQLConnection.Statement(
        "SELECT \(shape.columns) FROM \(table.name) t0 WHERE t0.\(SQL.key) IN "
          + "(\(BatchSelection.keys(table, entity: layout.name)))")
      statement.isKept = false
      var decoder = RowDecoder(store: engine.reference, layouts: engine.tables.layouts)
      try connection.run(statement) { row in
        let values = try decoder.values(row, try shape.reader(of: row))
        tombstones[RowKey(layout: layout, key: try row.integer(0))] =
          try HistoryTables.tombstone(kept, values)
      }
    }
    try selection.forEach { layout, key in
      history.append(
        HistoryTables.Change(
          entity: layout.name, key: key, kind: .delete,
          tombstone: tombstones[RowKey(layout: layout, key: key)]))
    }
  }
}
