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

  /// A context on the SQLite store at a place.
  public static func open(
    _ url: URL, _ model: NSManagedObjectModel, options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectContext {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: options)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Closes the stores of a context.
  public static func close(_ context: NSManagedObjectContext) throws {
    let coordinator = context.persistentStoreCoordinator
    for store in coordinator?.persistentStores ?? [] { try coordinator?.remove(store) }
  }

  /// Makes a store of a model, filled by ``StoreFiller``.
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
