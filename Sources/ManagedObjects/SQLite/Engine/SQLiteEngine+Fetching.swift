import DataModels
import Foundation

/// Reading rows.
extension SQLiteEngine {
  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    try followingFile(sink) { try fetchNow(query, into: sink) }
  }

  private func fetchNow(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    let shape = try shape(query.layout, includesSubentities: query.includesSubentities)
    let statement = try FetchStatement(
      query, shape, engine: self, columns: query.keysOnly ? shape.keyColumns : nil)
    try translatingErrors {
      try evaluating(query.predicateText) {
        try connection.withStatement(statement.sql) { row in
          try statement.bind(to: row)
          try send(row, shape, to: sink)
        }
      }
    }
    return statement.isComplete
  }

  func count(_ query: RowQuery) throws -> Int? {
    try followingFile { try countNow(query) }
  }

  private func countNow(_ query: RowQuery) throws -> Int? {
    let shape = try shape(query.layout, includesSubentities: query.includesSubentities)
    let statement = try FetchStatement(query, shape, engine: self, isCount: true)
    guard statement.isComplete else { return nil }
    return try translatingErrors {
      try evaluating(query.predicateText) {
        try connection.withStatement(statement.sql) { row in
          try statement.bind(to: row)
          return try stepToFirst(row) ? Int(row.integer(at: 0)) : 0
        }
      }
    }
  }

  func dictionaries(_ query: RowQuery, plan: DictionaryPlan) throws -> [NSDictionary]? {
    try followingFile {
      guard let statement = try DictionaryStatement(query, plan, engine: self) else { return nil }
      return try translatingErrors {
        try evaluating(query.predicateText) { try statement.run() }
      }
    }
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    let shape = try shape(id.layout.root)
    return try followingFile(sink) {
      try translatingErrors {
        try connection.withStatement(shape.rowSQL) { row in
          try row.bind(id.key, at: 1)
          return try send(row, shape, to: sink) > 0
        }
      }
    }
  }

  /// Fetches rows of a hierarchy by a statement that selects all their columns.
  func fetchRows(
    of root: EntityLayout, by sql: String, into sink: any RowSink,
    _ bind: (SQLiteStatement) throws -> Void
  ) throws {
    let shape = try shape(root)
    try followingFile(sink) {
      try translatingErrors {
        try connection.withStatement(sql) { row in
          try bind(row)
          try send(row, shape, to: sink)
        }
      }
    }
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    guard let (shape, sql) = try destinations(id.layout, property) else { return }
    try followingFile(sink) {
      try translatingErrors {
        try connection.withStatement(sql) { row in
          try row.bind(id.key, at: 1)
          try send(row, shape, to: sink)
        }
      }
    }
  }

  /// Sends every row of a statement to a sink, and returns their number.
  @discardableResult
  private func send(
    _ row: SQLiteStatement, _ shape: RowShape, to sink: any RowSink
  ) throws -> Int {
    try send(row, shape, to: sink) { _ in true }
  }

  /// Sends the wanted rows of a statement to a sink, and returns their number.
  @discardableResult
  @inline(__always)
  private func send(
    _ row: SQLiteStatement, _ shape: RowShape, to sink: any RowSink,
    where isWanted: (inout RowDecoder) -> Bool
  ) throws -> Int {
    if let objects = sink as? ObjectSink {
      return try sendEach(row, shape, to: objects, where: isWanted)
    }
    return try sendEach(row, shape, to: ValueConsumer(sink: sink), where: isWanted)
  }

  @inline(__always)
  private func sendEach(
    _ row: SQLiteStatement, _ shape: RowShape, to taker: some RowConsumer,
    where isWanted: (inout RowDecoder) -> Bool
  ) throws -> Int {
    var decoder = RowDecoder(store: reference, layouts: layouts, externalData: externalData)
    var count = 0
    defer { if secondReader != nil { secondReader = nil } }
    guard try stepToFirst(row) else { return 0 }
    guard let entityColumn = shape.entityColumn else {
      guard let reader = shape.onlyReader else { throw unknownEntity(0) }
      repeat {
        guard isWanted(&decoder) else { continue }
        count += 1
        try taker.take(row, of: self, reader: reader, decoder: &decoder)
      } while try row.step()
      return count
    }
    repeat {
      guard isWanted(&decoder) else { continue }
      let number = row.integer(at: entityColumn)
      guard let reader = shape.reader(number) else { throw unknownEntity(number) }
      count += 1
      try taker.take(row, of: self, reader: reader, decoder: &decoder)
    } while try row.step()
    return count
  }

  /// Decodes the values of a statement's current row.
  ///
  /// - Returns: false if the row was deleted during the read: there are no values.
  @inline(__always)
  func decode(
    _ row: SQLiteStatement, reader: RowShape.Reader, decoder: inout RowDecoder,
    into buffer: RowBuffer
  ) throws -> Bool {
    do {
      try decoder.decode(row, reader, into: buffer)
      return true
    } catch {
      return try decodeAgain(
        row, row.integer(at: 0), reader: reader, after: error, into: buffer)
    }
  }
}

/// Bulk reads.
extension SQLiteEngine {
  /// The possible numbers of keys per statement: few distinct statements, and few unused parameters.
  private static let keysAtOnce = [16, 64, 128, 256]

  func fetchRows(_ keys: [Int64], of root: EntityLayout, into sink: any RowSink) throws -> Bool {
    let shape = try shape(root)
    try followingFile(sink) {
      if keys.count > 1, Self.areSuccessive(keys), let first = keys.first, let last = keys.last {
        // SQLite makes a table of a list, and looks for each of its keys.
        return try run("\(shape.select) WHERE t0.Z_PK BETWEEN ? AND ? ORDER BY t0.Z_PK") { row in
          try row.bind(first, at: 1)
          try row.bind(last, at: 2)
          try send(row, shape, to: sink)
        }
      }
      try run(keys) {
        "\(shape.select) WHERE t0.Z_PK IN (\($0)) ORDER BY t0.Z_PK"
      } body: {
        try send($0, shape, to: sink)
      }
    }
    return true
  }

  /// Whether each key is the one after the key before it, as mostly in a batch of rows.
  private static func areSuccessive(_ keys: [Int64]) -> Bool {
    keys.indices.dropFirst().allSatisfy { keys[$0 - 1] < keys[$0] && keys[$0] == keys[$0 - 1] + 1 }
  }

  func fetchDestinations(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool {
    do {
      // Rows that were handed out to their owners can't be taken back.
      return try followingFile(sink, repeats: false) {
        try fetchDestinationsNow(ofMany: owners, layout, property, into: sink, owner: owner)
      }
    } catch {
      // The file was written meanwhile: each object's destinations are consistent.
      if !isAnswering, !connection.isInTransaction, isBehind { return false }
      throw error
    }
  }

  private func fetchDestinationsNow(
    ofMany owners: [Int64]?, _ layout: EntityLayout, _ property: PropertyLayout,
    into sink: any RowSink, owner: (Int64) -> Bool
  ) throws -> Bool {
    guard let storage = try entity(layout).toManys[property.name],
      let destination = layouts[storage.destinationNumber - 1]
    else { return false }
    let shape = try shape(destination)
    let key: String
    let order: String?
    var sql: String
    var ownerColumn = shape.columnCount
    switch storage {
    case .key(let column, _, let position, _):
      (key, order) = ("t0.\(column)", position.map { "t0.\($0)" })
      if let known = shape.position(of: column) {
        (sql, ownerColumn) = (shape.select, known)
      } else {
        sql = shape.select(adding: key)
      }
    case .join(let index, _, _):
      let join = schema.joinTables[index]
      // Rows of such a table represent both directions.
      if join.isReflexive { return false }
      (key, order) = ("j.\(storage.ownKey(join))", storage.order(join).map { "j.\($0)" })
      sql =
        shape.select(adding: key)
        + " JOIN \(join.name) j ON j.\(storage.otherKey(join)) = t0.Z_PK"
    }
    let isSorted = property.isOrdered && order != nil
    let last = (isSorted ? "\(order ?? ""), " : "") + "t0.Z_PK"
    if let owners {
      try run(owners) {
        "\(sql) WHERE \(key) IN (\($0)) ORDER BY \(key), \(last)"
      } body: {
        try send($0, shape: shape, to: sink, ownerColumn: ownerColumn, owner: owner)
      }
    } else {
      // Includes rows without an owner: skipping them is cheaper than filtering.
      sql += " ORDER BY \(last)"
      try run(sql) { try send($0, shape: shape, to: sink, ownerColumn: ownerColumn, owner: owner) }
    }
    return true
  }

  /// Sends rows to a sink if `owner` accepts the owner's key, which is in a column.
  @inline(never)
  private func send(
    _ row: SQLiteStatement, shape: RowShape, to sink: any RowSink, ownerColumn column: Int32,
    owner: (Int64) -> Bool
  ) throws {
    try send(row, shape, to: sink) { decoder in
      decoder.readKey(row, column).map(owner) ?? false
    }
  }

  private static let marks = keysAtOnce.map {
    Array(repeating: "?", count: $0).joined(separator: ", ")
  }

  private func run(_ sql: String, _ body: (SQLiteStatement) throws -> Void) throws {
    try translatingErrors { try connection.withStatement(sql, body) }
  }

  /// Runs statements that take ``keysAtOnce`` keys until all keys have been used.
  ///
  /// - Parameter sql: returns the statement's text, given the placeholders for its keys.
  private func run(
    _ keys: [Int64], _ sql: (String) -> String, body: (SQLiteStatement) throws -> Void
  ) throws {
    var start = 0
    while start < keys.count {
      let rest = keys.count - start
      let size = Self.keysAtOnce.firstIndex { $0 >= rest } ?? Self.keysAtOnce.count - 1
      let count = Self.keysAtOnce[size]
      try run(sql(Self.marks[size])) { row in
        repeat {
          for index in 0..<count {
            // Remaining parameters repeat the last key.
            try row.bind(keys[min(start + index, keys.count - 1)], at: Int32(index + 1))
          }
          try body(row)
          row.reset()
          start += count
        } while keys.count - start >= count
      }
    }
  }
}

extension SchemaEntity.ToMany {
  /// The number of the relationship's destination entity.
  var destinationNumber: Int {
    switch self {
    case .key(_, _, _, let destination), .join(_, _, let destination): destination
    }
  }

  /// The continuation of `SELECT … FROM ZT t0` that selects the destinations of the object with the first parameter
  /// as its key, in the relationship's order.
  func condition(_ schema: StoreSchema, isOrdered: Bool) -> String {
    switch self {
    case .key(let key, _, let order, _):
      let sorted = isOrdered ? order.map { "t0.\($0), t0.Z_PK" } : nil
      return "WHERE t0.\(key) = ?1 ORDER BY \(sorted ?? "t0.Z_PK")"
    case .join(let index, let isOwner, _):
      let join = schema.joinTables[index]
      let (own, other) =
        isOwner ? (join.ownerKey, join.inverseKey) : (join.inverseKey, join.ownerKey)
      if join.isReflexive {
        // Rows represent both directions, and only some have a mirrored row.
        if isOrdered, let order = join.inverseOrder {
          return """
            JOIN (SELECT \(other) AS k, \(order) AS o FROM \(join.name) WHERE \(own) = ?1 UNION ALL \
            SELECT \(own), NULL FROM \(join.name) m WHERE \(other) = ?1 AND NOT EXISTS \
            (SELECT 1 FROM \(join.name) d WHERE d.\(own) = ?1 AND d.\(other) = m.\(own))) j \
            ON j.k = t0.Z_PK ORDER BY j.o IS NULL, j.o, t0.Z_PK
            """
        }
        return """
          WHERE t0.Z_PK IN (SELECT \(other) FROM \(join.name) WHERE \(own) = ?1 UNION \
          SELECT \(own) FROM \(join.name) WHERE \(other) = ?1) ORDER BY t0.Z_PK
          """
      }
      let order = isOwner ? join.inverseOrder : join.ownerOrder
      let sorted = isOrdered ? order.map { "j.\($0), t0.Z_PK" } : nil
      return "JOIN \(join.name) j ON j.\(other) = t0.Z_PK WHERE j.\(own) = ?1 "
        + "ORDER BY \(sorted ?? "t0.Z_PK")"
    }
  }
}
