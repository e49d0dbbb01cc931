import DataModels
import Foundation
import PredicateFormat

/// A store in a SQLite file with Core Data's schema.
///
/// A coordinator opens it for stores of the type `NSSQLiteStoreType`; see ``StoreTypes``.
final class SQLiteEngine: RequestEngine, MetadataSavingEngine {
  private(set) var connection: SQLiteConnection
  let schema: StoreSchema
  /// The layouts by entity number; entity n is at index n − 1.
  let layouts: [EntityLayout?]
  /// The entities' numbers, by layout.
  let numbers: [ObjectIdentifier: Int]
  var reference: StoreReference
  let externalData: ExternalData
  /// Why the store is only read; nil if it may be written.
  let readOnlyReason: ReadOnlyReason?
  var isReadOnly: Bool { readOnlyReason != nil }
  /// Whether others can't open the file, as a pragma of the program's (`locking_mode`) has its lock kept.
  let isExclusive: Bool
  var requiresExternalFiles = false
  /// The engine that reads rows again if their files are gone, while a statement is running.
  var secondReader: SQLiteEngine?
  var storedMetadata: [String: Any]
  var metadataChanged = false
  /// The version hashes in the file.
  var recordedHashes: [String: Data]
  /// The UUID in the file.
  var recordedIdentifier: String?
  /// How the store was opened if nothing but recorded hashes said so far that the model is the store's.
  var presumedOpening: StoreOpening?
  /// SQLite's data version, which changes with other connections' writes, and its schema version, as last checked;
  /// see ``requireSameStore()``.
  var knownDataVersion: Int64?
  var knownSchemaVersion: Int64?
  /// The model's versions that the file may have; see ``requireReadable()``.
  private(set) var acceptedVersions: [[String: Data]]
  /// What SQLite's last reads have seen of the file; see ``requireReadable()``.
  var readContentVersion: UInt32?
  var readSchemaVersion: Int64?
  /// How to open the file again that others write; nil if it is written here, or read once. See ``catchUp()``.
  var following: Following?
  /// Whether a request is running, so that its connection can't be replaced.
  var isAnswering = false
  /// How often the connection was replaced.
  private(set) var replacements = 0
  /// The ends of ordered relationships' lists that saves have added to.
  var orderEnds = OrderEnds()
  /// Records saves; nil in a store without history.
  var historyWriter: HistoryWriter?
  /// The values that triggers have reported in the running save.
  let affectedValues = AffectedValues()
  /// The row that a statement of a batch has updated instead of inserting one.
  let presentRow = PresentRow()
  /// Detects other connections' writes, if there is a handler for them.
  var watcher: StoreWatcher?
  /// The pool of connections that only read; nil if the store has none.
  private(set) var readers: ReaderPool?

  /// Keeps the external files of a snapshot that is being read.
  private(set) var keptFiles: RetiredFiles.Reader?
  /// The folder of external files, for a reader that keeps them during each request.
  var filesFolder: String?

  private var shapes: [ShapeKey: RowShape] = [:]
  private var writers: [ObjectIdentifier: RowWriter] = [:]
  private var lastShape: (key: ShapeKey, shape: RowShape)?
  private var destinationQueries: [DestinationKey: (shape: RowShape, sql: String)] = [:]
  private(set) var evaluator: SQLEvaluator

  private struct ShapeKey: Hashable {
    let layout: ObjectIdentifier
    let includesSubentities: Bool
  }

  private struct DestinationKey: Hashable {
    let layout: ObjectIdentifier
    let property: ObjectIdentifier
  }

  init(
    connection: SQLiteConnection, schema: StoreSchema, layouts: ModelLayout, url: URL,
    metadata: [String: Any], readOnly reason: ReadOnlyReason?
  ) throws {
    self.connection = connection
    self.schema = schema
    self.layouts = schema.entities.map { layouts[$0.name] }
    readOnlyReason = reason
    isExclusive = try connection.text("PRAGMA locking_mode") == "exclusive"
    storedMetadata = metadata
    recordedHashes = StoreMetadataKeys.versionHashes(in: metadata)
    acceptedVersions = [recordedHashes]
    recordedIdentifier = metadata[StoreMetadataKeys.uuid] as? String
    externalData = ExternalData(store: url, keepsInline: connection.path == ":memory:")
    reference = StoreReference(
      identifier: metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString, layouts: layouts)
    var numbers: [ObjectIdentifier: Int] = [:]
    for (index, layout) in self.layouts.enumerated() {
      if let layout { numbers[ObjectIdentifier(layout)] = index + 1 }
    }
    self.numbers = numbers
    evaluator = SQLEvaluator()
    try registerFunctions()
  }

  /// Makes a second engine for the same store, which reads through a connection of its own.
  convenience init(reading other: SQLiteEngine, through connection: SQLiteConnection) throws {
    try self.init(ReaderPlan(of: other), through: connection)
    keptFiles = RetiredFiles.Reader(of: externalData.folder)
    storedMetadata = other.storedMetadata
    (recordedHashes, recordedIdentifier) = (other.recordedHashes, other.recordedIdentifier)
  }

  /// Creates a second engine that only reads rows.
  init(_ plan: ReaderPlan, through connection: SQLiteConnection) throws {
    self.connection = connection
    schema = plan.schema
    layouts = plan.layouts
    numbers = plan.numbers
    reference = plan.reference
    externalData = plan.externalData
    readOnlyReason = .option
    isExclusive = false
    (storedMetadata, recordedHashes) = ([:], [:])
    (acceptedVersions, readSchemaVersion) = (plan.acceptedVersions, plan.readSchemaVersion)
    evaluator = SQLEvaluator()
    try connection.registerCoreDataFunctions()
    try evaluator.register(on: connection)
  }

  private func registerFunctions() throws {
    try connection.registerCoreDataFunctions()
    try affectedValues.register(on: connection)
    try presentRow.register(on: connection)
    try evaluator.register(on: connection)
  }

  /// Closes the file, to open it again.
  func letGoOfConnection() throws { connection = try .closed(connection.path) }

  /// Continues with another connection to the same store.
  func replaceConnection(by other: SQLiteConnection) throws {
    connection = other
    replacements += 1
    try registerFunctions()
  }

  /// True: null values are neither equal nor unequal to anything, as in SQL.
  var answersLikeSQLite: Bool { true }

  /// Prevents external files that a save retires from being removed until ``letGoOfFiles()``.
  func keepFiles() { keptFiles = filesFolder.map { RetiredFiles.Reader(ofPath: $0) } }

  /// Ends ``keepFiles()``.
  func letGoOfFiles() { keptFiles = nil }

  /// Sets up the pool of readers.
  func allowReaders(_ opening: StoreOpening) throws {
    let limit = opening.options?[NSPersistentStoreConnectionPoolMaxSizeKey] as? NSNumber
    readers = ReaderPool(
      for: self, limit: limit?.intValue, timeout: Self.timeout(opening),
      pragmas: try Self.pragmas(opening))
  }

  /// Makes the next save record the model's version.
  func takeVersion(of model: NSManagedObjectModel) {
    let new = MetadataList.new(for: model, version: schema.version)
    let hashes = StoreMetadataKeys.versionHashes(in: new)
    guard hashes != recordedHashes else { return }
    acceptedVersions.append(hashes)
    takeVersion(from: new)
  }

  func close() {
    watcher = nil
    readers?.close()
    connection.emptyCache()
  }

  // MARK: Cached per entity

  /// The layout of an entity number that was read from a row: any number may stand there.
  ///
  /// - Throws: ``NSPersistentStoreIncompatibleSchemaError`` for a number that no entity of the model has.
  func layout(number: Int) throws -> EntityLayout {
    guard number > 0, number <= layouts.count, let layout = layouts[number - 1] else {
      throw unknownEntity(Int64(number))
    }
    return layout
  }

  /// The error for a row's entity number that no entity of its table has.
  func unknownEntity(_ number: Int64) -> NSError {
    CoreDataError.make(
      NSPersistentStoreIncompatibleSchemaError,
      "A row has the entity number \(number), which no entity of its table has.",
      userInfo: [NSFilePathErrorKey: connection.path])
  }

  func entity(_ layout: EntityLayout) throws -> SchemaEntity {
    guard let number = numbers[ObjectIdentifier(layout)], let entity = schema[number: number]
    else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "The store has no place for the entity '\(layout.name)'.")
    }
    return entity
  }

  func shape(_ layout: EntityLayout, includesSubentities: Bool = true) throws -> RowShape {
    let key = ShapeKey(layout: ObjectIdentifier(layout), includesSubentities: includesSubentities)
    if let lastShape, lastShape.key == key { return lastShape.shape }
    let shape =
      try shapes[key]
      ?? RowShape(
        try entity(layout), includesSubentities: includesSubentities, schema: schema,
        layouts: layouts)
    shapes[key] = shape
    lastShape = (key, shape)
    return shape
  }

  /// The query for the destinations of one object's to-many relationship, with the object's key as the only
  /// parameter. Nil for a relationship that the store doesn't have.
  func destinations(
    _ layout: EntityLayout, _ property: PropertyLayout
  ) throws -> (shape: RowShape, sql: String)? {
    let key = DestinationKey(
      layout: ObjectIdentifier(layout), property: ObjectIdentifier(property))
    if let known = destinationQueries[key] { return known }
    guard let storage = try entity(layout).toManys[property.name],
      let destination = layouts[storage.destinationNumber - 1]
    else { return nil }
    let shape = try shape(destination)
    let made = (
      shape, "\(shape.select) \(storage.condition(schema, isOrdered: property.isOrdered))"
    )
    destinationQueries[key] = made
    return made
  }

  func writer(_ layout: EntityLayout) throws -> RowWriter {
    if let writer = writers[ObjectIdentifier(layout)] { return writer }
    let writer = RowWriter(layout, try entity(layout), schema: schema)
    writers[ObjectIdentifier(layout)] = writer
    return writer
  }

  /// Runs `body`, which evaluates a predicate or expression of a request.
  ///
  /// - Parameter text: the predicate or expression, for the error.
  /// - Throws: ``NSCoreDataError`` if it can't be evaluated; no row was found or changed then.
  func evaluating<Result>(
    _ text: @autoclosure () -> String, _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch let error as SQLiteError {
      guard let failure = evaluator.takeFailure() else { throw error }
      throw CoreDataError.unanswerable(failure, text())
    }
  }

  /// Runs `body`, translating SQLite errors to Core Data's codes.
  func translatingErrors<Result>(
    _ code: Int = NSPersistentStoreOperationError, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw error.cocoaError(code) }
  }
}
