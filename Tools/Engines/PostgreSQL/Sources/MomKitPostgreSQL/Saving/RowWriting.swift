@_spi(Engines) import MomKit

/// The statements that write an entity's rows.
struct RowWriting {
  typealias Statement = PostgreSQLConnection.Statement

  /// The number of rows from which a single statement writes them all.
  static let manyRows = 16
  /// The maximum number of rows per statement.
  static let rowsAtOnce = 4000
  /// About the maximum number of bytes of a statement for many rows: the server takes no message of a gigabyte.
  static let bytesAtOnce = 64 << 20

  let table: EntityTable
  let store: StoreReference

  init(_ table: EntityTable, _ store: StoreReference) {
    (self.table, self.store) = (table, store)
  }

  // MARK: New rows

  /// Returns the statements that insert rows of the entity.
  func insertions(_ rows: ArraySlice<RowChange>) throws -> [Statement] {
    guard rows.count >= Self.manyRows else { return try rows.map(insertion) }
    return try statements(rows, of: Array(table.slots.indices)) { insertion(of: $0, $1) }
      .map(\.statement)
  }

  /// Returns the statements that write many rows, and the number of rows of each.
  ///
  /// - Parameters:
  ///   - slots: the slots of which values are written.
  ///   - statement: makes a statement of rows and their values by slot.
  private func statements(
    _ rows: ArraySlice<RowChange>, of slots: [Int],
    _ statement: (ArraySlice<RowChange>, [[PostgreSQLValue]]) -> Statement
  ) throws -> [(statement: Statement, count: Int)] {
    var found: [(Statement, Int)] = []
    for start in stride(from: rows.startIndex, to: rows.endIndex, by: Self.rowsAtOnce) {
      let block = rows[start..<min(start + Self.rowsAtOnce, rows.endIndex)]
      let columns = try slots.map { try values(table.slots[$0], block) }
      let parts = Self.parts(block.count) { row in
        columns.reduce(into: 0) { $0 += $1[row].size }
      }
      guard parts.count > 1 else {
        found.append((statement(block, columns), block.count))
        continue
      }
      for part in parts {
        let rows = block[start + part.lowerBound..<start + part.upperBound]
        found.append((statement(rows, columns.map { Array($0[part]) }), part.count))
      }
    }
    return found
  }

  /// Cuts a number of rows into ranges of a limited number of bytes, but at least one row.
  static func parts(_ count: Int, size: (Int) -> Int) -> [Range<Int>] {
    var parts: [Range<Int>] = []
    var (start, bytes) = (0, 0)
    for row in 0..<count {
      let more = size(row)
      if row > start, bytes + more > bytesAtOnce {
        parts.append(start..<row)
        (start, bytes) = (row, 0)
      }
      bytes += more
    }
    if start < count { parts.append(start..<count) }
    return parts
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
    if hasEntity { parameters.append(label: table.layout.label) }
    for slot in table.slots {
      parameters.append(try PostgreSQLCodec.value(row.value(of: slot.property), slot, store))
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    return Statement("INSERT INTO \(table.name) (\(columns)) VALUES (\(marks))", parameters)
  }

  /// Returns a single statement for many rows, with one array parameter per column.
  private func insertion(
    of rows: ArraySlice<RowChange>, _ values: [[PostgreSQLValue]]
  ) -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(keys: rows.map(\.key))
    parameters.append(keys: rows.map { $0.version &+ 1 })
    for (slot, values) in zip(table.slots, values) {
      parameters.append(array: values, of: slot.column.type.number)
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    let names = (0..<parameters.count).map { "c\($0)" }
    var selected = names
    if let type = table.table.entityType {
      selected.insert("\(SQL.label(table.layout.name))::\(SQL.quoted(type))", at: 2)
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
        if hasEntity { line.append(.text(table.layout.label)) }
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
    return try statements(rows[...], of: slots) { update(of: $0, slots, $1) }
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

  private func update(
    of rows: ArraySlice<RowChange>, _ slots: [Int], _ values: [[PostgreSQLValue]]
  ) -> Statement {
    var parameters = PostgreSQLParameters()
    parameters.append(keys: rows.map(\.key))
    parameters.append(keys: rows.map(\.version))
    var sql = "UPDATE \(table.name) t SET \(SQL.version) = t.\(SQL.version) + 1"
    for (index, values) in zip(slots, values) {
      let slot = table.slots[index]
      sql += ", \(slot.name) = v.c\(parameters.count)"
      parameters.append(array: values, of: slot.column.type.number)
    }
    let marks = (1...parameters.count).map { "$\($0)" }.joined(separator: ", ")
    let names = (0..<parameters.count).map { "c\($0)" }.joined(separator: ", ")
    return Statement(
      "\(sql) FROM unnest(\(marks)) AS v(\(names)) WHERE t.\(SQL.key) = v.c0 "
        + "AND t.\(SQL.version) = v.c1", parameters)
  }
}
