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

  /// The database of `MOMKIT_TEST_STORES`: the stores of ``coordinator(_:at:type:configuration:options:)`` are in
  /// PostgreSQL then, each in a schema of its own. `Tools/postgresql-suites` runs tests so.
  private static let database = ProcessInfo.processInfo.environment["MOMKIT_TEST_STORES"]

  /// The place in the database of the store at a URL, or of a new one.
  private static func place(_ database: String, of url: URL?) -> URL? {
    let name =
      url.map { url in
        // The same in every process.
        url.standardizedFileURL.path.utf8.reduce(0xCBF2_9CE4_8422_2325 as UInt64) {
          ($0 ^ UInt64($1)) &* 0x100_0000_01B3
        }
      } ?? UInt64.random(in: 0 ... .max)
    return URL(string: "\(database)?schema=s\(name)")
  }

  /// A coordinator with one store: a SQLite store at a URL, or an in-memory store without one.
  public static func coordinator(
    _ model: NSManagedObjectModel, at url: URL? = nil, type: String? = nil,
    configuration: String? = nil, options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStoreCoordinator {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    if type == nil, let database {
      try coordinator.addPersistentStore(
        ofType: "PostgreSQL", configurationName: configuration, at: place(database, of: url),
        options: options)
      return coordinator
    }
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
