import DataModels
import Foundation
import ModelEvolution

/// Migrates the objects of a store of one model to a store of another model, according to a mapping model.
///
/// ```swift
/// let manager = NSMigrationManager(sourceModel: old, destinationModel: new)
/// try manager.migrateStore(
///   from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// ```
///
/// All objects are instances of `NSManagedObject`, whatever classes the models name, as in Core Data's documentation:
/// a class knows one version of its entity, and may request properties that the other version lacks. Policies read
/// and set values by key.
///
/// The source store is opened read-only. All entity mappings first create their objects, then relate them, then
/// validate them; then all objects are saved at once.
///
/// A store that exists already gets the objects in addition to its own. A migration that would need too much memory can
/// so be done in several passes, each with a mapping model of some of the entities:
///
/// ```swift
/// for mapping in [customers, orders] {
///   try manager.migrateStore(
///     from: url, type: .sqlite, mapping: mapping, to: newURL, type: .sqlite)
/// }
/// ```
///
/// A pass doesn't know which objects another one has made: a relationship whose expression names an entity mapping of
/// another pass gets none. A policy relates such objects itself, once it has fetched them from ``destinationContext``.
open class NSMigrationManager: NSObject, @unchecked Sendable {
  // Sendable: one thread migrates; cancellation by others is guarded by a lock.

  /// The model of the source store.
  public final let sourceModel: NSManagedObjectModel
  /// The model of the destination store.
  public final let destinationModel: NSManagedObjectModel
  /// The context of the source store's objects.
  public private(set) final var sourceContext: NSManagedObjectContext
  /// The context of the destination objects.
  public private(set) final var destinationContext: NSManagedObjectContext
  /// The current mapping model; an empty one before the first migration.
  public private(set) final var mappingModel = NSMappingModel()
  /// The current entity mapping; an empty one between migrations.
  public internal(set) final var currentEntityMapping = NSEntityMapping()
  /// User info for policies.
  open var userInfo: [AnyHashable: Any]? {
    get { storedUserInfo }
    set { storedUserInfo = newValue }
  }
  // A separate variable: in `userInfo?[key] = …` the right side may read the property too, which exclusivity forbids
  // for a stored one.
  private final var storedUserInfo: [AnyHashable: Any]?
  /// Whether a store may be migrated by its type's own method, without objects, if the mapping model is equal to the
  /// inferred one. True in a new manager.
  ///
  /// A SQLite store that is migrated to a SQLite store is then copied, and the copy is migrated in place. This is
  /// many times faster, and keeps the object IDs, the store's UUID, its metadata and its history. No objects are
  /// created: the contexts stay empty, and there are no associations. Mandatory values and relationship counts of the
  /// new model are checked as in an in-place migration, with ``NSMigrationError``; validation predicates aren't
  /// evaluated.
  open var usesStoreSpecificMigrationManager = true
  /// The migration's progress, in steps; cancelling it cancels the migration. It isn't public, as subclasses declare a
  /// property of their own by this name.
  final let progress = Progress(totalUnitCount: 1)

  /// The configuration with which both stores are opened; nil for all entities.
  final var configurationName: String?
  final var associations = MigrationAssociations()
  final var expressions: [ObjectIdentifier: MappedExpression] = [:]
  final let cancellation = MigrationCancellation()

  /// Creates a manager for migration from `sourceModel` to `destinationModel`, which can't be changed from then on.
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

  /// The fraction of the migration that is complete, from 0 to 1; 0 between migrations.
  public final var migrationProgress: Float {
    cancellation.isRunning ? Float(progress.fractionCompleted) : 0
  }

  #if !canImport(ObjectiveC)
    /// Called before a property changes. MomKit calls it for ``migrationProgress``, from the migrating thread.
    open func willChangeValue(forKey key: String) {}

    /// Called after a property has changed. Overrides show the progress:
    ///
    /// ```swift
    /// override func didChangeValue(forKey key: String) {
    ///   super.didChangeValue(forKey: key)
    ///   if key == "migrationProgress" { bar.value = migrationProgress }
    /// }
    /// ```
    open func didChangeValue(forKey key: String) {}
  #endif

  /// Cancels the running migration with `error`; a new destination store is deleted.
  open func cancelMigrationWithError(_ error: any Error) { cancellation.cancel(with: error) }

  /// Resets the manager for reuse.
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

  // MARK: Associations

  /// Records that `destinationInstance` was created from `sourceInstance`.
  open func associate(
    sourceInstance: NSManagedObject, withDestinationInstance destinationInstance: NSManagedObject,
    for entityMapping: NSEntityMapping
  ) {
    associations.add(sourceInstance, destinationInstance, mapping: entityMapping.name ?? "")
  }

  /// The objects that a mapping created from source objects; from all of them if nil.
  open func destinationInstances(
    forEntityMappingName mappingName: String, sourceInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    associations.destinations(mapping: mappingName, of: sourceInstances)
  }

  /// The objects from which a mapping created destination objects; all of them if nil.
  open func sourceInstances(
    forEntityMappingName mappingName: String, destinationInstances: [NSManagedObject]?
  ) -> [NSManagedObject] {
    associations.sources(mapping: mappingName, of: destinationInstances)
  }

  // MARK: Migration

  /// Migrates a store.
  ///
  /// - Parameters:
  ///   - sourceURL: the store, which isn't modified.
  ///   - sourceType: its type.
  ///   - sourceOptions: the options for opening it.
  ///   - mapping: the mapping to the destination model. Objects of entities that it doesn't name are dropped.
  ///   - destinationURL: the location of the new store, or of one of the destination model, which the objects are added
  ///     to. Without the option for its history, a store that has one is read-only.
  ///   - destinationType: the type of that store.
  ///   - destinationOptions: the options for creating or opening it.
  /// - Throws: ``NSMigrationError`` for a mapping model between other models, ``NSMigrationManagerSourceStoreError``
  ///   and ``NSMigrationManagerDestinationStoreError`` if a store can't be opened, ``NSEntityMigrationPolicyError``
  ///   for a policy of an unknown class, ``NSMigrationCancelledError`` or the given error after a cancellation,
  ///   errors of policies, and the validation errors of the new objects. A new destination is then deleted, one that
  ///   existed stays as it was; a new one that is no file stays, with nothing in it.
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

  /// Migrates a store; see ``migrateStore(from:type:options:mapping:to:type:options:)``. If there is no mapping
  /// model, one is inferred.
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
    let appends =
      try dStoreType != NSInMemoryStoreType
      && hasDestination(at: dURL, ofType: dStoreType, options: dOptions, from: sourceURL)
    try check(mappingModel.entityMappings ?? [], isAll: !appends)
    if !appends, usesStoreSpecificMigrationManager, let inferred,
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
        ofType: sStoreType, configurationName: configurationName, at: sourceURL, options: readOnly)
      try store?.requireEngine().requiresExternalFiles = true
    }
    do {
      try Self.translating(to: NSMigrationManagerDestinationStoreError, naming: "destination") {
        _ = try destination?.addPersistentStore(
          ofType: dStoreType, configurationName: configurationName, at: dURL, options: dOptions)
      }
      try migrateObjects()
      try checkOwners()
      try destinationContext.save()
    } catch {
      try? close(source)
      // Of a store that is no file, nobody can say for certain that it's new; nothing has been saved in it.
      if appends || !dURL.isFileURL {
        try? close(destination)
      } else {
        destination?.discardPersistentStore(at: dURL, ofType: dStoreType)
      }
      throw error
    }
    progress.completedUnitCount = progress.totalUnitCount
    // A store in memory lives as long as its context.
    if dStoreType != NSInMemoryStoreType { try close(destination) }
    try close(source)
  }

  /// The inferred mapping model; nil if there is none and it isn't needed.
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
          + "\((error as NSError).localizedDescription)", userInfo: [NSUnderlyingErrorKey: error])
    }
  }

  final func close(_ coordinator: NSPersistentStoreCoordinator?) throws {
    for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
  }
}
