import Foundation

/// Registration of client-defined store classes.
extension NSPersistentStoreCoordinator {
  /// Registers a store class for a type; unregisters the type if the class is nil.
  ///
  /// ```swift
  /// NSPersistentStoreCoordinator.registerStoreClass(
  ///   NoteStore.self, type: NSPersistentStore.StoreType(rawValue: "Notes"))
  /// try coordinator.addPersistentStore(type: .init(rawValue: "Notes"), at: url)
  /// ```
  ///
  /// - Parameters:
  ///   - storeClass: a subclass of ``NSAtomicStore`` or ``NSIncrementalStore``.
  ///   - type: the type's name. The types built into this package can't be replaced.
  public static func registerStoreClass(
    _ storeClass: AnyClass?, type: NSPersistentStore.StoreType
  ) {
    registerStoreClass(storeClass, forStoreType: type.rawValue)
  }

  /// Registers a store class; see ``registerStoreClass(_:type:)``.
  public static func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    precondition(
      storeClass == nil || storeClass is NSPersistentStore.Type,
      "+[NSPersistentStoreCoordinator registerStoreClass:forStoreType:]: "
        + "\(storeClass.map { "\($0)" } ?? "") isn't a store class")
    StoreTypes.register(storeClass as? NSPersistentStore.Type, storeType)
  }

  /// Registers an engine of another package for a type; unregisters the type if the engine is nil.
  ///
  /// - Parameters:
  ///   - engine: the engine type that opens stores of the type and keeps their rows.
  ///   - storeType: the type's name. The types built into this package can't be replaced.
  @_spi(Engines)
  public static func registerEngine(
    _ engine: (any StoreEngineType.Type)?, forStoreType storeType: String, schemes: [String] = []
  ) {
    StoreTypes.register(engine, storeType)
    StoreTypes.register(schemes: engine == nil ? [] : schemes, storeType)
  }

  /// The store classes by type; the types built into this package have ``NSPersistentStore`` itself.
  public static var registeredStoreTypes: [String: AnyClass] { StoreTypes.all }
}

/// The argument for creating a store of a registered class; see
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:type:)``.
public struct PersistentStoreOrigin {
  let coordinator: NSPersistentStoreCoordinator
  let configurationName: String?
  let url: URL
  let options: [AnyHashable: Any]?
}
