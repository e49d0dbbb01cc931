import DataModels
import Foundation
import ModelEvolution

/// One migration of a SQLite store to a model: how it is done, and with what.
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

  /// The model the store was made with: the one given, one of the program's files, or the store's own
  /// copy.
  func sourceModel() throws -> NSManagedObjectModel {
    try request.sourceModel(cached: cachedModel)
  }

  private func cachedModel() throws -> NSManagedObjectModel? {
    guard try connection.hasTable("Z_MODELCACHE") else { return nil }
    let bytes = try connection.withStatement("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1") { row in
      try row.step() ? row.blob(at: 0) : nil
    }
    guard let bytes, !bytes.isEmpty else { return nil }
    return try ModelArchive.decode(try ModelCache.decompress([UInt8](bytes)))
  }

  // MARK: Running

  /// Migrates by a mapping model of the program, or in place by an inferred one.
  func run() throws -> InPlaceMigration.Outcome {
    let source = try sourceModel()
    guard let mapping = try request.mapping(from: source) else {
      return try runInPlace(from: source)
    }
    let inferred = try? NSMappingModel.inferredMappingModel(
      forSourceModel: source, destinationModel: model)
    if let inferred, inferred.isEqual(mapping) { return try runInPlace(from: source) }
    try run(mapping, from: source)
    return InPlaceMigration.Outcome()
  }

  /// - Parameter keepsSafetyCopy: false where the store is a copy itself.
  func runInPlace(
    from source: NSManagedObjectModel, keepsSafetyCopy: Bool = true
  ) throws -> InPlaceMigration.Outcome {
    let version = FrameworkVersion(
      rawValue: metadata[StoreMetadataKeys.frameworkVersion] as? Int
        ?? FrameworkVersion.current.rawValue)
    let migration: InPlaceMigration
    do {
      migration = try InPlaceMigration(
        connection, at: url, from: source, to: model, version: version, progress: progress)
    } catch let error as NSError where error.code == NSInferredMappingModelError {
      throw MigrationError.missingMapping(underlying: error)
    }
    migration.keepsSafetyCopy = keepsSafetyCopy
    try migration.old.check(in: connection)
    let expected = recordedHashes
    return try migration.run {
      // Another program may have migrated the store a moment ago.
      let present = try connection.readMetadata()[StoreMetadataKeys.hashes] as? [String: Any]
      return present?.compactMapValues { $0 as? Data } == expected
    }
  }
}

/// Option: the model a store was made with, for stores without a copy of it whose model isn't among
/// the program's files. Its version hashes must be those of the store.
public let MomKitMigrationSourceModelOption = "MomKitMigrationSourceModelOption"

/// Option: a `Progress` that follows the migration of a store, and cancels it when it is cancelled.
/// Without it the migration is a part of `Progress.current()`.
public let MomKitMigrationProgressOption = "MomKitMigrationProgressOption"

/// Option: the `NSMappingModel` that a store of another version is migrated by, where it is in no
/// `.cdm` file of the program: one made in code. Every entity that it names must be one of the two
/// models, in the version whose hash it records; else opening fails with
/// ``NSMigrationMissingMappingModelError`` rather than by inference. Objects of entities it doesn't name
/// are left out.
public let MomKitMigrationMappingModelOption = "MomKitMigrationMappingModelOption"
