import Foundation

/// Metadata, and stores that aren't open.
extension NSPersistentStoreCoordinator {
  /// An open store's metadata.
  public final func metadata(for store: NSPersistentStore) -> [String: Any] {
    locked { store.metadata }
  }

  /// Replaces the program's part of an open store's metadata; written with the next save.
  public final func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    locked { store.metadata = metadata ?? [:] }
  }

  /// A store's metadata, without opening it.
  public static func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    if let storeClass = StoreTypes.registered(storeType) {
      return try storeClass.metadataForPersistentStore(with: url)
    }
    return try StoreTypes.require(storeType).metadata(at: url, options: options)
  }

  /// A store's metadata, without opening it.
  public static func metadataForPersistentStore(
    type storeType: NSPersistentStore.StoreType, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    try metadataForPersistentStore(ofType: storeType.rawValue, at: storeURL, options: options)
  }

  /// Replaces the metadata of a store that isn't open.
  public static func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String, at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    if let storeClass = StoreTypes.registered(storeType) {
      return try storeClass.setMetadata(metadata, forPersistentStoreAt: url)
    }
    try StoreTypes.require(storeType).setMetadata(metadata ?? [:], at: url, options: options)
  }

  /// Replaces the metadata of a store that isn't open.
  public static func setMetadata(
    _ metadata: [String: Any]?, type storeType: NSPersistentStore.StoreType, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws {
    try setMetadata(
      metadata, forPersistentStoreOfType: storeType.rawValue, at: storeURL, options: options)
  }

  /// Removes a store and everything that belongs to it.
  public final func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    if let store = persistentStore(for: url) { try remove(store) }
    if StoreTypes.registered(storeType) is NSAtomicStore.Type {
      if FileManager.default.fileExists(atPath: url.path) {
        try FileManager.default.removeItem(at: url)
      }
      return
    }
    try StoreTypes.require(storeType).destroy(at: url, options: options)
  }

  /// Removes a store and everything that belongs to it.
  public final func destroyPersistentStore(
    at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
  }
}

/// Older spellings.
extension NSPersistentStoreCoordinator {
  /// A store's metadata, without opening it; of a SQLite store for nil.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(
    ofType storeType: String?, at url: URL
  ) throws -> [String: Any] {
    try metadataForPersistentStore(
      ofType: storeType ?? NSSQLiteStoreType, at: url, options: nil)
  }

  /// A SQLite store's metadata, without opening it.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
    try metadataForPersistentStore(ofType: NSSQLiteStoreType, at: url, options: nil)
  }

  /// Replaces the metadata of a store that isn't open; of a SQLite store for nil.
  @available(*, deprecated, message: "use setMetadata(_:type:at:options:)")
  public static func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
  ) throws {
    try setMetadata(
      metadata, forPersistentStoreOfType: storeType ?? NSSQLiteStoreType, at: url, options: nil)
  }
}
