import DataModels
import Foundation
import ModelEvolution

/// One migration of a store to a model: how it is done, and with what.
struct StoreMigration {
  let url: URL
  let connection: SQLiteConnection
  let metadata: [String: Any]
  let model: NSManagedObjectModel
  let options: [AnyHashable: Any]?

  /// The version hashes that the store records.
  var recordedHashes: [String: Data] {
    (metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]).compactMapValues { $0 as? Data }
  }

  var progress: MigrationProgress {
    MigrationProgress(options?[MomKitMigrationProgressOption] as? Progress)
  }

  // MARK: The source model

  /// The model the store was made with: the one given, one of the program's files, or the store's own
  /// copy.
  func sourceModel() throws -> NSManagedObjectModel {
    let hashes = recordedHashes
    if let given = options?[MomKitMigrationSourceModelOption] as? NSManagedObjectModel,
      given.entityVersionHashesByName == hashes
    {
      return given
    }
    if let found = NSManagedObjectModel.mergedModel(from: nil, forStoreMetadata: metadata),
      found.entityVersionHashesByName == hashes
    {
      return found
    }
    if let cached = try? cachedModel(), cached.entityVersionHashesByName == hashes {
      return cached
    }
    throw MigrationError.missingSourceModel(metadata, at: url)
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
    if let mapping = try givenMapping(from: source)
      ?? NSMappingModel(from: nil, forSourceModel: source, destinationModel: model)
    {
      let inferred = try? NSMappingModel.inferredMappingModel(
        forSourceModel: source, destinationModel: model)
      if let inferred, inferred.isEqual(mapping) { return try runInPlace(from: source) }
      try run(mapping, from: source)
      return InPlaceMigration.Outcome()
    }
    guard StoreOptions.isOn(NSInferMappingModelAutomaticallyOption, in: options) else {
      throw MigrationError.missingMapping(underlying: nil)
    }
    return try runInPlace(from: source)
  }

  /// The mapping model that the options name.
  ///
  /// - Throws: ``NSMigrationMissingMappingModelError`` for one that is between other models: what was
  ///   meant to be done must not silently be something else.
  private func givenMapping(from source: NSManagedObjectModel) throws -> NSMappingModel? {
    guard let given = options?[MomKitMigrationMappingModelOption] else { return nil }
    guard let mapping = given as? NSMappingModel, mapping.maps(source, to: model) else {
      throw CoreDataError.make(
        NSMigrationMissingMappingModelError,
        "The mapping model given with the option \(MomKitMigrationMappingModelOption) is not one "
          + "between the store's model and the present one: an entity that it names is missing or "
          + "of another version.",
        ["reason": "Can't find or automatically infer mapping model for migration"])
    }
    return mapping
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
