import DataModels
import Foundation

/// A container for a model, a coordinator with its stores, and a main context.
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

  /// The container's name, also used for its store's file.
  open private(set) var name: String
  /// The model.
  open private(set) var managedObjectModel: NSManagedObjectModel
  /// The coordinator.
  open private(set) var persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The context for the main queue.
  open private(set) var viewContext: NSManagedObjectContext
  /// The stores to open. By default one SQLite store, `NAME.sqlite` in ``defaultDirectoryURL()``.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription]

  /// Creates a container; call ``loadPersistentStores(completionHandler:)`` to open its stores.
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

  /// The default folder for stores: the user's application support folder, which is created if it is missing, so that
  /// programs can put files there before they load a store.
  open class func defaultDirectoryURL() -> URL {
    let files = FileManager.default
    let folder =
      files.urls(for: .applicationSupportDirectory, in: .userDomainMask).first
      ?? files.temporaryDirectory
    try? files.createDirectory(at: folder, withIntermediateDirectories: true)
    return folder
  }

  /// Opens the stores in ``persistentStoreDescriptions``, and calls `block` once for each, with an error if it
  /// couldn't be opened.
  open func loadPersistentStores(
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      if let url = description.url, url.isFileURL, description.type != NSInMemoryStoreType,
        !(StoreTypes.registered(description.type) is NSIncrementalStore.Type)
      {
        let folder = url.deletingLastPathComponent()
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// Creates a context with a private queue.
  ///
  /// It doesn't merge what other contexts save unless ``NSManagedObjectContext/automaticallyMergesChangesFromParent`` is
  /// set. Apple's documentation says that it does, but in Core Data it doesn't either: a conflict between two such
  /// contexts is an error of the second save, where merging would let that save overwrite the first one unnoticed.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs `block` asynchronously with a new background context, on that context's queue.
  ///
  /// In a subclass whose contexts merge automatically, what other contexts save meanwhile is merged once the block has
  /// ended, if the context has objects then.
  open func performBackgroundTask(_ block: @escaping (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform {
      block(context)
      context.dropArrivingSaves()
    }
  }

  /// Runs `block` with a new background context, on that context's queue, and returns its result.
  @preconcurrency
  public final func performBackgroundTask<Result, Failure: Error>(
    _ block: sending @escaping (NSManagedObjectContext) throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let context = newBackgroundContext()
    return try await context.perform { () throws(Failure) -> Result in
      defer { context.dropArrivingSaves() }
      return try block(context)
    }
  }
}
