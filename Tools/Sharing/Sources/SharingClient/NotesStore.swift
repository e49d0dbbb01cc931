import Foundation
import MomKit
import SharedModel

/// The app's store: a SQLite file with persistent history, which is how ``Synchronizer`` finds the app's changes.
public enum NotesStore {
  /// The author of what synchronizing saves. The app's own contexts have any other author, or none.
  public static let syncAuthor = "sync"

  /// Returns the app's container, with its store loaded.
  ///
  /// Its view context takes over what other contexts save. After ``Synchronizer/sync()``, which uses a stack of its
  /// own, call `refreshAllObjects`, or observe `NSPersistentStoreRemoteChange`.
  public static func container(at url: URL) throws -> NSPersistentContainer {
    let container = NSPersistentContainer(name: "Notes", managedObjectModel: SharedModel.model)
    let description = NSPersistentStoreDescription(url: url)
    description.setOption(true as NSNumber, forKey: NSPersistentHistoryTrackingKey)
    description.setOption(
      true as NSNumber, forKey: NSPersistentStoreRemoteChangeNotificationPostOptionKey)
    container.persistentStoreDescriptions = [description]
    var failure: (any Error)?
    container.loadPersistentStores { _, error in failure = error }
    if let failure { throw failure }
    container.viewContext.automaticallyMergesChangesFromParent = true
    return container
  }
}
