import Foundation
import ManagedModel
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
/// The source store is opened for reading only. First every entity mapping makes its objects, then
/// every one relates them, then every one validates them; then all are saved at once.
open class NSMigrationManager: NSObject, ProgressReporting, @unchecked Sendable {
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
  public private(set) final var currentEntityMapping = NSEntityMapping()
  /// Free notes for policies.
  open var userInfo: [AnyHashable: Any]?
  /// Whether a store may be migrated in a way of its own, without objects, where the mapping model
  /// is the inferred one. True in a new manager; stores of MomKit do so only when they are opened.
  open var usesStoreSpecificMigrationManager = true
  /// How far the migration is, in steps; cancelling it cancels the migration.
  public final let progress = Progress(totalUnitCount: 1)

  final var associations = MigrationAssociations()
  private final var policies: [ObjectIdentifier: NSEntityMigrationPolicy] = [:]
  private final let cancellation = MigrationCancellation()

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
    context.persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
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
    policies = [:]
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
  ///   - mapping: how its objects become those of the destination model.
  ///   - destinationURL: where the new store goes; none may be there.
  /// - Throws: ``NSMigrationManagerSourceStoreError`` and
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
    mappingModel =
      try mappings
      ?? NSMappingModel.inferredMappingModel(
        forSourceModel: sourceModel, destinationModel: destinationModel)
    let source = sourceContext.persistentStoreCoordinator
    let destination = destinationContext.persistentStoreCoordinator
    var readOnly = sOptions ?? [:]
    readOnly[NSReadOnlyPersistentStoreOption] = true
    try Self.translating(NSMigrationManagerSourceStoreError, "source") {
      _ = try source?.addPersistentStore(
        ofType: sStoreType, configurationName: nil, at: sourceURL, options: readOnly)
    }
    guard dStoreType == NSInMemoryStoreType || !FileManager.default.fileExists(atPath: dURL.path)
    else {
      throw CoreDataError.make(
        NSMigrationManagerDestinationStoreError,
        "There is a file at the destination store's place already.",
        [NSFilePathErrorKey: dURL.path])
    }
    do {
      try Self.translating(NSMigrationManagerDestinationStoreError, "destination") {
        _ = try destination?.addPersistentStore(
          ofType: dStoreType, configurationName: nil, at: dURL, options: dOptions)
      }
      try migrateObjects()
      try destinationContext.save()
    } catch {
      try? close(source)
      try? destination?.destroyPersistentStore(at: dURL, ofType: dStoreType)
      throw error
    }
    progress.completedUnitCount = progress.totalUnitCount
    // A store in memory lives as long as the context that has it.
    if dStoreType != NSInMemoryStoreType { try close(destination) }
    try close(source)
  }

  private static func translating(_ code: Int, _ which: String, _ body: () throws -> Void) throws {
    do { try body() } catch {
      throw CoreDataError.make(
        code,
        "The \(which) store of the migration could not be opened: "
          + "\((error as NSError).localizedDescription)", [NSUnderlyingErrorKey: error])
    }
  }

  private final func close(_ coordinator: NSPersistentStoreCoordinator?) throws {
    for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
  }

  // MARK: Phases

  private final func migrateObjects() throws {
    let mappings: [NSEntityMapping] = mappingModel.entityMappings ?? []
    try check(mappings)
    let work = try mappings.map { mapping in
      let policy = try MigrationPolicies.shared.policy(for: mapping)
      policies[ObjectIdentifier(mapping)] = policy
      return (mapping: mapping, policy: policy, sources: try sources(of: mapping))
    }
    progress.totalUnitCount = Int64(work.reduce(1) { $0 + 2 * max($1.sources.count, 1) })
    progress.completedUnitCount = 0
    for (mapping, policy, sources) in work {
      currentEntityMapping = mapping
      try step(by: 0)
      try policy.begin(mapping, with: self)
      if [
        .copyEntityMappingType, .transformEntityMappingType, .customEntityMappingType,
        .undefinedEntityMappingType,
      ].contains(mapping.mappingType) {
        for source in sources {
          try policy.createDestinationInstances(forSource: source, in: mapping, manager: self)
          try step()
        }
      }
      try policy.endInstanceCreation(forMapping: mapping, manager: self)
    }
    for (mapping, policy, _) in work {
      currentEntityMapping = mapping
      for destination in associations.destinations(mapping: mapping.name ?? "", of: nil) {
        try policy.createRelationships(forDestination: destination, in: mapping, manager: self)
        try step()
      }
      try policy.endRelationshipCreation(forMapping: mapping, manager: self)
    }
    for (mapping, policy, _) in work {
      currentEntityMapping = mapping
      try step(by: 0)
      try policy.performCustomValidation(forMapping: mapping, manager: self)
      try policy.end(mapping, manager: self)
    }
    try step(by: 0)
  }

  /// The names that mappings give must be in the models: what comes after relies on it.
  private final func check(_ mappings: [NSEntityMapping]) throws {
    for mapping in mappings {
      for (name, model, which) in [
        (mapping.sourceEntityName, sourceModel, "source"),
        (mapping.destinationEntityName, destinationModel, "destination"),
      ] {
        guard let name, model.entitiesByName[name] == nil else { continue }
        throw CoreDataError.make(
          NSMigrationError,
          "The mapping '\(mapping.name ?? "")' names the \(which) entity '\(name)', which the "
            + "\(which) model doesn't have.", ["entity": name])
      }
    }
  }

  private final func step(by count: Int64 = 1) throws {
    if let error = cancellation.error { throw error }
    if progress.isCancelled {
      throw CoreDataError.make(NSMigrationCancelledError, "The migration was cancelled.")
    }
    progress.completedUnitCount = min(
      progress.completedUnitCount + count, progress.totalUnitCount)
  }

  /// The objects a mapping starts from: what its expression gives, or every object of its entity.
  private final func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
    guard let name = mapping.sourceEntityName,
      ![.addEntityMappingType, .removeEntityMappingType].contains(mapping.mappingType)
    else { return [] }
    guard let expression = mapping.sourceExpression else {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.includesSubentities = false
      return try sourceContext.fetch(request)
    }
    let value = try MigrationValues.value(of: expression, in: mapping, manager: self)
    return MigrationValues.objects(in: value)
  }
}

/// Whether a migration runs, and whether it has to end; asked and told from any thread.
private final class MigrationCancellation: @unchecked Sendable {
  private let lock = NSLock()
  private var running = false
  private var reason: (any Error)?

  var isRunning: Bool { lock.withLock { running } }
  var error: (any Error)? { lock.withLock { reason } }

  func begin() { lock.withLock { (running, reason) = (true, nil) } }
  func end() { lock.withLock { running = false } }
  func cancel(with error: any Error) { lock.withLock { reason = error } }
}
