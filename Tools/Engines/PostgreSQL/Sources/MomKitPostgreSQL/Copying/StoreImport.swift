import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// A new PostgreSQL store with another store's rows, under the same keys and the same UUID.
///
/// Everything happens in one transaction: tables are created, rows are streamed into them by `COPY`, constraints and
/// indexes follow, and then the rows are read back and compared with the original. An import that is interrupted, or
/// whose rows differ, leaves nothing behind.
package struct StoreImport {
  /// Called with the number of rows copied so far, and then again of those compared.
  package typealias Progress = (_ isChecking: Bool, _ done: Int) throws -> Void

  private let source: StoreReading
  private let connection: PostgreSQLConnection
  private let tables: StoreTables
  private let engine: PostgreSQLEngine
  private let record: StoreRecord
  private let progress: Progress
  private var checksum = StoreChecksum()
  private var changedValues: [String: Int] = [:]
  /// The last keys that the original has given, by table.
  private var lastKeys: [String: Int64] = [:]

  private var schema: RelationalSchema { tables.schema }

  /// Makes a store.
  ///
  /// - Throws: an error if there is a store at this place already.
  package static func make(
    at url: URL, of source: StoreReading, model: NSManagedObjectModel,
    progress: @escaping Progress
  ) throws -> SQLiteStoreCopy.Outcome {
    let opening = StoreOpening(url: url, model: model)
    try opening.refuseDerivedAttributes(NSPostgreSQLStoreType)
    let pool = ConnectionPool.of(try PostgreSQLTarget(url, options: nil))
    do {
      let connection = try pool.take()
      defer { pool.recycle(connection) }
      return try connection.withoutTimeouts {
        try make(opening, source, pool, connection, progress)
      }
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreSaveError)
    }
  }

  private static func make(
    _ opening: StoreOpening, _ source: StoreReading, _ pool: ConnectionPool,
    _ connection: PostgreSQLConnection, _ progress: @escaping Progress
  ) throws -> SQLiteStoreCopy.Outcome {
    let place = opening.url.map(PostgreSQLTarget.name) ?? ""
    try PostgreSQLEngine.requireUnicode(connection, place: place)
    var metadata = source.programMetadata
    let identifier = source.engine.reference.identifier
    metadata[NSStoreTypeKey] = NSPostgreSQLStoreType
    metadata[NSStoreUUIDKey] = identifier
    metadata[NSStoreModelVersionHashesKey] = opening.versionHashes
    metadata[NSStoreModelVersionIdentifiersKey] = opening.versionIdentifiers
    let record = StoreRecord(
      identifier: identifier, metadata: metadata,
      model: Data(try ModelArchive.encode(opening.model)))
    let engine = PostgreSQLEngine(
      opening, record, pool, RelationalSchema(model: opening.model), place: place,
      isReadOnly: true, history: HistoryState())
    try StoreTables.requireFreeNames(engine.tables.schema, connection)
    engine.batchConnection = connection
    defer { engine.batchConnection = nil }
    try StoreTables.makeSchema(connection)
    try connection.execute(
      "BEGIN; \(PostgreSQLConnection.noTimeouts); SELECT \(StoreRecord.lock)")
    var made = StoreImport(source, connection, engine, record, progress)
    do {
      guard try StoreRecord.read(connection) == nil else {
        throw PostgreSQLStore.error(
          NSPersistentStoreSaveError, "There is a store at \(place) already.")
      }
      try made.run(opening.layouts)
    } catch {
      if !connection.isBroken { try? connection.execute("ROLLBACK") }
      throw error
    }
    try made.commit(pool)
    return SQLiteStoreCopy.Outcome(checksum: made.checksum, changedValues: made.changedValues)
  }

  private init(
    _ source: StoreReading, _ connection: PostgreSQLConnection, _ engine: PostgreSQLEngine,
    _ record: StoreRecord, _ progress: @escaping Progress
  ) {
    (self.source, self.connection, self.engine, self.record) = (source, connection, engine, record)
    (tables, self.progress) = (engine.tables, progress)
  }

  private mutating func run(_ layouts: ModelLayout) throws {
    try execute(schema.tables.flatMap { schema.preparations(for: $0, in: .postgreSQL) })
    try execute(schema.tables.map { schema.creation(of: $0, in: .postgreSQL) })
    try execute(schema.joinTables.flatMap { schema.creation(of: $0, in: .postgreSQL) })
    var done = 0
    for root in source.roots { try copyRows(of: root, &done) }
    // The owner's side of a many-to-many relationship makes the pairs that the other side only orders.
    let sides = source.relationships.map { (isOwner: isOwner($0), relationship: $0) }
    for side in sides where side.isOwner { try copyMembers(of: side.relationship) }
    for side in sides where !side.isOwner { try copyMembers(of: side.relationship) }
    for table in schema.tables { try finish(table) }
    try execute(schema.joinTables.map { "ANALYZE \(SQL.quoted($0.name))" })
    try connection.execute("SET CONSTRAINTS ALL IMMEDIATE")
    try connection.execute(StoreRecord.creation)
    try connection.run(record.insertion())
    let progress = progress
    let made = try StoreChecksum(StoreReading(engine, layouts)) { try progress(true, $0) }
    try SQLiteStoreCopy.require(made, equals: checksum)
  }

  private func execute(_ statements: [String]) throws {
    guard !statements.isEmpty else { return }
    try connection.execute(statements.joined(separator: ";\n"))
  }

  private func commit(_ pool: ConnectionPool) throws {
    do { try connection.execute("COMMIT") } catch {
      guard error.isLostConnection else { throw error }
      // Its record tells whether the transaction was committed.
      let deadline = Deadline(pool.target.timeout)
      repeat {
        if let other = try? pool.take() {
          defer { pool.recycle(other) }
          if try StoreRecord.read(other)?.identifier == record.identifier { return }
          break
        }
        usleep(200_000)
      } while deadline.milliseconds > 0
      throw error
    }
  }

  // MARK: Rows

  /// How an entity's values are laid out in a row of its table.
  private struct Form {
    let table: EntityTable
    /// The place of each slot's column.
    let places: [Int]
  }

  private mutating func copyRows(of root: EntityLayout, _ done: inout Int) throws {
    let table = try tables.table(root).table
    let columns = table.columns.filter { $0.kind != .position }
    let hasEntity = table.entityType != nil
    let names = [SQL.key, SQL.version] + (hasEntity ? [SQL.entity] : [])
    let blank = Array(
      repeating: PostgreSQLValue.null(0), count: names.count + columns.count)
    let list = (names + columns.map { SQL.quoted($0.name) }).joined(separator: ", ")
    var forms: [ObjectIdentifier: Form] = [:]
    var place: [String: Int] = [:]
    for (index, column) in columns.enumerated() { place[column.name] = names.count + index }
    var count = done
    try copy("\(SQL.quoted(table.name)) (\(list))", "rows of \(table.name)") {
      try source.readRows(of: root) { row in
        let id = ObjectIdentifier(row.layout)
        let form: Form
        if let known = forms[id] {
          form = known
        } else {
          let own = try tables.table(row.layout)
          form = Form(table: own, places: own.slots.map { place[$0.column.name] ?? 0 })
          forms[id] = form
        }
        var values = blank
        values[0] = .int8(row.key)
        values[1] = .int8(max(1, row.version))
        if hasEntity { values[2] = .text(row.layout.label) }
        try checksum.add(add(row, form, to: &values))
        try connection.copyRow(values)
        count += 1
        if count % 1000 == 0 { try progress(false, count) }
      }
    }
    lastKeys[table.name] = try source.lastKey(of: root)
    done = count
    try progress(false, done)
  }

  /// Adds a row's values to a line of its table, and returns the row as it will be read back.
  private mutating func add(
    _ row: StoredRow, _ form: Form, to line: inout [PostgreSQLValue]
  ) throws -> StoredRow {
    var values = row.values
    for (slot, place) in zip(form.table.slots, form.places) {
      let index = slot.property.slot
      guard values.indices.contains(index), !values[index].isNull else { continue }
      do {
        try PostgreSQLCodec.requireRange(values[index], slot)
        line[place] = try PostgreSQLCodec.value(values[index], slot, source.engine.reference)
      } catch {
        throw PostgreSQLStore.error(
          NSPersistentStoreSaveError,
          "\(row.layout.name)/p\(row.key): \((error as NSError).localizedDescription)",
          [NSUnderlyingErrorKey: error])
      }
      if let kept = PostgreSQLCodec.kept(values[index], slot) {
        values[index] = kept
        changedValues["\(row.layout.name).\(slot.property.name)", default: 0] += 1
      }
    }
    return StoredRow(layout: row.layout, key: row.key, version: row.version, values: values)
  }

  /// Runs `body`, which adds rows, within a `COPY`.
  private func copy(_ target: String, _ what: String, _ body: () throws -> Void) throws {
    do {
      try connection.beginCopy("COPY \(target) FROM STDIN (FORMAT binary)")
      do { try body() } catch {
        if !connection.isBroken { try? connection.endCopy(isGivenUp: true) }
        throw error
      }
      try connection.endCopy()
    } catch let error as PostgreSQLError where !error.isLostConnection {
      let constraint = error.constraint.map { " (\($0))" } ?? ""
      throw PostgreSQLStore.error(
        error.cocoaError(NSPersistentStoreSaveError).code,
        "The \(what) don't fit the model: \(error.message)\(constraint).",
        [PostgreSQLStore.sqlStateErrorKey: error.state])
    }
  }

  /// Adds what a table has once it is filled.
  private func finish(_ table: RelationalTable) throws {
    let name = SQL.quoted(table.name)
    try execute([
      "SELECT setval(\(SQL.literal(SQL.quoted(table.sequence))), "
        + "(SELECT greatest(max(\(SQL.key)), \(lastKeys[table.name] ?? 0)) + 1 FROM \(name)), false)"
    ])
    let references = schema.foreignKeys(of: table, in: .postgreSQL)
    let columns = table.columns.filter { if case .toOne = $0.kind { true } else { false } }
    for (statement, column) in zip(references, columns) {
      do { try connection.execute(statement) } catch {
        guard error.isForeignKeyViolation else { throw error }
        throw PostgreSQLStore.error(
          NSManagedObjectReferentialIntegrityError,
          "Rows of \(table.name) refer by '\(column.property)' to rows that don't exist: "
            + "'momtool store check' lists them.",
          [PostgreSQLStore.sqlStateErrorKey: error.state])
      }
    }
    try execute(schema.indexes(of: table, in: .postgreSQL) + ["ANALYZE \(name)"])
  }

  // MARK: Members

  private func storage(_ relationship: StoreReading.Relationship) throws -> RelationalToMany? {
    try tables.table(relationship.layout).entity.toManys[relationship.property.name]
  }

  private func isOwner(_ relationship: StoreReading.Relationship) -> Bool {
    if case .join(_, let isOwner)? = try? storage(relationship) { return isOwner }
    return true
  }

  private mutating func copyMembers(of relationship: StoreReading.Relationship) throws {
    switch try storage(relationship) {
    case .join(let index, let isOwner)?:
      let join = schema.joinTables[index]
      let own = SQL.quoted(join.ownColumn(isOwner: isOwner))
      let other = SQL.quoted(join.otherColumn(isOwner: isOwner))
      let position = join.position(isOwner: isOwner).map(SQL.quoted)
      let name = SQL.quoted(join.name)
      guard isOwner || join.isReflexive else {
        return try order(
          relationship, name, position, "t.\(own) = p.o AND t.\(other) = p.m")
      }
      let columns = [own, other] + [position].compactMap { $0 }
      try copy("\(name) (\(columns.joined(separator: ", ")))", "members of \(relationship.name)") {
        try addMembers(of: relationship, hasPosition: position != nil)
      }
    case .key(let table, _, let position)?:
      let target = schema.tables[table]
      let column = position.map { SQL.quoted(target.columns[$0].name) }
      try order(relationship, SQL.quoted(target.name), column, "t.\(SQL.key) = p.m")
    case nil:
      throw PostgreSQLStore.error(
        NSPersistentStoreIncompatibleSchemaError,
        "The store has no place for '\(relationship.name)'.")
    }
  }

  /// Gives members that are in their table already their positions.
  private mutating func order(
    _ relationship: StoreReading.Relationship, _ table: String, _ column: String?,
    _ condition: String
  ) throws {
    guard let column else { return try addMembers(of: relationship, hasPosition: nil) }
    try connection.execute(
      "CREATE TEMPORARY TABLE momkit_positions (o bigint, m bigint, p bigint) ON COMMIT DROP")
    try copy("momkit_positions (o, m, p)", "members of \(relationship.name)") {
      try addMembers(of: relationship, hasPosition: true)
    }
    try connection.execute(
      "ANALYZE momkit_positions; UPDATE \(table) t SET \(column) = p.p FROM momkit_positions p "
        + "WHERE \(condition); DROP TABLE momkit_positions")
  }

  /// Reads members, and adds them to the running copy.
  ///
  /// - Parameter hasPosition: whether lines have a position; nil if there is no copy.
  private mutating func addMembers(
    of relationship: StoreReading.Relationship, hasPosition: Bool?
  ) throws {
    try source.readMembers(of: relationship) { owner, members in
      checksum.add(members, of: owner, in: relationship)
      guard let hasPosition else { return }
      for (place, member) in members.enumerated() {
        let position = OrderPositions.first + OrderPositions.step * Int64(place)
        try connection.copyRow(
          [.int8(owner.key), .int8(member.key)] + (hasPosition ? [.int8(position)] : []))
      }
    }
  }
}
