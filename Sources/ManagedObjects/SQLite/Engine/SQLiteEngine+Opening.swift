import DataModels
import Foundation

/// Opening and creating stores.
extension SQLiteEngine: StoreEngineType {
  static func open(_ opening: StoreOpening) throws -> any StoreEngine {
    let engine = try openEngine(opening)
    if let known = opening.reference, known.identifier == engine.reference.identifier {
      engine.reference = known
    }
    try engine.allowReaders(opening)
    return engine
  }

  private static func openEngine(_ opening: StoreOpening) throws -> SQLiteEngine {
    guard let url = opening.url, url.isFileURL else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "A SQLite store needs the URL of a file.")
    }
    let isReadOnly = StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: opening.options)
    do {
      if case .memory = try StoreLocation.check(url, NSPersistentStoreOpenError) {
        let connection = try SQLiteConnection.inMemory(named: StoreLocation.sharedName(of: url))
        connection.setBusyTimeout(timeout(opening))
        return try connection.hasTables()
          ? open(opening, at: url, connection, readOnly: isReadOnly ? .option : nil)
          : make(opening, at: url, connection)
      }
      if isReadOnly { return try openReading(opening, at: url, because: .option) }
      if StoreLocation.isWriteProtected(url), let engine = try openProtected(opening, at: url) {
        return engine
      }
      let connection = try SQLiteConnection(
        writing: url, creation: .ifMissing, timeout: timeout(opening))
      return try connection.hasTables()
        ? open(opening, at: url, connection)
        : make(opening, at: url, connection)
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOpenError)
    } catch let error as SchemaError {
      throw CoreDataError.make(NSPersistentStoreIncompatibleSchemaError, "\(error)")
    }
  }

  // MARK: Existing stores

  private static func openReading(
    _ opening: StoreOpening, at url: URL, because reason: ReadOnlyReason
  ) throws -> SQLiteEngine {
    try SQLiteConnection.following(url, waits: false, timeout: timeout(opening)) {
      try open(opening, at: url, $0, readOnly: reason)
    }
  }

  /// Opens a store that can't be written, to be read: SQLite would open it, too, and only fail when something is saved. Nil if
  /// it is to be migrated, as trying that tells what is wrong.
  private static func openProtected(_ opening: StoreOpening, at url: URL) throws -> SQLiteEngine? {
    let engine: SQLiteEngine
    do { engine = try openReading(opening, at: url, because: .protection) } catch {
      guard (error as NSError).code == NSPersistentStoreIncompatibleVersionHashError,
        MigrationRequest.isAllowed(opening.options)
      else { throw error }
      return nil
    }
    CoreDataLog.error(
      "Attempt to add read-only file at path \(url.path) read/write. Adding it read-only instead. "
        + "This will be a hard error in the future; you must specify the "
        + "NSReadOnlyPersistentStoreOption.")
    return engine
  }

  private static func open(
    _ opening: StoreOpening, at url: URL, _ connection: SQLiteConnection,
    readOnly reason: ReadOnlyReason? = nil
  ) throws -> SQLiteEngine {
    let isReadOnly = reason != nil
    var schemaVersion = try connection.integer("PRAGMA schema_version")
    var metadata = try connection.readMetadata()
    let ignoresVersion = StoreOptions.isOn(
      NSIgnorePersistentStoreVersioningOption, in: opening.options)
    let isPresumed = !ignoresVersion && opening.isPresumablyCompatible(with: metadata)
    if !ignoresVersion, !isPresumed {
      do {
        try opening.checkVersion(of: metadata, at: url)
        try checkOthers(of: metadata, opening, connection)
      } catch {
        guard !isReadOnly, MigrationRequest.isAllowed(opening.options),
          try mayWrite(connection, opening)
        else {
          throw error
        }
        try migrate(opening, at: url, connection, metadata: metadata)
        schemaVersion = try connection.integer("PRAGMA schema_version")
        metadata = try connection.readMetadata()
        try opening.checkVersion(of: metadata, at: url)
        try checkOthers(of: metadata, opening, connection)
      }
    }
    if !isReadOnly { SafetyCopy(of: url).removeLeftOver(connection) }
    let schema = try StoreSchema(
      model: opening.model, version: StoreMetadataKeys.framework(in: metadata))
    if ignoresVersion {
      let gaps = try schema.gaps(in: connection)
      if !gaps.isEmpty {
        // Properties without a column can't be written, so the store is opened read-only.
        guard isReadOnly else {
          return try open(opening, at: url, reopened(connection, opening, at: url), readOnly: .gaps)
        }
        try schema.cover(gaps, in: connection)
      }
    } else {
      try schema.check(in: connection)
    }
    if !isReadOnly {
      // Another program's CloudKit mirror would miss the changes, and so would readers of a history that doesn't
      // record them.
      let reason: ReadOnlyReason? =
        try !mayWrite(connection, opening)
        ? .mirror : leavesHistory(connection, opening) ? .history : nil
      if let reason {
        return try open(opening, at: url, reopened(connection, opening, at: url), readOnly: reason)
      }
      try prepareForWriting(connection, opening)
    }
    let engine = try SQLiteEngine(
      connection: connection, schema: schema, layouts: opening.layouts, url: url,
      metadata: metadata, readOnly: reason)
    if ignoresVersion, !isReadOnly { engine.takeVersion(of: opening.model) }
    if isPresumed { engine.presumedOpening = opening }
    if connection.seen != nil {
      engine.following = Following(coversGaps: ignoresVersion, timeout: timeout(opening))
    }
    engine.readSchemaVersion = schemaVersion
    try engine.openHistory(opening)
    return engine
  }

  /// A connection to only read the store of another one: in memory it is the same.
  private static func reopened(
    _ connection: SQLiteConnection, _ opening: StoreOpening, at url: URL
  ) throws(SQLiteError) -> SQLiteConnection {
    guard connection.path != ":memory:" else { return connection }
    return try SQLiteConnection.following(url, waits: false, timeout: timeout(opening))
  }

  /// Whether a store may be written: one that CloudKit mirrors only if the option is set.
  private static func mayWrite(
    _ connection: SQLiteConnection, _ opening: StoreOpening
  ) throws -> Bool {
    if StoreOptions.isOn(MomKitWritesMirroredStoresOption, in: opening.options) { return true }
    return try !connection.isMirrored
  }

  /// Whether a store has history that isn't to be tracked. A store whose history was deleted has none.
  private static func leavesHistory(
    _ connection: SQLiteConnection, _ opening: StoreOpening
  ) throws -> Bool {
    try !StoreOptions.isOn(NSPersistentHistoryTrackingKey, in: opening.options)
      && connection.hasHistory
  }

  /// Checks that the model fits a store that was opened with a configuration, if entities of other configurations
  /// have changed: their tables are in every file, and entity numbers depend on all entities.
  private static func checkOthers(
    of metadata: [String: Any], _ opening: StoreOpening, _ connection: SQLiteConnection
  ) throws {
    guard opening.entityNames != nil,
      metadata[StoreMetadataKeys.hashes] as? [String: Data]
        != opening.model.entityVersionHashesByName
    else { return }
    let schema = try StoreSchema(
      model: opening.model, version: StoreMetadataKeys.framework(in: metadata))
    try schema.check(in: connection)
    try schema.checkNumbers(in: connection)
  }

  // MARK: New stores

  private static func make(
    _ opening: StoreOpening, at url: URL, _ connection: SQLiteConnection
  ) throws -> SQLiteEngine {
    try opening.refuseUndefinedAttributes()
    let schema = try StoreSchema(model: opening.model)
    try schema.refuseConstraintsWithoutColumns(of: opening.entityNames)
    var metadata = MetadataList.new(for: opening.model, version: schema.version)
    // These two only take effect before the first table is created, and in this order.
    let given = try pragmas(opening)
    for (name, standard) in [("page_size", "4096"), ("auto_vacuum", "2")] {
      let value = given.first { $0.name.lowercased() == name }?.value ?? standard
      try connection.execute("PRAGMA \(name)=\(value)")
    }
    let vacuum = try connection.integer("PRAGMA auto_vacuum") ?? 2
    metadata[StoreMetadataKeys.autoVacuumLevel] = "\(vacuum)"
    let isOurs = try connection.transaction(.exclusive) {
      // Another program may have just created the store.
      guard try !connection.hasTable("Z_METADATA") else { return false }
      for statement in schema.statements { try connection.execute(statement) }
      try connection.writePrimaryKeys(of: schema)
      try connection.writeMetadata(metadata)
      if schema.version.hasModelCache { try connection.writeModelCache(of: opening.model) }
      return true
    }
    guard isOurs else { return try open(opening, at: url, connection) }
    try connection.execute("PRAGMA journal_mode=wal")
    try prepareForWriting(connection, opening)
    let engine = try SQLiteEngine(
      connection: connection, schema: schema, layouts: opening.layouts, url: url,
      metadata: metadata, readOnly: nil)
    try engine.openHistory(opening)
    // The first read in WAL mode also makes the log, which Core Data has beside a new store, too.
    engine.readSchemaVersion = try connection.integer("PRAGMA schema_version")
    return engine
  }

  private static func prepareForWriting(
    _ connection: SQLiteConnection, _ opening: StoreOpening
  ) throws {
    try connection.execute("PRAGMA recursive_triggers=1; PRAGMA synchronous=NORMAL")
    for (name, value) in try pragmas(opening) {
      if name.lowercased() == "locking_mode" {
        // A log that is first used under a lasting lock has its index in memory, and the lock can't be given up; see
        // `sharingFile(_:)`.
        try connection.execute("SELECT count(*) FROM sqlite_master")
      }
      try connection.execute("PRAGMA \(name)=\(value)")
    }
    if StoreOptions.isOn(NSSQLiteManualVacuumOption, in: opening.options) {
      try connection.execute("VACUUM")
    }
    if StoreOptions.isOn(NSSQLiteAnalyzeOption, in: opening.options) {
      try connection.execute("ANALYZE")
    }
  }

  /// How long to wait for other writers, in seconds.
  static func timeout(_ opening: StoreOpening) -> TimeInterval { timeout(opening.options) }

  /// The same by a store's options.
  static func timeout(_ options: [AnyHashable: Any]?) -> TimeInterval {
    (options?[NSPersistentStoreTimeoutOption] as? NSNumber)?.doubleValue ?? 240
  }

  /// The program's pragmas, by name.
  static func pragmas(_ opening: StoreOpening) throws -> [(name: String, value: String)] {
    let given = opening.options?[NSSQLitePragmasOption]
    let pragmas = given as? [String: Any] ?? (given as? NSDictionary) as? [String: Any] ?? [:]
    return try pragmas.map { name, value in
      let words = [name, "\(value)"]
      guard
        words.allSatisfy({ word in
          !word.isEmpty && word.allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "-" }
        })
      else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError, "The pragma \(name)=\(value) must consist of one word each.")
      }
      return (name, "\(value)")
    }.sorted { $0.name < $1.name }
  }

  // MARK: Closed stores

  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any] {
    do {
      if StoreLocation.sharedName(of: url) != nil {
        return try openShared(url, NSPersistentStoreOpenError).readMetadata()
      }
      try checkFile(url, NSPersistentStoreOpenError)
      return try SQLiteConnection.reading(url, timeout: timeout(options)).readMetadata()
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreOpenError)
    }
  }

  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?
  ) throws {
    do {
      let connection: SQLiteConnection
      if StoreLocation.sharedName(of: url) != nil {
        connection = try openShared(url, NSPersistentStoreSaveError)
      } else {
        try checkFile(url, NSPersistentStoreSaveError)
        connection = try SQLiteConnection(
          writing: url, creation: .existing, timeout: timeout(options))
      }
      try connection.transaction(.immediate) {
        let own = Set(StoreMetadataKeys.own)
        let present = try connection.readMetadata().filter { own.contains($0.key) }
        try connection.writeMetadata(
          metadata.filter { !own.contains($0.key) }.merging(present) { _, kept in kept })
      }
    } catch let error as SQLiteError {
      throw error.cocoaError(NSPersistentStoreSaveError)
    }
  }

  /// Opens the database of the stores in memory at a location below `/dev/null`.
  ///
  /// - Throws: an error with `code` if none is open.
  private static func openShared(_ url: URL, _ code: Int) throws -> SQLiteConnection {
    let connection = try SQLiteConnection.inMemory(named: StoreLocation.sharedName(of: url))
    connection.setBusyTimeout(240)
    guard try connection.hasTables() else {
      throw CoreDataError.make(
        code, "No store in memory is open at \(url.path).", userInfo: [NSFilePathErrorKey: url.path]
      )
    }
    return connection
  }

  /// Throws for locations without a readable file.
  static func checkFile(_ url: URL, _ code: Int) throws {
    guard case .memory = try StoreLocation.check(url, code) else { return }
    throw CoreDataError.make(
      code, "A store in memory has no file.", userInfo: [NSFilePathErrorKey: url.path])
  }
}
