import DataModels
import Foundation
@_spi(Engines) import MomKit
import RelationalSchemas

/// Opening and creating stores, and operations on stores that aren't open.
extension PostgreSQLEngine: StoreEngineType {
  static func open(_ opening: StoreOpening) throws -> any StoreEngine {
    try opening.refuseDerivedAttributes(NSPostgreSQLStoreType)
    let target = try PostgreSQLTarget(opening.url, options: opening.options)
    let pool = ConnectionPool.of(target)
    let place = opening.url.map(PostgreSQLTarget.name) ?? ""
    let isReadOnly = StoreOption.isOn(NSReadOnlyPersistentStoreOption, in: opening.options)
    let schema = RelationalSchema(model: opening.model, entityNames: opening.entityNames)
    do {
      let (record, history) = try withConnection(pool) { connection in
        let record = try openedRecord(
          opening, connection, schema, place: place, isReadOnly: isReadOnly)
        return (record, try openedHistory(opening, connection, isReadOnly: isReadOnly))
      }
      return PostgreSQLEngine(
        opening, record, pool, schema, place: place, isReadOnly: isReadOnly, history: history)
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOpenError)
    }
  }

  /// Runs `body` with a connection, again with another if the server is lost, until the timeout.
  private static func withConnection<Result>(
    _ pool: ConnectionPool, _ body: (PostgreSQLConnection) throws -> Result
  ) throws -> Result {
    let deadline = Deadline(pool.target.timeout)
    while true {
      do {
        let connection = try pool.take()
        defer { pool.recycle(connection) }
        return try body(connection)
      } catch let error as PostgreSQLError where error.isLostConnection {
        guard deadline.milliseconds > 0, error.mayRecover else { throw error }
        usleep(100_000)
      }
    }
  }

  private static func openedRecord(
    _ opening: StoreOpening, _ connection: PostgreSQLConnection, _ schema: RelationalSchema,
    place: String, isReadOnly: Bool
  ) throws -> StoreRecord {
    try requireUnicode(connection, place: place)
    let present = try StoreRecord.read(connection)
    guard isReadOnly || present != nil else { return try made(opening, schema, connection) }
    guard let present else {
      throw PostgreSQLStore.error(
        NSPersistentStoreOpenError, "There is no store at \(place), and it is opened read-only.")
    }
    do { try check(present, opening) } catch {
      guard !isReadOnly, mayMigrate(opening) else { throw error }
      return try migrated(opening, schema, connection)
    }
    return present
  }

  /// Refuses databases in another encoding: the server compares strings there by other rules, and can't store all.
  static func requireUnicode(_ connection: PostgreSQLConnection, place: String) throws {
    let encoding = connection.databaseEncoding
    guard encoding != "UTF8" else { return }
    throw PostgreSQLStore.error(
      NSPersistentStoreOpenError,
      "The database at \(place) has the encoding \(encoding), and stores need UTF8: use one made by CREATE "
        + "DATABASE … ENCODING 'UTF8' TEMPLATE template0.")
  }

  /// Creates the persistent history tables if the options require them.
  private static func openedHistory(
    _ opening: StoreOpening, _ connection: PostgreSQLConnection, isReadOnly: Bool
  ) throws -> HistoryState {
    var state = HistoryState()
    state.isTracked = StoreOption.isOn(NSPersistentHistoryTrackingKey, in: opening.options)
    let isUsed = try HistoryTables.isUsed(connection)
    (state.isThere, state.isUsed) = (isUsed != nil, isUsed ?? false)
    guard state.isTracked, !state.isThere, !isReadOnly else { return state }
    do {
      try connection.execute(
        "BEGIN; SELECT \(StoreRecord.lock); "
          + HistoryTables.creation.joined(separator: "; ") + "; COMMIT")
    } catch {
      if !connection.isBroken { try? connection.execute("ROLLBACK") }
      throw error
    }
    state.isThere = true
    return state
  }

  private static func check(_ record: StoreRecord, _ opening: StoreOpening) throws {
    guard !StoreOption.isOn(NSIgnorePersistentStoreVersioningOption, in: opening.options) else {
      return
    }
    let url = opening.url.map { URL(string: PostgreSQLTarget.name(of: $0)) ?? $0 }
    try opening.checkVersion(of: record.metadata, at: url ?? URL(fileURLWithPath: "/"))
  }

  // MARK: A store of another version

  private static func isOn(_ key: String, _ opening: StoreOpening) -> Bool {
    StoreOption.isOn(key, in: opening.options)
  }

  private static func mayMigrate(_ opening: StoreOpening) -> Bool {
    isOn(NSMigratePersistentStoresAutomaticallyOption, opening)
  }

  /// Performs a lightweight migration in one transaction. If several hosts attempt it at once, one performs it and
  /// the others find it done.
  private static func migrated(
    _ opening: StoreOpening, _ schema: RelationalSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreRecord {
    guard isOn(NSInferMappingModelAutomaticallyOption, opening),
      opening.options?[MomKitMigrationMappingModelOption] == nil,
      opening.options?[NSPersistentStoreStagedMigrationManagerOptionKey] == nil
    else {
      throw PostgreSQLStore.error(
        NSMigrationMissingMappingModelError,
        "PostgreSQL stores support only lightweight migration: set NSInferMappingModelAutomaticallyOption."
      )
    }
    // Copying rows may take arbitrarily long.
    return try connection.withoutTimeouts { try migrate(opening, schema, connection) }
  }

  private static func migrate(
    _ opening: StoreOpening, _ schema: RelationalSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreRecord {
    try connection.execute(
      "BEGIN; \(PostgreSQLConnection.noTimeouts); SELECT \(StoreRecord.lock)")
    do {
      guard var record = try StoreRecord.read(connection) else {
        throw PostgreSQLStore.error(NSPersistentStoreOpenError, "The store is gone.")
      }
      if (try? check(record, opening)) != nil {
        try connection.execute("ROLLBACK")
        return record
      }
      let oldModel = try record.storedModel()
      let hashes = record.metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
      let old = RelationalSchema(model: oldModel, entityNames: Set(hashes.keys))
      try StoreTables.requireFreeNames(schema, connection)
      var migration = try PostgreSQLMigration(
        connection, MigrationMapping(from: oldModel, old, to: opening.model, schema))
      try migration.run()
      record.metadata[NSStoreModelVersionHashesKey] = opening.versionHashes
      record.metadata[NSStoreModelVersionIdentifiersKey] = opening.versionIdentifiers
      record.model = Data((try? ModelArchive.encode(opening.model)) ?? [])
      record.generation += 1
      try connection.execute("DELETE FROM \(StoreRecord.table)")
      try connection.run(record.insertion())
      try connection.execute("COMMIT")
      return record
    } catch {
      if !connection.isBroken { try? connection.execute("ROLLBACK") }
      throw error
    }
  }

  // MARK: A new store

  private static func made(
    _ opening: StoreOpening, _ schema: RelationalSchema, _ connection: PostgreSQLConnection
  ) throws -> StoreRecord {
    try StoreTables.requireFreeNames(schema, connection)
    try StoreTables.makeSchema(connection)
    let identifier = UUID().uuidString
    let model = try? ModelArchive.encode(opening.model)
    let record = StoreRecord(
      identifier: identifier,
      metadata: [
        NSStoreTypeKey: NSPostgreSQLStoreType, NSStoreUUIDKey: identifier,
        NSStoreModelVersionHashesKey: opening.versionHashes,
        NSStoreModelVersionIdentifiersKey: opening.versionIdentifiers,
      ], model: Data(model ?? []))
    try connection.execute("BEGIN; SELECT \(StoreRecord.lock)")
    do {
      // Another host may have just created it.
      if let present = try StoreRecord.read(connection) {
        try connection.execute("ROLLBACK")
        try check(present, opening)
        return present
      }
      try connection.execute(schema.statements(in: .postgreSQL).joined(separator: ";\n"))
      try connection.execute(StoreRecord.creation)
      try connection.run(record.insertion())
      try connection.execute("COMMIT")
    } catch {
      if !connection.isBroken { try? connection.execute("ROLLBACK") }
      throw error
    }
    return record
  }

  // MARK: Stores that aren't open

  /// Runs `body` on a store that isn't open.
  private static func with<Result>(
    _ url: URL, _ options: [AnyHashable: Any]?, _ code: Int,
    _ body: (PostgreSQLConnection, StoreRecord) throws -> Result
  ) throws -> Result {
    let target = try PostgreSQLTarget(url, options: options)
    do {
      let connection = try PostgreSQLConnection(target)
      defer { connection.close() }
      guard let record = try StoreRecord.read(connection) else {
        throw PostgreSQLStore.error(
          code, "There is no store at \(PostgreSQLTarget.name(of: url)).")
      }
      return try body(connection, record)
    } catch let error as PostgreSQLError {
      throw error.cocoaError(code)
    }
  }

  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
    try with(url, options, NSPersistentStoreOpenError) { $1.metadata }
  }

  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws {
    try with(url, options, NSPersistentStoreSaveError) { connection, record in
      try connection.run(
        StoreRecord.update(StoreRecord.keepingOwn(of: record.metadata, in: metadata)))
    }
  }

  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?
  ) throws {
    throw PostgreSQLStore.error(
      NSPersistentStoreOperationError,
      "A PostgreSQL store can't replace another: use pg_dump and pg_restore, or "
        + "migratePersistentStore(_:to:options:type:).")
  }

  /// Drops the store's tables, and nothing else in the schema: what depends on them is left to those who made it.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws {
    let target = try PostgreSQLTarget(url, options: options)
    do {
      let connection = try PostgreSQLConnection(target)
      defer { connection.close() }
      try connection.execute("BEGIN; SELECT \(StoreRecord.lock)")
      guard let record = try StoreRecord.read(connection) else {
        return try connection.execute("ROLLBACK")
      }
      let hashes = record.metadata[NSStoreModelVersionHashesKey] as? [String: Any] ?? [:]
      let schema = RelationalSchema(
        model: try record.storedModel(), entityNames: Set(hashes.keys))
      let further = HistoryTables.names + [StoreRecord.name]
      let dependents = try OthersDependents(schema, further: further).descriptions(connection)
      guard dependents.isEmpty else {
        throw PostgreSQLStore.error(
          NSPersistentStoreOperationError,
          "The store can't be destroyed, because others have made what depends on its tables: "
            + "\(dependents.joined(separator: ", ")). Nothing was changed. Drop these before.")
      }
      // Without the schema, what is missing in it would be dropped in the next one of the search path.
      var place = ""
      try connection.run(PostgreSQLConnection.Statement("SELECT current_schema()::text")) {
        place = SQL.quoted($0.text(0))
      }
      func placed(_ name: String) -> String { "\(place).\(SQL.quoted(name))" }
      // At once, because they refer to each other.
      let tables = schema.joinTables.map(\.name) + schema.tables.map(\.name) + further
      var statements = ["DROP TABLE IF EXISTS \(tables.map(placed).joined(separator: ", "))"]
      for table in schema.tables {
        statements.append("DROP SEQUENCE IF EXISTS \(placed(table.sequence))")
        if let type = table.entityType {
          statements.append("DROP TYPE IF EXISTS \(placed(type))")
        }
      }
      try connection.execute(statements.joined(separator: "; ") + "; COMMIT")
    } catch let error as PostgreSQLError {
      throw error.cocoaError(NSPersistentStoreOperationError)
    }
  }
}
