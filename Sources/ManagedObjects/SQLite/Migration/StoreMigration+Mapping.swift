import DataModels
import Foundation

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
