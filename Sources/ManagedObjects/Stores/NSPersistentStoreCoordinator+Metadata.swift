import Foundation

/// Metadata, and stores that aren't open.
extension NSPersistentStoreCoordinator {
  /// An open store's metadata.
  public final func metadata(for store: NSPersistentStore) -> [String: Any] {
    locked { store.metadata }
  }

  /// Replaces the program's part of an open store's metadata; written with the next save of a context on the
  /// coordinator, be there changes of objects or not. A store that is read-only never writes them.
  public final func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    locked {
      let present = store.metadata ?? [:]
      var metadata = metadata ?? [:]
      for key in [NSStoreTypeKey, NSStoreUUIDKey] { metadata[key] = present[key] }
      store.metadata = metadata
    }
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

  /// Removes a store from the coordinator, empties its file, and removes what belongs to it.
  ///
  /// The file of a SQLite store itself stays, without contents, as in Core Data: whoever has it open meets an empty
  /// database, not a file that is gone, and can't save into it any more. Locks of others are heeded. The file of an
  /// atomic store is removed; whoever has it open makes a new one when they save. Where no SQLite store is, in a
  /// folder that is there, an empty file is made, as in Core Data: programs remove it next. At `/dev/null`, whose
  /// stores are in memory, nothing happens, nor does a link that leads nowhere get a file.
  ///
  /// - Throws: an error for a place that is no file; what the store throws.
  public final func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    let place = try StoreLocation.check(url, NSPersistentStoreOperationError)
    if let store = persistentStore(for: url) { try remove(store) }
    if case .memory = place { return }
    if StoreTypes.registered(storeType) is NSAtomicStore.Type {
      if case .file = place {
        try FileManager.default.removeItem(at: url.resolvingSymlinksInPath())
      }
      return
    }
    try StoreTypes.require(storeType).destroy(at: url, options: options)
  }

  /// Removes a store that was made a moment ago, and that nobody else knows yet, file and all.
  final func discardPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) {
    guard storeType != NSInMemoryStoreType,
      (try? destroyPersistentStore(at: url, ofType: storeType, options: options)) != nil
    else { return }
    for suffix in ["", "-wal", "-shm"] {
      let file = URL(fileURLWithPath: url.path + suffix)
      if case .file = StoreLocation(file) { try? FileManager.default.removeItem(at: file) }
    }
  }

  /// Empties a store; see ``destroyPersistentStore(at:ofType:options:)``.
  public final func destroyPersistentStore(
    at url: URL, type storeType: NSPersistentStore.StoreType, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyPersistentStore(at: url, ofType: storeType.rawValue, options: options)
  }
}

/// Older spellings.
extension NSPersistentStoreCoordinator {
  /// A store's metadata, without opening it. For nil the file itself tells the type.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(
    ofType storeType: String?, at url: URL
  ) throws -> [String: Any] {
    guard let storeType else {
      return try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
    }
    return try metadataForPersistentStore(ofType: storeType, at: url, options: nil)
  }

  /// The metadata of a store of this package's types, which the file itself tells, without opening it.
  @available(*, deprecated, message: "use metadataForPersistentStore(type:at:options:)")
  public static func metadataForPersistentStore(with url: URL) throws -> [AnyHashable: Any] {
    try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
  }

  /// Replaces the metadata of a store that isn't open. For nil the file itself tells the type.
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
