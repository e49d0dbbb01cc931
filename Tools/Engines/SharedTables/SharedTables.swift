@_spi(Engines) import MomKit

/// Stores of an engine outside of MomKit's package: tables in memory, which every coordinator that opens the
/// same URL shares, as the clients of a database server do.
///
/// ```swift
/// SharedTables.register()
/// try coordinator.addPersistentStore(type: SharedTables.storeType, at: URL(string: "tables:shop")!)
/// ```
///
/// The engine is as short as one can be: predicates, orders and limits are left to the context. That of a database
/// would say as much of them as it can in the database's language.
public enum SharedTables {
  /// The type under which coordinators open such stores.
  public static let storeType = NSPersistentStore.StoreType(rawValue: "SharedTables")

  /// Makes the type known to coordinators.
  public static func register() {
    NSPersistentStoreCoordinator.registerEngine(
      SharedTablesEngine.self, forStoreType: storeType.rawValue)
  }
}
