import DataModels
import Foundation

/// Migration with a mapping model.
extension StoreMigration {
  /// Creates a new store with a mapping model, and replaces this one by it.
  ///
  /// Objects get new keys, so the store gets a new identifier: object IDs stored elsewhere become invalid instead of
  /// referring to other objects. The program's own metadata is kept.
  func run(_ mapping: NSMappingModel, from source: NSManagedObjectModel) throws {
    let progress = self.progress
    let own = Set(StoreMetadataKeys.own)
    let kept = metadata.filter { !own.contains($0.key) }
    try WorkingCopy(self).replacing(isSeeded: false) { copy in
      let manager = NSMigrationManager(sourceModel: source, destinationModel: model)
      progress.progress.addChild(manager.progress, withPendingUnitCount: 1)
      try manager.migrateStore(
        from: url, type: .sqlite, options: nil, mapping: mapping, to: copy, type: .sqlite,
        options: request.historyOptions(connection))
      try SQLiteEngine.setMetadata(kept, at: copy, options: nil)
    }
    progress.finish()
  }
}
