import DataModels
import Foundation
import ModelEvolution

/// The migration of a SQLite store to a model.
struct StoreMigration {
  let request: MigrationRequest
  let connection: SQLiteConnection

  init(
    url: URL, connection: SQLiteConnection, metadata: [String: Any], model: NSManagedObjectModel,
    options: [AnyHashable: Any]?
  ) {
    request = MigrationRequest(
      url: url, metadata: metadata, model: model, options: options, storeType: NSSQLiteStoreType)
    self.connection = connection
  }

  var url: URL { request.url }
  var metadata: [String: Any] { request.metadata }
  var model: NSManagedObjectModel { request.model }
  var recordedHashes: [String: Data] { request.recordedHashes }
  var progress: MigrationProgress { request.progress }

  // MARK: The source model

  /// The model that the store was created with: the one in the options, one of the program's files, or the store's
  /// own copy.
  func sourceModel() throws -> NSManagedObjectModel {
    try request.sourceModel(cached: cachedModel)
  }

  /// The store's own copy of its model, if it has one.
  func cachedModel() throws -> NSManagedObjectModel? {
    guard try connection.hasTable("Z_MODELCACHE") else { return nil }
    let bytes = try connection.withStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") { row in
      try row.step() ? row.blob(at: 0) : nil
    }
    guard let bytes, !bytes.isEmpty else { return nil }
    return try ModelArchive.decode(try ModelCache.decompress([UInt8](bytes)))
  }

  // MARK: Execution

  /// Migrates with a mapping model of the program, or in place with an inferred one.
  func run() throws -> InPlaceMigration.Outcome {
    let source = try sourceModel()
    guard let mapping = try request.mapping(from: source) else {
      return try runInPlace(from: source, isAutomatic: true)
    }
    let inferred = try? NSMappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: model)
    if let inferred, inferred.isEqual(mapping) { return try runInPlace(from: source) }
    return InPlaceMigration.Outcome(lostObjects: try run(mapping, from: source))
  }

  /// - Parameters:
  ///   - keepsSafetyCopy: false if the store itself is a copy.
  ///   - isAutomatic: whether nobody vouches for the two models being versions of one.
  func runInPlace(
    from source: NSManagedObjectModel, keepsSafetyCopy: Bool = true, isAutomatic: Bool = false
  ) throws -> InPlaceMigration.Outcome {
    let version = StoreMetadataKeys.framework(in: metadata)
    let migration: InPlaceMigration
    do {
      migration = try InPlaceMigration(
        connection, at: url, from: source, to: model, version: version, progress: progress)
    } catch let error as NSError where error.code == NSInferredMappingModelError {
      throw MigrationError.missingMapping(underlying: error)
    }
    migration.keepsSafetyCopy = keepsSafetyCopy
    migration.tracksHistory = request.tracksHistory
    try migration.old.check(in: connection)
    let expected = recordedHashes
    return try migration.run {
      // Another program may have just migrated the store.
      guard StoreMetadataKeys.versionHashes(in: try connection.readMetadata()) == expected else {
        return false
      }
      // What the store's configuration doesn't have isn't in the store.
      if isAutomatic, !migration.pairs.contains(where: { expected[$0.old.name] != nil }) {
        for entity in migration.old.entities where entity.parentNumber == 0 {
          guard try connection.integer("SELECT 1 FROM \(entity.table) LIMIT 1") == nil else {
            throw MigrationError.unrelatedModel(metadata, at: url)
          }
        }
      }
      return true
    }
  }
}

/// Staged migration.
extension StoreMigration {
  /// Migrates the store in stages, on a copy that replaces it at the end.
  func run(_ manager: NSStagedMigrationManager) throws {
    try request.run(
      manager, cached: cachedModel,
      onCopy: { try WorkingCopy(self).replacing($0) }, bring: bring)
  }

  private func bring(
    _ copy: URL, from present: NSManagedObjectModel, to next: NSManagedObjectModel
  ) throws {
    let connection = try SQLiteConnection(writing: copy, creation: .existing)
    let step = StoreMigration(
      url: copy, connection: connection, metadata: try connection.readMetadata(), model: next,
      options: try request.historyOptions(connection))
    _ = try step.runInPlace(from: present, keepsSafetyCopy: false)
  }
}

/// Migration with a mapping model.
extension StoreMigration {
  /// Creates a new store with a mapping model, and replaces this one by it.
  ///
  /// Objects get new keys, so the store gets a new identifier: object IDs stored elsewhere become invalid instead of
  /// referring to other objects. The program's own metadata and tables are kept.
  ///
  /// - Returns: the names of the program's indexes and triggers that had to be dropped.
  @discardableResult
  func run(_ mapping: NSMappingModel, from source: NSManagedObjectModel) throws -> [String] {
    let progress = self.progress
    let own = Set(StoreMetadataKeys.own)
    let kept = metadata.filter { !own.contains($0.key) }
    let old = try StoreSchema(
      model: source, version: StoreMetadataKeys.framework(in: metadata))
    let lost = try WorkingCopy(self).replacing(only: old) { copy in
      let manager = NSMigrationManager(sourceModel: source, destinationModel: model)
      // What was copied as it is would have the program's tables, too.
      manager.usesStoreSpecificMigrationManager = false
      progress.progress.addChild(manager.progress, withPendingUnitCount: 1)
      try manager.migrateStore(
        from: url, type: .sqlite, options: nil, mapping: mapping, to: copy, type: .sqlite,
        options: request.historyOptions(connection))
      try SQLiteEngine.setMetadata(kept, at: copy, options: nil)
    }
    progress.finish()
    return lost
  }
}
