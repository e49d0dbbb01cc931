import Foundation

/// Metadata of closed stores, and their destruction.
extension NSPersistentStoreCoordinator {
  /// A store's metadata, without opening the store.
  public static func metadataForPersistentStore(
    ofType storeType: String, at url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> [String: Any] {
    if let storeClass = StoreTypes.registered(storeType) {
      return try storeClass.metadataForPersistentStore(with: url)
    }
    return try StoreTypes.require(storeType).metadata(at: url, options: options)
  }

  /// A store's metadata, without opening the store.
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

  /// The implementation of ``destroyPersistentStore(at:ofType:options:)``.
  final func destroyStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]?
  ) throws {
    let place = try StoreLocation.check(url, NSPersistentStoreOperationError)
    if let store = persistentStore(for: url) { try remove(store) }
    if case .memory = place {
      if storeType == NSSQLiteStoreType {
        try SQLiteEngine.destroyShared(at: url, options: options)
      }
      return
    }
    if StoreTypes.registered(storeType) is NSAtomicStore.Type {
      if case .file = place {
        try FileManager.default.removeItem(at: url.resolvingSymlinksInPath())
      }
      return
    }
    try StoreTypes.require(storeType).destroy(at: url, options: options)
  }

  /// Deletes a store that was just created and isn't in use elsewhere, including its file.
  final func discardPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) {
    // All stores in memory are at one place; the one that was created may be gone already, and the others aren't it. A
    // shared database is gone with its last store.
    if StoreLocation.isInMemory(url) { return }
    guard storeType != NSInMemoryStoreType,
      (try? destroyPersistentStore(at: url, ofType: storeType, options: options)) != nil,
      url.isFileURL
    else { return }
    // A link to the store stays one; SQLite's files are beside the file that it leads to.
    let path = url.resolvingSymlinksInPath().path
    for suffix in ["", "-wal", "-shm"] {
      let file = URL(fileURLWithPath: path + suffix)
      if StoreLocation.isFileItself(file) { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// Destroys a store; see ``destroyPersistentStore(at:ofType:options:)``.
  public final func destroyPersistentStore(
    at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
  }
}

/// Older forms.
extension NSPersistentStoreCoordinator {
  /// A store's metadata, without opening the store. If the type is nil, it is determined from the file.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(
    ofType storeType: String?, at url: URL
  ) throws -> [String: Any] {
    guard let storeType else {
      return try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
    }
    return try metadataForPersistentStore(ofType: storeType, at: url, options: nil)
  }

  /// The metadata of a store of this package's types, which is determined from the file, without opening the store.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
    try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
  }

  /// Replaces the metadata of a store that isn't open. If the type is nil, it is determined from the file.
  @available(*, deprecated, message: "use setMetadata(_:type:at:options:)")
  public static func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreOfType storeType: String?, at url: URL
  ) throws {
    guard let storeType else {
      return try StoreTypes.ofFile(at: url).setMetadata(metadata ?? [:], at: url, options: nil)
    }
    try setMetadata(metadata, forPersistentStoreOfType: storeType, at: url, options: nil)
  }
}
