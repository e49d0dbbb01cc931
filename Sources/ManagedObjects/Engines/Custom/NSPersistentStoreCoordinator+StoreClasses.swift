import Foundation

/// Stores of the program's own classes.
extension NSPersistentStoreCoordinator {
  /// Makes a class of stores known under a type, or forgets the type when the class is nil.
  ///
  /// ```swift
  /// NSPersistentStoreCoordinator.registerStoreClass(
  ///   NoteStore.self, type: NSPersistentStore.StoreType(rawValue: "Notes"))
  /// try coordinator.addPersistentStore(type: .init(rawValue: "Notes"), at: url)
  /// ```
  ///
  /// - Parameters:
  ///   - storeClass: a subclass of ``NSAtomicStore`` or ``NSIncrementalStore``.
  ///   - type: the name; the types of this package stay what they are.
  public static func registerStoreClass(
    _ storeClass: AnyClass?, type: NSPersistentStore.StoreType
  ) {
    registerStoreClass(storeClass, forStoreType: type.rawValue)
  }

  /// Makes a class of stores known; see ``registerStoreClass(_:type:)``.
  public static func registerStoreClass(_ storeClass: AnyClass?, forStoreType storeType: String) {
    precondition(
      storeClass == nil || storeClass is NSPersistentStore.Type,
      "+[NSPersistentStoreCoordinator registerStoreClass:forStoreType:]: "
        + "\(storeClass.map { "\($0)" } ?? "") is no class of stores")
    StoreTypes.register(storeClass as? NSPersistentStore.Type, storeType)
  }

  /// Makes an engine of another package known under a type, or forgets the type when it is nil.
  ///
  /// - Parameters:
  ///   - engine: what opens stores of the type, and keeps their rows.
  ///   - storeType: the name; the types of this package stay what they are.
  @_spi(Engines)
  public static func registerEngine(
    _ engine: (any StoreEngineType.Type)?, forStoreType storeType: String
  ) {
    StoreTypes.register(engine, storeType)
  }

  /// The classes of stores by their types; the types of this package have ``NSPersistentStore`` itself.
  public static var registeredStoreTypes: [String: AnyClass] { StoreTypes.all }
}

/// What a store of a registered class is made with; see
/// ``NSPersistentStoreCoordinator/registerStoreClass(_:type:)``.
public struct PersistentStoreOrigin {
  let coordinator: NSPersistentStoreCoordinator
  let configurationName: String?
  let url: URL
  let options: [AnyHashable: Any]?
}
