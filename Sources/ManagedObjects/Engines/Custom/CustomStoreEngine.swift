import DataModels
import Foundation

/// The engine of a client-defined store, whose interface in Core Data takes objects.
protocol CustomStoreEngine: StoreEngine {
  /// Checks the changes of objects, and writes them as far as they can be rolled back.
  ///
  /// - Throws: ``SaveConflicts`` if other writers have changed the rows. Nothing is written then.
  func prepare(_ changes: ChangedObjects) throws -> any PreparedSave
  /// The permanent keys of new objects, assigned by their store.
  func keys(for objects: [NSManagedObject]) throws -> [Int64]
}

extension CustomStoreEngine {
  var metadata: [String: Any] {
    get { reference.store?.metadata ?? [:] }
    set { reference.store?.metadata = newValue }
  }

  func prepare(_ changes: StoreChanges) throws -> any PreparedSave {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "A store of the program's own class takes objects, not rows."
    )
  }

  var isReadOnly: Bool { false }
  var commitTurn: CommitTurn { .custom }

  func reserveKeys(_ count: Int, for root: EntityLayout) throws -> Int64 {
    throw CoreDataError.make(
      NSPersistentStoreOperationError, "The store names its rows itself; it gives no keys.")
  }
}

extension CustomStoreEngine {
  /// An attribute's value as a store class gives it.
  ///
  /// - Throws: an error for a value of another type: a row that lacks it would be saved so.
  func stored(_ value: Any?, _ property: PropertyLayout, of layout: EntityLayout) throws
    -> StoredValue
  {
    if let stored = AttributeCodec.stored(value, type: property.attributeType) { return stored }
    throw CoreDataError.make(
      NSPersistentStoreOperationError,
      "The store's value for '\(layout.name).\(property.name)' isn't of the attribute's type: "
        + "\(value.map { "\($0), \(Swift.type(of: $0))" } ?? "nil").",
      userInfo: ["entity": layout.name])
  }
}

/// Opening stores of registered classes.
enum CustomStores {
  static func open(
    _ storeClass: NSPersistentStore.Type, _ opening: StoreOpening, type: String,
    in coordinator: NSPersistentStoreCoordinator
  ) throws -> NSPersistentStore {
    guard opening.url != nil || storeClass is NSIncrementalStore.Type else {
      throw CoreDataError.make(
        NSPersistentStoreOpenError, "A store of the type '\(type)' needs a URL.")
    }
    if storeClass is NSAtomicStore.Type { try opening.refuseDerivedAttributes(type) }
    // A store in front of a service may have no URL, but its initializer requires one.
    let url = opening.url ?? URL(fileURLWithPath: "/dev/null")
    let store = storeClass.init(
      PersistentStoreOrigin(
        coordinator: coordinator, configurationName: opening.configuration, url: url,
        options: opening.options))
    if opening.url == nil { store.url = nil }
    store.typeName = type
    store.reference.table = ReferenceTable()
    try store.loadMetadata()
    guard store.type == type else {
      throw CoreDataError.make(
        NSPersistentStoreTypeMismatchError,
        "A store of the type '\(type)' was requested, but the class \(storeClass) says that its stores are "
          + "of the type '\(store.type)'.", userInfo: [NSFilePathErrorKey: url.path])
    }
    try complete(store, opening, at: url)
    switch store {
    case let store as NSAtomicStore:
      store.attach(AtomicStoreEngine(store), type: type, entityNames: opening.entityNames)
      try store.load()
    case let store as NSIncrementalStore:
      store.attach(
        IncrementalStoreEngine(store, coordinator), type: type, entityNames: opening.entityNames)
    default:
      throw CoreDataError.make(
        NSPersistentStoreInvalidTypeError,
        "The class \(storeClass) of the store type '\(type)' is neither an NSAtomicStore nor an "
          + "NSIncrementalStore.")
    }
    store.hasUnsavedMetadata = false
    return store
  }

  /// Checks the metadata against the model, and adds missing entries.
  private static func complete(
    _ store: NSPersistentStore, _ opening: StoreOpening, at url: URL
  ) throws {
    var metadata = store.metadata ?? [:]
    if metadata[NSStoreModelVersionHashesKey] != nil,
      !StoreOptions.isOn(NSIgnorePersistentStoreVersioningOption, in: opening.options)
    {
      try opening.checkVersion(of: metadata, at: url)
    }
    let storeClass = Swift.type(of: store)
    let given = (storeClass as? NSIncrementalStore.Type)?.identifierForNewStore(at: url)
    let identifier =
      metadata[NSStoreUUIDKey] as? String ?? given.map { "\($0)" } ?? UUID().uuidString
    metadata[NSStoreUUIDKey] = identifier
    if metadata[NSStoreTypeKey] == nil { metadata[NSStoreTypeKey] = store.type }
    metadata[NSStoreModelVersionHashesKey] = opening.versionHashes
    metadata[NSStoreModelVersionIdentifiersKey] = opening.versionIdentifiers
    store.metadata = metadata
    store.reference.identifier = identifier
  }
}
