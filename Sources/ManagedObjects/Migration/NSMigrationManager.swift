import DataModels
import Foundation
import ModelEvolution

/// Moves the objects of a store of one model into a new store of another model, as a mapping model
/// says.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
///
/// All objects are `NSManagedObject`s, whatever classes the models name, as Core Data's guide says: a class knows one
/// version of its entity, and may ask for what the other has not. Policies read and set values by their keys.
///
/// The source store is opened for reading only. First every entity mapping makes its objects, then
/// every one relates them, then every one validates them; then all are saved at once.
open class NSMigrationManager: NSObject, ProgressReporting, @unchecked Sendable {
  // Sendable: one thread migrates; others may cancel, which is behind a lock.

  /// The model of the source store.
  public final let sourceModel: NSManagedObjectModel
  /// The model of the destination store.
  public final let destinationModel: NSManagedObjectModel
  /// The context with the source store's objects.
  public private(set) final var sourceContext: NSManagedObjectContext
  /// The context with the objects that are made.
  public private(set) final var destinationContext: NSManagedObjectContext
  /// The mapping model in use; one without mappings before the first migration.
  public private(set) final var mappingModel = NSMappingModel()
  /// The entity mapping at work; one that says nothing between migrations.
  public internal(set) final var currentEntityMapping = NSEntityMapping()
  /// Free notes for policies.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // Stored apart: in `userInfo?[key] = …` the right side may read it as well, which one variable doesn't allow.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// Whether a store may be migrated in a way of its own, without objects, where the mapping model
  /// is equal to the inferred one. True in a new manager.
  ///
  /// A SQLite store that becomes a SQLite store is then copied, and the copy is migrated in place: many
  /// times faster, with the objects' identities, the store's UUID, its metadata and its history kept.
  /// No objects are made: the contexts stay empty, and nothing is associated. What the new model
  /// demands of required values and of numbers of objects is checked as in place, with
  /// ``NSMigrationError``; validation predicates aren't asked.
  open var usesStoreSpecificMigrationManager = true
  /// How far the migration is, in steps; cancelling it cancels the migration.
  public final let progress = Progress(totalUnitCount: 1)

  final var associations = MigrationAssociations()
  final var expressions: [ObjectIdentifier: MappedExpression] = [:]
  final let cancellation = MigrationCancellation()

  /// Makes a manager for stores of `sourceModel` and `destinationModel`; from now on neither can be
  /// changed.
  public init(sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel) {
    self.sourceModel = sourceModel
    self.destinationModel = destinationModel
    sourceContext = Self.context(sourceModel)
    destinationContext = Self.context(destinationModel)
  }

  private static func context(_ model: NSManagedObjectModel) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(ofPlainObjects: model)
    context.retainsRegisteredObjects = true
    return context
  }

  /// How far the migration is, from 0 to 1; 0 between migrations.
  public final var migrationProgress: Float {
    cancellation.isRunning ? Float(progress.fractionCompleted) : 0
  }

  /// Ends the migration that is running soon, with `error`; the destination store is taken away.
  open func cancelMigrationWithError(_ error: any Error) { cancellation.cancel(with: error) }

  /// Forgets what was migrated, so that the manager can be used again.
  open func reset() {
    associations = MigrationAssociations()
    expressions = [:]
    currentEntityMapping = NSEntityMapping()
    sourceContext = Self.context(sourceModel)
    destinationContext = Self.context(destinationModel)
  }

  // MARK: Entities

  /// The source model's entity of a mapping; nil for an added entity.
  open func sourceEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.sourceEntityName.flatMap { sourceModel.entitiesByName[$0] }
  }

  /// The destination model's entity of a mapping; nil for a removed entity.
  open func destinationEntity(for mEntity: NSEntityMapping) -> NSEntityDescription? {
    mEntity.destinationEntityName.flatMap { destinationModel.entitiesByName[$0] }
  }

  // MARK: What became of what

  /// Remembers that `destinationInstance` was made of `sourceInstance`.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    associations.add(sourceInstance, destinationInstance, mapping: entityMapping.name ?? "")
  }

  /// What a mapping made of source objects; of all of them for nil.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    associations.destinations(mapping: mappingName, of: sourceInstances)
  }

  /// What a mapping made destination objects of; all of them for nil.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    associations.sources(mapping: mappingName, of: destinationInstances)
  }

  // MARK: Migrating

  /// Migrates a store.
  ///
  /// - Parameters:
  ///   - sourceURL: the store, which is not changed.
  ///   - sourceType: its type.
  ///   - sourceOptions: the options it is opened with.
  ///   - mapping: how its objects become those of the destination model. Objects of entities that it
  ///     doesn't name are left out.
  ///   - destinationURL: where the new store goes; none may be there.
  ///   - destinationType: the type of the new store.
  ///   - destinationOptions: the options it is made with.
  /// - Throws: ``NSMigrationError`` for a mapping model that is one between other models,
  ///   ``NSMigrationManagerSourceStoreError`` and
  ///   ``NSMigrationManagerDestinationStoreError`` when a store can't be opened,
  ///   ``NSEntityMigrationPolicyError`` for a policy whose class isn't known,
  ///   ``NSMigrationCancelledError`` or the error given when it is cancelled, what policies throw, and
  ///   the validation errors of the new objects. The destination is then taken away.
  open func migrateStore(
    from sourceURL: URL, type sourceType: NSPersistentStore.StoreType,
    options sourceOptions: [AnyHashable: Any]? = nil, mapping: NSMappingModel,
    to destinationURL: URL, type destinationType: NSPersistentStore.StoreType,
    options destinationOptions: [AnyHashable: Any]? = nil
  ) throws {
    try migrateStore(
      from: sourceURL, sourceType: sourceType.rawValue, options: sourceOptions, with: mapping,
      toDestinationURL: destinationURL, destinationType: destinationType.rawValue,
      destinationOptions: destinationOptions)
  }

  /// Migrates a store; see ``migrateStore(from:type:options:mapping:to:type:options:)``. Without a
  /// mapping model one is inferred.
  open func migrateStore(
    from sourceURL: URL, sourceType sStoreType: String, options sOptions: [AnyHashable: Any]? = nil,
    with mappings: NSMappingModel?, toDestinationURL dURL: URL, destinationType dStoreType: String,
    destinationOptions dOptions: [AnyHashable: Any]? = nil
  ) throws {
    reset()
    cancellation.begin()
    defer { cancellation.end() }
    let inferred: NSMappingModel? =
      mappings == nil
        || usesStoreSpecificMigrationManager && dStoreType == NSSQLiteStoreType
          && sStoreType == NSSQLiteStoreType
      ? try inferredMapping(isNeeded: mappings == nil) : nil
    mappingModel = mappings ?? inferred ?? mappingModel
    try check(mappingModel.entityMappings ?? [])
    guard dStoreType == NSInMemoryStoreType || !FileManager.default.fileExists(atPath: dURL.path)
    else {
      throw CoreDataError.make(
        NSMigrationManagerDestinationStoreError,
        "There is a file at the destination store's place already.",
        [NSFilePathErrorKey: dURL.path])
    }
    if usesStoreSpecificMigrationManager, let inferred,
      inferred === mappingModel || inferred.isEqual(mappingModel),
      try migrateCopy(of: sourceURL, type: sStoreType, to: dURL, as: dStoreType, options: dOptions)
    {
      return
    }
    let source = sourceContext.persistentStoreCoordinator
    let destination = destinationContext.persistentStoreCoordinator
    var readOnly = sOptions ?? [:]
    readOnly[NSReadOnlyPersistentStoreOption] = true
    try Self.translating(to: NSMigrationManagerSourceStoreError, naming: "source") {
      let store = try source?.addPersistentStore(
        ofType: sStoreType, configurationName: nil, at: sourceURL, options: readOnly)
      try store?.requireEngine().requiresExternalFiles = true
    }
    do {
      try Self.translating(to: NSMigrationManagerDestinationStoreError, naming: "destination") {
        _ = try destination?.addPersistentStore(
          ofType: dStoreType, configurationName: nil, at: dURL, options: dOptions)
      }
      try migrateObjects()
      try destinationContext.save()
    } catch {
      try? close(source)
      destination?.discardPersistentStore(at: dURL, ofType: dStoreType)
      throw error
    }
    progress.completedUnitCount = progress.totalUnitCount
    // A store in memory lives as long as the context that has it.
    if dStoreType != NSInMemoryStoreType { try close(destination) }
    try close(source)
  }

  /// The inferred mapping model; nil where there is none and it is not needed.
  private final func inferredMapping(isNeeded: Bool) throws -> NSMappingModel? {
    do {
      return try NSMappingModel.inferredMappingModel(
        forSourceModel: sourceModel, destinationModel: destinationModel)
    } catch {
      if isNeeded { throw error }
      return nil
    }
  }

  static func translating(to code: Int, naming which: String, _ body: () throws -> Void) throws {
    do { try body() } catch {
      throw CoreDataError.make(
        code,
        "The \(which) store of the migration could not be opened: "
          + "\((error as NSError).localizedDescription)", [NSUnderlyingErrorKey: error])
    }
  }

  final func close(_ coordinator: NSPersistentStoreCoordinator?) throws {
    for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
  }
}
