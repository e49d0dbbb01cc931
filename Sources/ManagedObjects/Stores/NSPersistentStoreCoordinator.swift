import DataModels
import Foundation

/// Connects a model with its stores, and contexts with both.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
/// context.persistentStoreCoordinator = coordinator
/// ```
///
/// From its making on the model can't be changed.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // Sendable: its stores are behind its lock; the rest is never changed, but for a name for people.

  /// The model.
  public final let managedObjectModel: NSManagedObjectModel
  /// A name for people.
  open var name: String?

  final let modelLayout: ModelLayout
  private final let mutex = NSRecursiveLock()
  private final var stores: [NSPersistentStore] = []

  /// Makes a coordinator without stores.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    modelLayout = ModelLayout.of(model)
  }

  /// Makes a coordinator whose objects are of no class of the program's, without stores.
  init(ofPlainObjects model: NSManagedObjectModel) {
    managedObjectModel = model
    modelLayout = ModelLayout.ofPlainObjects(model)
  }

  /// Makes a coordinator without a model, which takes stores without entities only.
  public convenience override init() { self.init(managedObjectModel: NSManagedObjectModel()) }

  deinit { for store in stores { store.close() } }

  // MARK: Stores

  /// The stores, in the order they were added.
  open var persistentStores: [NSPersistentStore] { locked { stores } }

  /// The store that identities know by a reference, asked in a turn of the stores. Looking through the
  /// list costs less than the reference's own, which is weak.
  final func store(of reference: StoreReference) -> NSPersistentStore? {
    stores.first { $0.reference === reference }
  }

  /// The store at a place.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
      ?? persistentStores.first { $0.url.map { StoreLocation.isSame($0, URL) } ?? false }
  }

  /// Where a store is.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// Opens a store, making it when there is none.
  ///
  /// - Parameters:
  ///   - storeType: ``NSSQLiteStoreType``, ``NSXMLStoreType``, ``NSBinaryStoreType``, ``NSInMemoryStoreType``, or
  ///     the type of a registered class.
  ///   - configuration: the name of the model's configuration whose entities the store holds; nil
  ///     for all.
  ///   - storeURL: where it is; not needed in memory.
  ///   - options: see ``NSReadOnlyPersistentStoreOption`` and its neighbours.
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError`` for a store of another version of
  ///   the model; ``NSPersistentStoreInvalidTypeError`` for an unknown type; the error 134081 for a store
  ///   that the coordinator has already, by its place or its UUID; what the store throws.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: storeType, configurationName: configuration, at: storeURL, options: options,
      reference: nil)
  }

  /// Opens a store that takes the place of one whose identities stay valid.
  final func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]?, reference: StoreReference?
  ) throws -> NSPersistentStore {
    let name = configuration == NSPersistentStore.defaultConfiguration ? nil : configuration
    var entityNames: Set<String>?
    if let name {
      guard let entities = managedObjectModel.entities(forConfigurationName: name) else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError,
          "Unable to find a configuration named '\(name)' in the model.",
          ["NSPersistentStoreConfiguration": name])
      }
      entityNames = Set(entities.compactMap(\.name))
    }
    let opening = StoreOpening(
      url: storeURL, model: managedObjectModel, layouts: modelLayout, configuration: name,
      entityNames: entityNames, options: options, reference: reference)
    let added = try locked {
      if reference == nil, let storeURL,
        stores.contains(where: { $0.url.map { StoreLocation.isSame($0, storeURL) } ?? false })
      {
        throw CoreDataError.secondStore(at: storeURL)
      }
      let store: NSPersistentStore
      if let storeClass = StoreTypes.registered(storeType) {
        store = try CustomStores.open(storeClass, opening, type: storeType, self)
      } else {
        let engine = try StoreTypes.require(storeType).open(opening)
        // Identities name a store by its UUID: those of a copy would lead to the original.
        let identifier = engine.reference.identifier
        guard reference != nil || !stores.contains(where: { $0.identifier == identifier }) else {
          engine.close()
          throw CoreDataError.secondStore(at: storeURL)
        }
        store = NSPersistentStore(opening, type: storeType, engine: engine, coordinator: self)
      }
      stores.append(store)
      store.didAdd(to: self)
      store.startWatching()
      return store
    }
    // Whoever hears of it may wait for another thread that wants the stores: tell them after.
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
      userInfo: [NSAddedPersistentStoresKey: [added]])
    return added
  }

  /// Opens a store, making it when there is none; see
  /// ``addPersistentStore(ofType:configurationName:at:options:)``.
  @discardableResult
  open func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Opens a store as a description says, and calls `block` with the outcome.
  open func addPersistentStore(
    with storeDescription: NSPersistentStoreDescription,
    completionHandler block:
      @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    let block = Transfer(value: block)
    let work: @Sendable () -> Void = { [self] in
      do {
        try addPersistentStore(
          ofType: storeDescription.type, configurationName: storeDescription.configuration,
          at: storeDescription.url, options: storeDescription.options)
        block.value(storeDescription, nil)
      } catch {
        block.value(storeDescription, error)
      }
    }
    if storeDescription.shouldAddStoreAsynchronously {
      DispatchQueue.global().async(execute: work)
    } else {
      work()
    }
  }

  /// Closes a store; its objects can't be loaded any more.
  open func remove(_ store: NSPersistentStore) throws {
    guard persistentStores.contains(where: { $0 === store }) else { return }
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    let isGone = locked {
      // Another thread, or an observer, may have removed it meanwhile.
      guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
      stores.remove(at: index)
      store.close()
      return true
    }
    guard isGone else { return }
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange, object: self,
      userInfo: [NSRemovedPersistentStoresKey: [store]])
  }

  /// Puts a store before another in the order, in which new objects find their store.
  final func move(_ store: NSPersistentStore, before other: NSPersistentStore) {
    stores.removeAll { $0 === store }
    stores.insert(store, at: stores.firstIndex { $0 === other } ?? stores.endIndex)
  }

  // MARK: Deferred migration

  /// Finishes what opening a store with ``NSPersistentStoreDeferredLightweightMigrationOptionKey`` put off.
  /// There is nothing of the kind: a store is migrated in one go when it is opened.
  open func finishDeferredLightweightMigration() throws {}

  /// Does one step of ``finishDeferredLightweightMigration()``, of which there is none.
  open func finishDeferredLightweightMigrationTask() throws {}

  // MARK: Identities

  /// The identity a URL stands for; nil when none of the stores is meant, or the entity is unknown.
  /// Whether there is such a row isn't asked.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    ObjectURI.parsing(url.absoluteString, identity)
  }

  private final func identity(_ parts: ObjectURI) -> NSManagedObjectID? {
    guard let layout = modelLayout[parts.entity],
      let store = locked({ stores.first { parts.isIn($0.identifier) } })
    else { return nil }
    let key =
      if let table = store.reference.table {
        parts.row.removingPercentEncoding.map { table.key(forText: $0, layout.root) }
      } else {
        Int64(parts.row)
      }
    return key.map { NSManagedObjectID(layout: layout, store: store.reference, key: $0) }
  }

  /// The identity that the text of a URL stands for; see
  /// ``managedObjectID(forURIRepresentation:)``.
  open func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
  }

  final func storeForInsertion(of object: NSManagedObject) throws -> NSPersistentStore {
    if let assigned = object.scratch?.assignedStore {
      guard stores.contains(where: { $0 === assigned }) else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError,
          "The store that an object was assigned to isn't one of the coordinator's.",
          [NSAffectedObjectsErrorKey: [object], NSAffectedStoresErrorKey: [assigned]])
      }
      return assigned
    }
    guard let store = usualStore(for: object.layout) else {
      throw CoreDataError.noStore(
        for: object.layout.name, among: stores.filter { $0.holds(object.layout) })
    }
    return store
  }

  /// The store that takes new objects of an entity.
  final func usualStore(for layout: EntityLayout) -> NSPersistentStore? {
    persistentStores.first { !$0.isReadOnly && $0.holds(layout) }
  }

  // MARK: Turns

  /// Runs `block` while no other thread uses the stores.
  final func locked<Result>(_ block: () throws -> Result) rethrows -> Result {
    mutex.lock()
    defer { mutex.unlock() }
    return try block()
  }

  /// Keeps other threads from using the stores until ``unlock()``. Use
  /// ``performAndWait(_:)`` instead.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func lock() { mutex.lock() }

  /// ``lock()``, if no other thread uses the stores; tells whether it was done.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func tryLock() -> Bool { mutex.try() }

  /// Ends what ``lock()`` began.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func unlock() { mutex.unlock() }

  /// Runs `block` while no context uses the stores, and waits for it.
  public final func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result {
    try locked(block)
  }

  /// Runs `block` later, while no context uses the stores.
  public final func perform(_ block: @escaping @Sendable () -> Void) {
    DispatchQueue.global().async { [self] in locked(block) }
  }
}
