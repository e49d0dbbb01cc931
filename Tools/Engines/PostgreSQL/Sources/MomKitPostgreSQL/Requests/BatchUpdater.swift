import DataModels
import Foundation
@_spi(Engines) import MomKit
import PredicateFormat
import RelationalSchemas

/// Updates a batch's rows.
struct BatchUpdater {
  private let engine: PostgreSQLEngine
  private let connection: PostgreSQLConnection
  private let batch: BatchUpdate
  /// The other ends of one-to-one relationships that are cleared, by entity and key, with the properties that changed.
  private var losses: [String: [Int64: Set<String>]] = [:]

  init(_ engine: PostgreSQLEngine, _ connection: PostgreSQLConnection, _ batch: BatchUpdate) {
    (self.engine, self.connection, self.batch) = (engine, connection, batch)
  }

  mutating func run() throws -> (BatchOutcome, [HistoryTables.Change]) {
    let table = try engine.tables.table(batch.query.layout)
    let selection = try BatchSelection(engine, connection)
    try selection.add(batch.query, matching: batch.matching)
    let outcome = try selection.outcome(wantsIDs: batch.wantsIDs)
    guard outcome.count > 0, !batch.values.isEmpty else { return (outcome, []) }
    for (property, value) in batch.values { try release(property, value, table, selection) }
    try update(table, selection)
    var history: [HistoryTables.Change] = []
    if engine.tracksHistory {
      let names = batch.values.map(\.property.name)
      try selection.forEach { layout, key in
        history.append(
          HistoryTables.Change(entity: layout.name, key: key, kind: .update, properties: names))
      }
      for (entity, changed) in losses.sorted(by: { $0.key < $1.key }) {
        for (key, names) in changed.sorted(by: { $0.key < $1.key }) {
          history.append(
            HistoryTables.Change(
              entity: entity, key: key, kind: .update, properties: names.sorted()))
        }
      }
    }
    return (outcome, history)
  }

  private func update(_ table: EntityTable, _ selection: BatchSelection) throws {
    let compiler = PredicateSQL(engine.tables, engine.reference, table)
    var assignments = ["\(SQL.version) = t0.\(SQL.version) + 1"]
    for (property, value) in batch.values {
      guard let slot = table.slot(property.name) else { continue }
      switch value {
      case .stored(let stored):
        let value = try PostgreSQLCodec.value(stored, slot, engine.reference)
        assignments.append("\(slot.name) = \(compiler.bind(value))")
        if let position = position(of: slot, table) { assignments.append("\(position) = NULL") }
      case .expression(let tree):
        guard property.destinationLayout == nil, let value = compiler.operand(tree, compiler.scope),
          let sql = Self.assigned(value, slot.column.type)
        else {
          throw refusal(
            table, "SQL can't compute '\(tree.canonicalFormat)' as a value of '\(property.name)'")
        }
        assignments.append("\(slot.name) = \(sql)")
      }
    }
    let rows = "t0.\(SQL.key) IN (\(BatchSelection.keys(table)))"
    let from = compiler.from(compiler.scope.row)
    guard from == "\(table.name) t0" else {
      throw refusal(table, "values of other objects can't be assigned")
    }
    try selection.run(
      "UPDATE \(from) SET \(assignments.joined(separator: ", ")) WHERE \(rows)", compiler.parameters
    )
  }

  /// Returns the position column that accompanies a to-one relationship's key.
  private func position(of slot: EntityTable.Slot, _ table: EntityTable) -> String? {
    guard let inverse = slot.property.inverseProperty, inverse.isToMany,
      let owner = slot.property.destinationLayout,
      case .key(_, _, let position?)? = engine.tables.schema.entities[owner.name]?.toManys[
        inverse.name]
    else { return nil }
    return SQL.quoted(table.table.columns[position].name)
  }

  /// Returns a computed value converted to a column's type. As in SQLite stores, numbers beyond 64 bits are clamped,
  /// what narrower integers can't hold is reduced to its low bits, and what isn't a number is nil.
  private static func assigned(_ value: SQLOperand, _ type: RelationalType) -> String? {
    let isReal = value.type == .real
    func integer(bits: Int, _ name: String) -> String? {
      guard value.type.isNumeric else { return nil }
      let number = NumberSQL.integer(value.number, isReal: isReal, bits: 64)
      guard bits < 64 else { return "(\(number))::\(name)" }
      // SQLite's sums don't exceed 64 bits either.
      let half = Int64(1) << (bits - 1)
      let sum = "least((\(number))::numeric + \(half), \(Int64.max))::bigint"
      // `least` ignores NULL, so it must not get there.
      return "CASE WHEN (\(number)) IS NOT NULL "
        + "THEN ((\(sum) & \(half * 2 - 1)) - \(half))::\(name) END"
    }
    switch (type, value.type) {
    case (.int16, _): return integer(bits: 16, "smallint")
    case (.int32, _): return integer(bits: 32, "integer")
    case (.int64, _): return integer(bits: 64, "bigint")
    case (.double, let other) where other.isNumeric: return "(\(value.number))::float8"
    case (.float, let other) where other.isNumeric: return "(\(value.number))::real"
    case (.decimal, let other) where other.isNumeric:
      return isReal ? NumberSQL.decimal(ofReal: value.number) : "(\(value.number))::numeric"
    case (.boolean, .boolean): return value.sql
    case (.boolean, let other) where other.isNumeric: return "(\(value.sql) <> 0)"
    case (.text, .text), (.date, .date), (.uuid, .uuid), (.url, .url): return value.sql
    default: return nil
    }
  }

  private func refusal(_ table: EntityTable, _ problem: String) -> NSError {
    PostgreSQLStore.error(
      NSCoreDataError, "A batch update of '\(table.layout.name)' can't be done: \(problem).")
  }

  /// Clears the other ends of one-to-one relationships.
  private mutating func release(
    _ property: PropertyLayout, _ value: BatchUpdate.Value, _ table: EntityTable,
    _ selection: BatchSelection
  ) throws {
    guard let inverse = property.inverseProperty, !inverse.isToMany, inverse.isOfValues,
      let destination = property.destinationLayout
    else { return }
    guard case .stored(.null) = value else {
      throw refusal(
        table, "'\(property.name)' is one-to-one, and can only be set to nil for many rows at once")
    }
    let other = try engine.tables.table(destination)
    guard let slot = other.slot(inverse.name) else { return }
    var statement = PostgreSQLConnection.Statement(
      "UPDATE \(other.name) AS d SET \(slot.name) = NULL, \(SQL.version) = d.\(SQL.version) + 1 "
        + "WHERE d.\(slot.name) IN (\(BatchSelection.keys(table))) "
        + "RETURNING d.\(SQL.key), \(other.label("d"))")
    statement.isKept = false
    try connection.run(statement) { row in
      guard let layout = engine.tables.layouts.entity(labeled: row.text(1)) else { return }
      losses[layout.name, default: [:]][try row.integer(0), default: []].insert(inverse.name)
    }
  }
}
