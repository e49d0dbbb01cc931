import DataModels
import Foundation

/// Migrating without objects.
extension NSMigrationManager {
  /// Has the store's own way make the new store: a copy that is migrated in place.
  ///
  /// - Returns: false when the store has no way of its own; nothing is there then.
  final func migrateCopy(
    of source: URL, type sourceType: String, to url: URL, as type: String,
    options: [AnyHashable: Any]?
  ) throws -> Bool {
    guard sourceType == type, StoreTypes.registered(type) == nil, source.path != "/dev/null",
      url.path != "/dev/null"
    else { return false }
    progress.totalUnitCount = 1
    progress.completedUnitCount = 0
    let step = Progress(totalUnitCount: 1)
    let engine = try StoreTypes.require(type)
    do {
      try cancellation.following(step) {
        if let error = cancellation.error { throw error }
        progress.addChild(step, withPendingUnitCount: 1)
        guard
          try engine.migrate(
            storeAt: source, of: sourceModel, toStoreAt: url, of: destinationModel, progress: step)
        else { throw NoWay() }
      }
      // The options of the new store take hold now, as they do for one that is made anew.
      let destination = destinationContext.persistentStoreCoordinator
      try Self.translating(to: NSMigrationManagerDestinationStoreError, naming: "destination") {
        _ = try destination?.addPersistentStore(
          ofType: type, configurationName: nil, at: url, options: options)
      }
      try close(destination)
    } catch is NoWay {
      return false
    } catch {
      try? close(destinationContext.persistentStoreCoordinator)
      destinationContext.persistentStoreCoordinator?.discardPersistentStore(at: url, ofType: type)
      throw cancellation.error ?? error
    }
    progress.completedUnitCount = progress.totalUnitCount
    return true
  }

  /// The store can't be migrated without objects.
  private struct NoWay: Error {}
}
