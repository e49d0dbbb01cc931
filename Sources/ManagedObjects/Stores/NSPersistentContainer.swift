import DataModels
import Foundation

/// A model, a coordinator with its stores, and a main context, put together.
///
/// ```swift
/// let container = NSPersistentContainer(name: "Company", managedObjectModel: model)
/// container.loadPersistentStores { description, error in
///   if let error { print(error) }
/// }
/// let context = container.viewContext
/// ```
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  // Sendable: what is set up before the stores are loaded is only read afterwards.

  /// The container's name, and that of its store's file.
  open private(set) var name: String
  /// The model.
  open private(set) var managedObjectModel: NSManagedObjectModel
  /// The coordinator.
  open private(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The context for the main queue.
  open private(set) var viewContext: NSManagedObjectContext
  /// The stores to be opened: one SQLite store, `NAME.sqlite` in ``defaultDirectoryURL()``, unless
  /// it is set.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription]

  /// Makes a container; its stores are opened by ``loadPersistentStores(completionHandler:)``.
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    managedObjectModel = model
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    viewContext = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    viewContext.persistentStoreCoordinator = persistentStoreCoordinator
    persistentStoreDescriptions = [
      NSPersistentStoreDescription(
        url: Self.defaultDirectoryURL().appendingPathComponent("\(name).sqlite"))
    ]
  }

  /// The folder of stores: the user's folder for application data.
  open class func defaultDirectoryURL() -> URL {
    let files = FileManager.default
    let folder =
      files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? files.temporaryDirectory
    return folder
  }

  /// Opens the stores that ``persistentStoreDescriptions`` describes, and calls `block` once for
  /// each, with what went wrong, if anything did.
  open func loadPersistentStores(
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      if let folder = description.url?.deletingLastPathComponent(),
        description.type != NSInMemoryStoreType, StoreTypes.registered(description.type) == nil
      {
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// Makes a context with a private queue, which takes in what others save.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    context.automaticallyMergesChangesFromParent = true
    return context
  }

  /// Runs `block` later with a context of its own, on that context's queue.
  open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs `block` with a context of its own, on that context's queue, and gives its result.
  public final func performBackgroundTask<Result, Failure: Error>(
    _ block: @escaping @Sendable (NSManagedObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Failure) -> Result in try block(context) }
  }
}
