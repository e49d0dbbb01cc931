import Foundation
import Synchronization

/// The registry of store types.
enum StoreTypes {
  /// The names of the types built into this package.
  private static let ownNames = [
    NSSQLiteStoreType, NSXMLStoreType, NSBinaryStoreType, NSInMemoryStoreType,
  ]

  private static func own(_ name: String) -> (any StoreEngineType.Type)? {
    switch name {
    case NSSQLiteStoreType: SQLiteEngine.self
    case NSXMLStoreType: AtomicFileEngine<XMLStoreFormat>.self
    case NSBinaryStoreType: AtomicFileEngine<BinaryStoreFormat>.self
    case NSInMemoryStoreType: InMemoryEngine.self
    default: nil
    }
  }

  private static let classes = Mutex<[String: NSPersistentStore.Type]>([:])
  /// The engines of other packages.
  private static let engines = Mutex<[String: Engine]>([:])

  private struct Engine: @unchecked Sendable {
    // Sendable: metatypes can be used on any thread.
    let type: any StoreEngineType.Type
  }

  /// The client-defined class for stores of this type.
  static func registered(_ name: String) -> NSPersistentStore.Type? {
    classes.withLock { $0[name] }
  }

  static func register(_ storeClass: NSPersistentStore.Type?, _ name: String) {
    guard own(name) == nil else { return }
    classes.withLock { $0[name] = storeClass }
  }

  /// Registers an engine of another package; nil unregisters it.
  static func register(_ engine: (any StoreEngineType.Type)?, _ name: String) {
    guard own(name) == nil else { return }
    let engine = engine.map { Engine(type: $0) }
    engines.withLock { $0[name] = engine }
  }

  private static let schemes = Mutex<[String: String]>([:])

  /// Makes it known that stores at URLs of these schemes are of a type.
  static func register(schemes: [String], _ name: String) {
    guard own(name) == nil else { return }
    Self.schemes.withLock { known in
      for scheme in schemes { known[scheme.lowercased()] = name }
    }
  }

  /// The type of the stores at URLs of a scheme; nil where no engine has said so.
  static func type(ofScheme scheme: String?) -> String? {
    scheme.flatMap { scheme in schemes.withLock { $0[scheme.lowercased()] } }
  }

  /// Whether another package provides the stores of a type, so that their rows must be checked.
  static func isForeign(_ name: String) -> Bool { engines.withLock { $0[name] != nil } }

  static var all: [String: AnyClass] {
    var all: [String: AnyClass] = [:]
    for (name, storeClass) in classes.withLock({ $0 }) { all[name] = storeClass }
    let others = engines.withLock { Array($0.keys) }
    for name in ownNames + others { all[name] = NSPersistentStore.self }
    return all
  }

  static func require(_ name: String) throws -> any StoreEngineType.Type {
    if let type = own(name) { return type }
    if let engine = engines.withLock({ $0[name] }) { return engine.type }
    throw CoreDataError.make(
      NSPersistentStoreInvalidTypeError,
      registered(name) == nil
        ? "There is no store type '\(name)'; MomKit has SQLite, XML, Binary and InMemory."
        : "The store class of the type '\(name)' is the program's own, which can't do that.")
  }

  /// The type of a file by its content; SQLite's if it isn't a store.
  static func ofFile(at url: URL) throws -> any StoreEngineType.Type {
    try require(StoreFileKind(contentsOf: url)?.storeType ?? NSSQLiteStoreType)
  }
}
