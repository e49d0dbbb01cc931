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
  ///
  /// The stores that are opened asynchronously come after the others, both in their order. Stores are opened as they
  /// are described when this is called.
  open func loadPersistentStores(
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    // The program may change them in the block, and while stores wait to be opened.
    let descriptions = persistentStoreDescriptions.map { (given: $0, taken: $0.taken()) }
    for isAsynchronous in [false, true] {
      for (given, taken) in descriptions
      where taken.shouldAddStoreAsynchronously == isAsynchronous {
        Self.makeFolder(for: taken)
        persistentStoreCoordinator.addPersistentStore(with: taken) { block(given, $1) }
      }
    }
  }

  /// Creates the folder of a store in a file.
  private static func makeFolder(for description: NSPersistentStoreDescription) {
    guard let url = description.url, url.isFileURL, description.type != NSInMemoryStoreType,
      !StoreLocation.isInMemory(url),
      !(StoreTypes.registered(description.type) is NSIncrementalStore.Type)
    else { return }
    let folder = url.deletingLastPathComponent()
    try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
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
