@_spi(Engines) import MomKit

/// The statements that write an entity's rows.
struct RowWriting {
  typealias Statement = PostgreSQLConnection.Statement

  /// The number of rows from which a single statement writes them all.
  static let manyRows = 16
  /// The maximum number of rows per statement.
  static let rowsAtOnce = 4000

  let table: EntityTable
  let store: StoreReference

  init(_ table: EntityTable, _ store: StoreReference) {
    (self.table, self.store) = (table, store)
  }

  // MARK: New rows

  /// Returns the statements that insert rows of the entity.
  func insertions(_ rows: ArraySlice<RowChange>) throws -> [Statement] {
    guard rows.count >= Self.manyRows else { return try rows.map(insertion) }
    return try stride(from: rows.startIndex, to: rows.endIndex, by: Self.rowsAtOnce).map {
      try insertion(of: rows[$0..<min($0 + Self.rowsAtOnce, rows.endIndex)])
    }
  }

  private var columns: String {
    ([SQL.key, SQL.version] + (hasEntity ? [SQL.entity] : []) + table.slots.map(\.name))
      .joined(separator: ", ")
  }

  private var hasEntity: Bool { table.table.entityType != nil }

  private func insertion(_ row: RowChange) throws -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(row.key)
    parameters.append(row.version &+ 1)
    if hasEntity { parameters.append(label: table.layout.name) }
    for slot in table.slots {
      parameters.append(try PostgreSQLCodec.value(row.value(of: slot.property), slot, store))
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    return Statement("INSERT INTO \(table.name) (\(columns)) VALUES (\(marks))", parameters)
  }

  /// Returns a single statement for many rows, with one array parameter per column.
  private func insertion(of rows: ArraySlice<RowChange>) throws -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(keys: rows.map(\.key))
    parameters.append(keys: rows.map { $0.version &+ 1 })
    for slot in table.slots {
      parameters.append(array: try values(slot, rows), of: slot.column.type.number)
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    let names = (0..<parameters.count).map { "c\($0)" }
    var selected = names
    if let type = table.table.entityType {
      selected.insert("\(SQL.literal(table.layout.name))::\(SQL.quoted(type))", at: 2)
    }
    return Statement(
      "INSERT INTO \(table.name) (\(columns)) SELECT \(selected.joined(separator: ", ")) "
        + "FROM unnest(\(marks)) AS v(\(names.joined(separator: ", ")))", parameters)
  }

  /// Inserts rows by `COPY`, which is the fastest way, but none that a pipeline can contain.
  ///
  /// - Parameters:
  ///   - rows: the values of each row, by slot.
  ///   - firstKey: the key of the first one; the others follow.
  func copy(
    _ rows: some Sequence<[StoredValue]>, firstKey: Int64, to connection: PostgreSQLConnection
  ) throws {
    try connection.beginCopy("COPY \(table.name) (\(columns)) FROM STDIN (FORMAT binary)")
    do {
      var line: [PostgreSQLValue] = []
      for (number, values) in rows.enumerated() {
        line.removeAll(keepingCapacity: true)
        line.append(.int8(firstKey + Int64(number)))
        line.append(.int8(1))
        if hasEntity { line.append(.text(table.layout.name)) }
        for slot in table.slots {
          line.append(try PostgreSQLCodec.value(values[slot.property.slot], slot, store))
        }
        try connection.copyRow(line)
      }
    } catch {
      if !connection.isBroken { try? connection.endCopy(isGivenUp: true) }
      throw error
    }
    try connection.endCopy()
  }

  private func values(
    _ slot: EntityTable.Slot, _ rows: some Sequence<RowChange>
  ) throws -> [PostgreSQLValue] {
    try rows.map { try PostgreSQLCodec.value($0.value(of: slot.property), slot, store) }
  }

  // MARK: Changed rows

  /// Returns the slots whose values differ from those that were read.
  func changedSlots(of row: RowChange) -> [Int] {
    guard row.mayDiffer else { return [] }
    return table.slots.indices.filter { row.differs(in: table.slots[$0].property) }
  }

  /// Returns the statements that update some slots of rows, each with the number of rows it must affect: all that
  /// still have the version that was read.
  func updates(
    _ rows: [RowChange], slots: [Int]
  ) throws -> [(statement: Statement, count: Int)] {
    if rows.count < Self.manyRows { return try rows.map { (try update($0, slots), 1) } }
    return try stride(from: 0, to: rows.count, by: Self.rowsAtOnce).map { start in
      let part = rows[start..<min(start + Self.rowsAtOnce, rows.count)]
      return (try update(of: part, slots), part.count)
    }
  }

  private func update(_ row: RowChange, _ slots: [Int]) throws -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(row.key)
    parameters.append(row.version)
    var sql = "UPDATE \(table.name) SET \(SQL.version) = \(SQL.version) + 1"
    for index in slots {
      let slot = table.slots[index]
      parameters.append(try PostgreSQLCodec.value(row.value(of: slot.property), slot, store))
      sql += ", \(slot.name) = $\(parameters.count)"
    }
    return Statement("\(sql) WHERE \(SQL.key) = $1 AND \(SQL.version) = $2", parameters)
  }

  private func update(of rows: ArraySlice<RowChange>, _ slots: [Int]) throws -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(keys: rows.map(\.key))
    parameters.append(keys: rows.map(\.version))
    var sql = "UPDATE \(table.name) t SET \(SQL.version) = t.\(SQL.version) + 1"
    for index in slots {
      let slot = table.slots[index]
      sql += ", \(slot.name) = v.c\(parameters.count)"
      parameters.append(array: try values(slot, rows), of: slot.column.type.number)
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    let names = (0..<parameters.count).map { "c\($0)" }.joined(separator: ", ")
    return Statement(
      "\(sql) FROM unnest(\(marks)) AS v(\(names)) WHERE t.\(SQL.key) = v.c0 "
        + "AND t.\(SQL.version) = v.c1", parameters)
  }
}
