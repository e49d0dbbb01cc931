import DataModels
import Foundation

/// Migration without objects.
extension NSMigrationManager {
  /// Creates the new store by the store type's own method: a copy that is migrated in place.
  ///
  /// - Returns: false if the store type has no such method; nothing was created then.
  final func migrateCopy(
    of source: URL, type sourceType: String, to url: URL, as type: String,
    options: [AnyHashable: Any]?
  ) throws -> Bool {
    guard sourceType == type, StoreTypes.registered(type) == nil,
      !StoreLocation.isInMemory(source), !StoreLocation.isInMemory(url)
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
            storeAt: source, of: sourceModel, toStoreAt: url, of: destinationModel,
            options: options, progress: step)
        else { throw NoWay() }
      }
      // Applies the options of the new store, as for a newly created one.
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

  /// Thrown if the store can't be migrated without objects.
  private struct NoWay: Error {}
}
