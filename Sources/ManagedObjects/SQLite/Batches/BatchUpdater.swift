import DataModels
import Foundation
import PredicateFormat

/// Updates a batch's rows.
struct BatchUpdater: BatchRun {
  private let engine: SQLiteEngine
  private let batch: BatchUpdate
  private let entity: SchemaEntity
  private let writer: RowWriter
  private var values: ValueWriter
  private(set) var obsoleteFiles: [URL] = []
  /// The other ends of one-to-one relationships that are cleared, by entity and key, with the properties that changed.
  private var losses: [Int: [Int64: Set<String>]] = [:]

  var writtenFiles: [URL] { values.writtenFiles }
  private var connection: SQLiteConnection { engine.connection }
  private var keys: String { BatchSelection.keys(root: entity.rootNumber) }

  init(_ engine: SQLiteEngine, _ batch: BatchUpdate) throws {
    self.engine = engine
    self.batch = batch
    entity = try engine.entity(batch.query.layout)
    writer = try engine.writer(batch.query.layout)
    values = ValueWriter(engine: engine)
  }

  mutating func run() throws -> BatchOutcome {
    let selection = try BatchSelection(engine)
    try selection.add(batch.query, matching: batch.matching)
    let outcome = try selection.outcome(wantsIDs: batch.wantsIDs)
    if outcome.count > 0, !batch.values.isEmpty {
      try update()
      try writeHistory(selection, outcome.count)
    }
    try selection.clear()
    return outcome
  }

  // MARK: Assignments

  /// Releases what the rows refer to, and writes their values.
  private mutating func update() throws {
    let compiler = PredicateSQL(engine: engine, entity: entity)
    var computed: [(column: String, sql: String)] = []
    var constants: [(slot: RowWriter.Slot, value: StoredValue, order: String?)] = []
    var singly: [(slot: RowWriter.Slot, value: StoredValue)] = []
    for (property, value) in batch.values {
      guard let slot = writer.slots.first(where: { $0.index == property.slot }) else { continue }
      switch value {
      case .stored(let stored):
        if !slot.externalColumns.isEmpty, stored.mayNeedFile {
          // A file belongs to a single row.
          singly.append((slot, stored))
          continue
        }
        let order =
          property.kind == .toOne
          ? engine.schema.orderColumn(of: property.name, in: entity) : nil
        constants.append((slot, stored, order))
      case .expression(let tree):
        guard property.kind != .toOne, slot.columns.count == 1, let column = slot.columns.first,
          let sql = compiler.assignment(tree, to: property.attributeType)
        else {
          throw refusal(
            "SQL can't compute '\(tree.canonicalFormat)' as a value of '\(property.name)'")
        }
        computed.append((column, sql))
      }
    }
    var parameters = compiler.parameters
    // Values of other rows are those from before, whatever the order in which SQLite updates the rows.
    let comesFirst = computed.contains { $0.sql.contains("SELECT ") }
    if comesFirst {
      try compute(computed.map(\.sql), parameters)
      parameters = []
      for index in computed.indices {
        computed[index].sql =
          "(SELECT V\(index) FROM \(Self.table) v WHERE v.Z_PK = t0.Z_PK)"
      }
    }
    for (property, value) in batch.values { try release(property, value) }
    var assignments = computed.map { "\($0.column) = \($0.sql)" }
    // The expressions' parameters have the first numbers.
    var number = parameters.count
    for (slot, _, order) in constants {
      var isSame: [String] = []
      for column in slot.columns {
        number += 1
        assignments.append("\(column) = ?\(number)")
        isSame.append("t0.\(column) IS ?\(number)")
      }
      // A member that stays keeps its place.
      if let order {
        assignments.append(
          "\(order) = CASE WHEN \(isSame.joined(separator: " AND ")) THEN t0.\(order) END")
      }
    }
    assignments.append("Z_OPT = ifnull(t0.Z_OPT, 0) + 1")
    try engine.evaluating(expressionTexts) {
      try connection.withStatement(
        "UPDATE \(entity.table) AS t0 SET \(assignments.joined(separator: ", ")) "
          + "WHERE t0.Z_PK IN (\(keys))"
      ) { row in
        var index = try bind(parameters, to: row)
        for (slot, value, _) in constants {
          index = try values.bind(value, slot, to: row, at: index)
        }
        try row.run()
      }
    }
    if comesFirst { try connection.execute("DROP TABLE \(Self.table)") }
    for (slot, value) in singly { try writeFiles(value, slot) }
  }

  /// The temporary table of computed values.
  private static let table = "temp.MomKitBatchValues"

  /// Computes values of all rows before any of these changes.
  private func compute(_ values: [String], _ parameters: [SQLValue]) throws {
    let columns = values.indices.map { "V\($0)" }.joined(separator: ", ")
    try connection.execute(
      "DROP TABLE IF EXISTS \(Self.table); "
        + "CREATE TEMP TABLE MomKitBatchValues (Z_PK INTEGER PRIMARY KEY, \(columns))")
    try engine.evaluating(expressionTexts) {
      try connection.withStatement(
        "INSERT INTO \(Self.table) SELECT t0.Z_PK, \(values.joined(separator: ", ")) "
          + "FROM \(entity.table) AS t0 WHERE t0.Z_PK IN (\(keys))"
      ) { row in
        _ = try bind(parameters, to: row)
        try row.run()
      }
    }
  }

  /// Binds the first parameters of a statement, and returns the number of the next one.
  private func bind(_ parameters: [SQLValue], to row: SQLiteStatement) throws -> Int32 {
    var index: Int32 = 1
    for parameter in parameters {
      try parameter.bind(to: row, at: index)
      index += 1
    }
    return index
  }

  /// The expressions of the new values, for errors.
  private var expressionTexts: String {
    batch.values.compactMap {
      if case .expression(let tree) = $0.value { tree.canonicalFormat } else { nil }
    }.joined(separator: ", ")
  }

  /// Writes a separate file for each row.
  private mutating func writeFiles(_ value: StoredValue, _ slot: RowWriter.Slot) throws {
    let assignments = slot.columns.map { "\($0) = ?" }.joined(separator: ", ")
    var rows: [Int64] = []
    try connection.withStatement(keys) { row in
      while try row.step() { rows.append(row.integer(at: 0)) }
    }
    for key in rows {
      try connection.withStatement(
        "UPDATE \(entity.table) SET \(assignments) WHERE Z_PK = ?"
      ) { row in
        let next = try values.bind(value, slot, to: row, at: 1)
        try row.bind(key, at: next)
        try row.run()
      }
    }
  }

  private func refusal(_ problem: String) -> NSError {
    CoreDataError.make(
      NSCoreDataError, "A batch update of '\(entity.name)' can't be done: \(problem).")
  }

  // MARK: Old values

  /// Releases what the old values of a property refer to: files, and the other ends of one-to-one relationships.
  private mutating func release(_ property: PropertyLayout, _ value: BatchUpdate.Value) throws {
    guard let slot = writer.slots.first(where: { $0.index == property.slot }) else { return }
    if !slot.externalColumns.isEmpty {
      obsoleteFiles += try engine.externalFiles(
        of: slot.externalColumns, in: entity.table, where: "Z_PK IN (\(keys))")
    }
    guard let inverse = property.inverse, inverse.kind == .toOne,
      let destination = property.destination
    else { return }
    guard case .stored(.null) = value else {
      throw refusal(
        "'\(property.name)' is one-to-one, and can only be set to nil for many rows at once")
    }
    let other = try engine.entity(destination)
    guard let columns = other.toOnes[inverse.name] else { return }
    let clear = [columns.key, columns.targetEntity].compactMap { $0 }.map { "\($0) = NULL" }
    let condition =
      "\(columns.key) IN (\(keys)) AND \(engine.schema.isKind(of: other, column: "Z_ENT"))"
    if engine.historyWriter != nil {
      try connection.withStatement(
        "SELECT Z_PK, \(engine.schema.entityNumber(of: other, column: "Z_ENT")) "
          + "FROM \(other.table) WHERE \(condition)"
      ) { row in
        while try row.step() {
          let number = Int(truncatingIfNeeded: row.integer(at: 1))
          losses[number, default: [:]][row.integer(at: 0), default: []].insert(inverse.name)
        }
      }
    }
    try connection.execute(
      "UPDATE \(other.table) SET \(clear.joined(separator: ", ")), Z_OPT = ifnull(Z_OPT, 0) + 1 "
        + "WHERE \(condition)")
  }

  // MARK: History

  private func writeHistory(_ selection: BatchSelection, _ count: Int) throws {
    guard let history = engine.historyWriter else { return }
    let rows = try history.begin(
      rowCount: count + losses.values.reduce(0) { $0 + $1.count },
      contextName: batch.author.contextName, author: batch.author.author,
      engine: engine)
    defer { rows.end() }
    let names = batch.values.map(\.property.name)
    var columns: [Int: [UInt8]] = [:]
    for number in try selection.entities() {
      let layout = try engine.layout(number: number)
      columns[number] = try history.changedColumns(layout, engine).bytes(names)
    }
    try selection.forEach { number, key in
      try rows.write(.update, entity: number, key: key, columns: columns[number])
    }
    for (number, changes) in losses.sorted(by: { $0.key < $1.key }) {
      let columns = try history.changedColumns(try engine.layout(number: number), engine)
      for (key, names) in changes.sorted(by: { $0.key < $1.key }) {
        try rows.write(
          .update, entity: number, key: key, columns: columns.bytes(names.sorted()))
      }
    }
  }
}

extension StoredValue {
  /// Whether it may be stored in a file where the attribute allows that: large data, or a composite's elements.
  fileprivate var mayNeedFile: Bool {
    switch self {
    case .data(let data): data.count > ExternalData.threshold
    case .box: true
    case .null, .integer, .real, .text, .reference: false
    }
  }
}
