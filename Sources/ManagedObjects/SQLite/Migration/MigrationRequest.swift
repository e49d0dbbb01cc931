import DataModels
import Foundation
import ModelEvolution

/// The parameters for migrating a store of another version, of any type.
struct MigrationRequest {
  let url: URL
  let metadata: [String: Any]
  let model: NSManagedObjectModel
  let options: [AnyHashable: Any]?
  let storeType: String
  /// The configuration that the store is opened with, if it may have only that one's entities: a SQLite store has those
  /// of the whole model.
  var configuration: String?

  /// Whether the options permit the migration of a store when it is opened.
  static func isAllowed(_ options: [AnyHashable: Any]?) -> Bool {
    options?[NSPersistentStoreStagedMigrationManagerOptionKey] is NSStagedMigrationManager
      || StoreOptions.isOn(NSMigratePersistentStoresAutomaticallyOption, in: options)
  }

  /// The version hashes that the store records.
  var recordedHashes: [String: Data] { StoreMetadataKeys.versionHashes(in: metadata) }

  var progress: MigrationProgress {
    MigrationProgress(options?[MomKitMigrationProgressOption] as? Progress)
  }

  /// Whether the store is opened to track history.
  var tracksHistory: Bool { StoreOptions.isOn(NSPersistentHistoryTrackingKey, in: options) }

  /// The options for writing a copy of the store, as what was written is to be found in the history: with tracking if
  /// the store is going to be opened so, or has history. A store whose history was deleted has none, since its tracking
  /// may have ended.
  func historyOptions(_ connection: SQLiteConnection) throws -> [AnyHashable: Any]? {
    try tracksHistory || connection.hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil
  }

  /// The model that the store was created with: the one in the options, one that a stage names, one of the program's
  /// files, or the store's own copy.
  func sourceModel(
    in stages: [NSMigrationStage] = [], cached: () throws -> NSManagedObjectModel?
  ) throws -> NSManagedObjectModel {
    let hashes = recordedHashes
    if let given = options?[MomKitMigrationSourceModelOption] as? NSManagedObjectModel,
      isVersion(given, of: hashes)
    {
      return given
    }
    for case let stage as NSCustomMigrationStage in stages {
      for reference in [stage.currentModel, stage.nextModel] {
        // One that can't be resolved may be of a stage that isn't performed.
        if let named = try? reference.resolve(), isVersion(named, of: hashes) { return named }
      }
    }
    if let found = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata),
      found.entityVersionHashesByName == hashes
    {
      return found
    }
    // No model that has more than the store's entities is found by the metadata.
    if configuration != nil,
      let found = NSManagedObjectModel.versions(in: nil).first(where: { isVersion($0, of: hashes) })
    {
      return found
    }
    if let cached = try? cached(), isVersion(cached, of: hashes) { return cached }
    throw MigrationError.missingSourceModel(metadata, at: url)
  }

  /// Whether a model has exactly the entities of a store, or has them in the configuration.
  private func isVersion(_ model: NSManagedObjectModel, of recorded: [String: Data]) -> Bool {
    let hashes = model.entityVersionHashesByName
    if hashes == recorded { return true }
    guard let entities = configuration.flatMap({ model.entities(forConfigurationName: $0) }) else {
      return false
    }
    let names = Set(entities.compactMap(\.name))
    return hashes.filter { names.contains($0.key) } == recorded
  }

  /// The configuration with which a store, or a copy of it, must be opened with its own model; nil if it has all of the
  /// model's entities.
  func configuration(at url: URL, of model: NSManagedObjectModel) throws -> String? {
    guard let configuration else { return nil }
    let metadata = try StoreTypes.require(storeType).metadata(at: url, options: nil)
    let recorded = StoreMetadataKeys.versionHashes(in: metadata)
    return recorded == model.entityVersionHashesByName ? nil : configuration
  }

  /// The program's mapping model; nil if one is to be inferred.
  ///
  /// - Throws: ``NSMigrationMissingMappingModelError`` if there is none and inference isn't permitted, or if the
  ///   given one is for other models: the program's intention must not be replaced silently.
  func mapping(from source: NSManagedObjectModel) throws -> NSMappingModel? {
    if let given = options?[MomKitMigrationMappingModelOption] {
      guard let mapping = given as? NSMappingModel, mapping.maps(source, to: model) else {
        throw CoreDataError.make(
          NSMigrationMissingMappingModelError,
          "The mapping model given with the option \(MomKitMigrationMappingModelOption) is not one "
            + "between the store's model and the current one: an entity that it names is missing or "
            + "of another version.",
          userInfo: ["reason": "Can't find or automatically infer mapping model for migration"])
      }
      return mapping
    }
    if let found = NSMappingModel(from: nil, forSourceModel: source, destinationModel: model) {
      return found
    }
    guard StoreOptions.isOn(NSInferMappingModelAutomaticallyOption, in: options) else {
      throw MigrationError.missingMapping(underlying: nil)
    }
    return nil
  }

  // MARK: Stages

  /// Migrates a copy of the store to the model in stages.
  ///
  /// - Parameters:
  ///   - cached: returns the store's own copy of its model, if it has one.
  ///   - work: creates the copy, and passes its URL on.
  ///   - bring: migrates the copy from one model to the next, by inference.
  func run(
    _ manager: NSStagedMigrationManager, cached: () throws -> NSManagedObjectModel?,
    onCopy work: ((URL) throws -> Void) throws -> Void,
    bring: @escaping (URL, _ from: NSManagedObjectModel, _ to: NSManagedObjectModel) throws -> Void
  ) throws {
    func source() throws -> NSManagedObjectModel {
      try sourceModel(in: manager.stages, cached: cached)
    }
    // Stages name versions of whole models.
    let checksum =
      try configuration.map { _ in try source().versionChecksum }
      ?? VersionHashes.checksum(of: recordedHashes)
    let remaining = try manager.route(from: checksum, to: model.versionChecksum)
    // Resolve all models named by stages before starting.
    var models: [ObjectIdentifier: (current: NSManagedObjectModel, next: NSManagedObjectModel)] =
      [:]
    for case let stage as NSCustomMigrationStage in remaining {
      models[ObjectIdentifier(stage)] = (
        try resolve(stage.currentModel), try resolve(stage.nextModel)
      )
    }
    let source = try source()
    let progress = self.progress
    progress.begin(steps: remaining.count + 1)
    try work { copy in
      var present = source
      func move(to next: NSManagedObjectModel) throws {
        if present.versionChecksum != next.versionChecksum { try bring(copy, present, next) }
        present = next
      }
      for (index, stage) in zip(remaining.indices, remaining) {
        try progress.step()
        guard let custom = stage as? NSCustomMigrationStage,
          let (current, next) = models[ObjectIdentifier(stage)]
        else {
          let following = remaining[index...].lazy.compactMap { models[ObjectIdentifier($0)] }.first
          try move(to: following?.current ?? model)
          continue
        }
        try move(to: current)
        try call(custom.willMigrateHandler, manager: manager, stage: custom, on: copy, as: current)
        try move(to: next)
        try call(custom.didMigrateHandler, manager: manager, stage: custom, on: copy, as: next)
      }
      try move(to: model)
    }
    progress.finish()
  }

  private func resolve(_ reference: NSManagedObjectModelReference) throws -> NSManagedObjectModel {
    do { return try reference.resolve() } catch {
      throw CoreDataError.make(
        NSManagedObjectModelReferenceNotFoundError, "\(error)",
        userInfo: [NSUnderlyingErrorKey: error])
    }
  }

  private func call(
    _ handler: ((NSStagedMigrationManager, NSCustomMigrationStage) throws -> Void)?,
    manager: NSStagedMigrationManager, stage: NSCustomMigrationStage, on copy: URL,
    as model: NSManagedObjectModel
  ) throws {
    guard let handler else { return }
    let container = NSPersistentContainer(
      name: url.deletingPathExtension().lastPathComponent, managedObjectModel: model)
    let coordinator = container.persistentStoreCoordinator
    try coordinator.addPersistentStore(
      ofType: storeType, configurationName: try configuration(at: copy, of: model), at: copy,
      options: storeType == NSSQLiteStoreType
        ? historyOptions(SQLiteConnection.reading(copy)) : nil)
    manager.container = container
    defer {
      manager.container = nil
      for store in coordinator.persistentStores { try? coordinator.remove(store) }
    }
    try handler(manager, stage)
  }
}
