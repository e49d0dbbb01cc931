import DataModels
import Foundation
import ModelEvolution
import PropertyLists

/// Migrates a store that is read as a whole to another model version: a migration manager writes its objects to a new
/// file, which then replaces the store's. As with every migration by a manager, objects get new IDs, and the store a
/// new UUID.
struct AtomicFileMigration {
  let request: MigrationRequest

  func run() throws {
    if let stages = request.options?[NSPersistentStoreStagedMigrationManagerOptionKey]
      as? NSStagedMigrationManager
    {
      return try request.run(
        stages, cached: { nil },
        onCopy: { work in
          try replacing { copy in
            // The file, not a link to it.
            try FileManager.default.copyItem(
              at: request.url.resolvingSymlinksInPath(), to: copy)
            try work(copy)
          }
        },
        bring: { copy, present, next in
          let result = copy.appendingPathExtension("next")
          try migrate(copy, to: result, from: present, to: next, by: nil)
          try FileManager.default.removeItem(at: copy)
          try FileManager.default.moveItem(at: result, to: copy)
        })
    }
    let model = try request.sourceModel { nil }
    let mapping = try request.mapping(from: model)
    if mapping == nil { try refuseUnrelatedModel(model) }
    let progress = request.progress
    try replacing { copy in
      try migrate(
        request.url, to: copy, from: model, to: request.model, by: mapping, following: progress)
    }
    progress.finish()
  }

  private func migrate(
    _ url: URL, to copy: URL, from source: NSManagedObjectModel,
    to destination: NSManagedObjectModel, by mapping: NSMappingModel?,
    following progress: MigrationProgress? = nil
  ) throws {
    let type = try StoreTypes.require(request.storeType)
    let own = Set(StoreMetadataKeys.own)
    let kept = try type.metadata(at: url, options: nil).filter { !own.contains($0.key) }
    let mapping = try mapping ?? inferred(from: source, to: destination)
    let manager = NSMigrationManager(sourceModel: source, destinationModel: destination)
    manager.configurationName = try request.configuration(at: url, of: source)
    progress?.progress.addChild(manager.progress, withPendingUnitCount: 1)
    try manager.migrateStore(
      from: url, sourceType: request.storeType, options: nil, with: mapping,
      toDestinationURL: copy, destinationType: request.storeType, destinationOptions: nil)
    try type.setMetadata(kept, at: copy, options: nil)
  }

  private func inferred(
    from source: NSManagedObjectModel, to destination: NSManagedObjectModel
  ) throws -> NSMappingModel {
    do {
      return try NSMappingModel.inferredMappingModel(
        forSourceModel: source, destinationModel: destination)
    } catch let error as NSError where error.code == NSInferredMappingModelError {
      throw MigrationError.missingMapping(underlying: error)
    }
  }

  /// Refuses to remove all of a store's objects because it was opened with another program's model.
  private func refuseUnrelatedModel(_ source: NSManagedObjectModel) throws {
    let goingOn = InferredCorrespondence(from: source, to: request.model).entities.values
    let recorded = request.recordedHashes
    guard !goingOn.contains(where: { recorded[$0.old] != nil }) else { return }
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: source)
    try coordinator.addPersistentStore(
      ofType: request.storeType,
      configurationName: try request.configuration(at: request.url, of: source), at: request.url,
      options: [NSReadOnlyPersistentStoreOption: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for name in recorded.keys {
      guard try context.count(for: NSFetchRequest<NSManagedObject>(entityName: name)) == 0 else {
        throw MigrationError.unrelatedModel(request.metadata, at: request.url)
      }
    }
  }

  /// Lets `work` create a file in a hidden folder beside the store, and moves it to the store's location.
  private func replacing(_ work: (URL) throws -> Void) throws {
    let files = FileManager.default
    let folder = request.url.deletingLastPathComponent()
      .appendingPathComponent(".\(request.url.lastPathComponent).migrating")
    // An existing folder was left behind by a process that was killed.
    try? files.removeItem(at: folder)
    try files.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? files.removeItem(at: folder) }
    let copy = folder.appendingPathComponent(request.url.lastPathComponent)
    let before = FileState(request.url)
    try work(copy)
    guard FileState(request.url) == before else {
      throw MigrationError.failed("The store was written by another process meanwhile")
    }
    do throws(PropertyListError) {
      try AtomicFile.write(try FileBytes.read(copy.path), to: request.url.path)
    } catch {
      throw MigrationError.failed("The migrated store can't be put in place: \(error)")
    }
  }
}
