import DataModels
import Foundation

@testable import ManagedObjects

/// Opening stores in tests.
public enum TestStore {
  /// The options of automatic migration by inference.
  public static var migrating: [AnyHashable: Any] {
    [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
  }

  /// A coordinator with one store: a SQLite store at a URL, or an in-memory store without one.
  public static func coordinator(
    _ model: NSManagedObjectModel, at url: URL? = nil, type: String? = nil,
    configuration: String? = nil, options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type ?? (url == nil ? NSInMemoryStoreType : NSSQLiteStoreType),
      configurationName: configuration, at: url, options: options)
    return coordinator
  }

  /// A context confined to the calling thread.
  public static func context(
    _ coordinator: NSPersistentStoreCoordinator?
  ) -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// A context with the SQLite store at a URL.
  public static func open(
    _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    context(try coordinator(model, at: url, options: options))
  }

  /// Closes the stores of a context.
  public static func close(_ context: NSManagedObjectContext) throws {
    let coordinator = context.persistentStoreCoordinator
    for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
  }

  /// Creates a store of a model, filled by ``StoreFiller``.
  public static func make(
    _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil,
    isEmpty: Bool = false
  ) throws {
    let context = try open(url, model, options: options)
    if !isEmpty { try StoreFiller.fill(context, model) }
    try close(context)
  }

  /// Opens a store with a model, migrating it, and closes it.
  public static func migrate(
    _ url: URL, to model: NSManagedObjectModel, options: [AnyHashable: Any] = migrating
  ) throws {
    try close(try open(url, model, options: options))
  }
}
