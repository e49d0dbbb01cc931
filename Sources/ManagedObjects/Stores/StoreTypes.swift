import Foundation

/// The kinds of stores by name.
enum StoreTypes {
  /// The module of SQLite stores lies above this one, so its class is found by name: it is there
  /// when the program links it, as every program that imports MomKit does.
  private static let sqliteEngineClass = "SQLiteStore.SQLiteEngine"

  static func require(_ name: String) throws -> any StoreEngineType.Type {
    switch name {
    case NSInMemoryStoreType: return InMemoryEngine.self
    case NSSQLiteStoreType:
      if let type = NSClassFromString(sqliteEngineClass) as? any StoreEngineType.Type {
        return type
      }
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError,
        "SQLite stores need the module SQLiteStore in the program: import MomKit.")
    default:
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError,
        "There is no store type '\(name)'; MomKit has SQLite and InMemory.")
    }
  }
}
