import DataModels
import Foundation
import PredicateFormat

/// A store in a SQLite file, laid out as Core Data lays it out.
///
/// A coordinator opens it for stores of the type `NSSQLiteStoreType`; see ``StoreTypes``.
final class SQLiteEngine: RequestEngine {
  let connection: SQLiteConnection
  let schema: StoreSchema
  /// The layouts by entity number; number n is at n − 1.
  let layouts: [EntityLayout?]
  /// The entities' numbers by their layouts.
  let numbers: [ObjectIdentifier: Int]
  var reference: StoreReference
  let externalData: ExternalData
  let isReadOnly: Bool
  var requiresExternalFiles = false
  /// Who reads rows once more whose files are gone, while a statement runs.
  var secondReader: SQLiteEngine?
  /// The metadata as they are in the file, and as they will be after the next save.
  var storedMetadata: [String: Any]
  var metadataChanged = false
  /// The version hashes in the file.
  var recordedHashes: [String: Data]
  /// SQLite's numbers of the file's contents as others wrote them, and of its tables, when somebody last
  /// looked; see ``requireSameStore()``.
  var knownDataVersion: Int64?
  var knownSchemaVersion: Int64?
  /// Who records saves; nil in a store without history.
  var historyWriter: HistoryWriter?
  /// What triggers reported in the save that is running.
  let affectedValues = AffectedValues()
  /// Who notices other connections' writes, if anybody wants to know.
  var watcher: StoreWatcher?

  /// What keeps the files of a state of the store that is read.
  private(set) var keptFiles: RetiredFiles.Reader?

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
    metadata: [String: Any], isReadOnly: Bool
  ) throws {
    self.connection = connection
    self.schema = schema
    self.layouts = schema.entities.map { layouts[$0.name] }
    self.isReadOnly = isReadOnly
    storedMetadata = metadata
    recordedHashes = StoreMetadataKeys.versionHashes(in: metadata)
    externalData = ExternalData(store: url, keepsInline: connection.path == ":memory:")
    reference = StoreReference(
      identifier: metadata[NSStoreUUIDKey] as? String ?? UUID().uuidString, layouts: layouts)
    var numbers: [ObjectIdentifier: Int] = [:]
    for (index, layout) in self.layouts.enumerated() {
      if let layout { numbers[ObjectIdentifier(layout)] = index + 1 }
    }
    self.numbers = numbers
    evaluator = SQLEvaluator()
    try connection.registerCoreDataFunctions()
    try affectedValues.register(on: connection)
    try evaluator.register(on: connection)
  }

  /// Makes a second engine for the same store, which reads through a connection of its own.
  init(reading other: SQLiteEngine, through connection: SQLiteConnection) throws {
    self.connection = connection
    schema = other.schema
    layouts = other.layouts
    numbers = other.numbers
    reference = other.reference
    externalData = other.externalData
    keptFiles = RetiredFiles.Reader(of: externalData.folder)
    isReadOnly = true
    storedMetadata = other.storedMetadata
    recordedHashes = other.recordedHashes
    evaluator = SQLEvaluator()
    try connection.registerCoreDataFunctions()
    try evaluator.register(on: connection)
  }

  /// What rows lack is neither equal nor unequal to anything, as in all SQL.
  var answersLikeSQLite: Bool { true }

  /// The metadata, with changes that the next save writes.
  var metadata: [String: Any] {
    get { storedMetadata }
    set {
      storedMetadata = StoreMetadataKeys.keepingOwn(of: storedMetadata, in: newValue)
      metadataChanged = true
    }
  }

  /// Has the next save record that the store is of this version of the model.
  func takeVersion(of model: NSManagedObjectModel) {
    let new = MetadataList.new(for: model, version: schema.version)
    guard StoreMetadataKeys.versionHashes(in: new) != recordedHashes else { return }
    for key in StoreMetadataKeys.modelVersion { storedMetadata[key] = new[key] }
    metadataChanged = true
  }

  func close() {
    watcher = nil
    connection.emptyCache()
  }

  // MARK: What is made once for an entity

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

  /// How the destinations of one object's to-many relationship are asked for: its key is the only
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

  /// Runs `body`, in which a predicate or expression of a request is evaluated.
  ///
  /// - Parameter text: what was asked, for the error.
  /// - Throws: ``NSCoreDataError`` when that can't be evaluated; then no row was found or changed.
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

  /// Runs `body`, giving SQLite's errors Core Data's codes.
  func translatingErrors<Result>(
    _ code: Int = NSPersistentStoreOperationError, _ body: () throws -> Result
  ) throws -> Result {
    do { return try body() } catch let error as SQLiteError { throw error.cocoaError(code) }
  }
}
