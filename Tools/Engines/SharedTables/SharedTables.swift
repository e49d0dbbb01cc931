@_spi(Engines) import MomKit

/// A store type implemented outside MomKit's package: tables in memory, shared by all coordinators that open the same
/// URL, like the clients of a database server.
///
/// ```swift
/// SharedTables.register()
/// try coordinator.addPersistentStore(type: SharedTables.storeType, at: URL(string: "tables:shop")!)
/// ```
///
/// The engine is as short as possible: it leaves predicates, sorting and limits to the context. An engine for a
/// database would translate as much of them as possible to the database's query language.
public enum SharedTables {
  /// The store type for use with coordinators.
  public static let storeType = NSPersistentStore.StoreType(rawValue: "SharedTables")

  /// Registers the store type with coordinators.
  public static func register() {
    NSPersistentStoreCoordinator.registerEngine(
      SharedTablesEngine.self, forStoreType: storeType.rawValue)
  }
}
