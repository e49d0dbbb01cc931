import CoreData
import Foundation

/// A stack with three levels of contexts: for writing, for the user interface, and for each piece of work.
final class CoreDataStack: NSObject {
  let persistentStoreCoordinator: NSPersistentStoreCoordinator

  /// Writes to the store off the main queue.
  private(set) lazy var privateContext: NSManagedObjectContext = {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return context
  }()

  /// The context of the user interface.
  private(set) lazy var mainContext: NSManagedObjectContext = {
    let context = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    context.parent = privateContext
    return context
  }()

  /// Reads alongside the others, and merges what they save.
  private(set) lazy var readingContext: NSManagedObjectContext = {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }()

  private(set) var savedTitles: [String] = []
  private(set) var insertedCount = 0

  init(storeURL: URL) throws {
    guard let modelURL = Bundle.module.url(forResource: "DataLayers", withExtension: "momd"),
      let model = NSManagedObjectModel(contentsOf: modelURL)
    else { throw CocoaError(.fileNoSuchFile) }
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    super.init()
    let options: [AnyHashable: Any] = [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
    try persistentStoreCoordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: storeURL, options: options)
    let center = NotificationCenter.default
    center.addObserver(
      self, selector: #selector(privateContextDidSave(_:)),
      name: .NSManagedObjectContextDidSave, object: privateContext)
    center.addObserver(
      self, selector: #selector(mainContextDidChange),
      name: .NSManagedObjectContextObjectsDidChange,
      object: mainContext)
  }

  deinit {
    NotificationCenter.default.removeObserver(self)
  }

  /// Returns a context whose saves go to the main context.
  func childContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.parent = mainContext
    context.undoManager = nil
    return context
  }

  /// Saves the main context, and then its parent.
  func saveAll() throws {
    guard mainContext.hasChanges || privateContext.hasChanges else { return }
    try mainContext.performAndWait { try mainContext.save() }
    try privateContext.performAndWait { try privateContext.save() }
  }

  @objc private func privateContextDidSave(_ notification: Notification) {
    readingContext.performAndWait {
      let updated = notification.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
      // Otherwise, fetched results controllers wouldn't be notified of changes to faults.
      for object in updated {
        readingContext.object(with: object.objectID).willAccessValue(forKey: nil)
      }
      readingContext.mergeChanges(fromContextDidSave: notification)
    }
    for case let task as TaskMO in notification.userInfo?[NSInsertedObjectsKey] as? NSSet ?? [] {
      savedTitles.append(task.title ?? "")
    }
  }

  @objc private func mainContextDidChange(_ notification: NSNotification) {
    let inserted = notification.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>
    insertedCount += inserted?.count ?? 0
  }
}
