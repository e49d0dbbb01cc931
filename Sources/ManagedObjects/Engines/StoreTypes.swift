import Foundation
import Synchronization

/// The kinds of stores by name.
enum StoreTypes {
  private static let classes = Mutex<[String: NSPersistentStore.Type]>([:])

  /// The program's class of stores of this type.
  static func registered(_ name: String) -> NSPersistentStore.Type? {
    classes.withLock { $0[name] }
  }

  static func register(_ storeClass: NSPersistentStore.Type?, _ name: String) {
    guard name != NSSQLiteStoreType, name != NSInMemoryStoreType else { return }
    classes.withLock { $0[name] = storeClass }
  }

  static var all: [String: AnyClass] {
    var all: [String: AnyClass] = [:]
    for (name, storeClass) in classes.withLock({ $0 }) { all[name] = storeClass }
    for name in [NSSQLiteStoreType, NSInMemoryStoreType] { all[name] = NSPersistentStore.self }
    return all
  }

  static func require(_ name: String) throws -> any StoreEngineType.Type {
    switch name {
    case NSInMemoryStoreType: return InMemoryEngine.self
    case NSSQLiteStoreType: return SQLiteEngine.self
    default:
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError,
        registered(name) == nil
          ? "There is no store type '\(name)'; MomKit has SQLite and InMemory."
          : "The store class of the type '\(name)' is the program's own, which can't do that.")
    }
  }
}
