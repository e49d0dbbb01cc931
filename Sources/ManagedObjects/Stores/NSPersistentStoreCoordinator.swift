import DataModels
import Foundation
import Synchronization

/// A coordinator that connects a model with its stores, and contexts with both.
///
/// ```swift
/// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
/// try coordinator.addPersistentStore(
///   ofType: NSSQLiteStoreType, configurationName: nil, at: url, options: nil)
/// context.persistentStoreCoordinator = coordinator
/// ```
///
/// The model can't be changed once it has a coordinator.
open class NSPersistentStoreCoordinator: NSObject, @unchecked Sendable {
  // Sendable: its stores are guarded by its locks; everything else is immutable, except a name for debugging.

  /// The model.
  public final let managedObjectModel: NSManagedObjectModel
  /// A name for debugging.
  open var name: String?

  final let modelLayout: ModelLayout
  final let storesLock = StoresLock()
  /// The queue of asynchronous blocks, which run in the order in which they were submitted.
  private final let queue = DispatchQueue(label: "NSPersistentStoreCoordinator")
  /// Changed under ``storesLock``, read from any thread: reading doesn't wait for a save.
  private final let list = Mutex<[NSPersistentStore]>([])

  private final var stores: [NSPersistentStore] {
    get { list.withLock { $0 } }
    set {
      list.withLock { $0 = newValue }
      storesLock.noteChange()
    }
  }

  /// Creates a coordinator without stores.
  public init(managedObjectModel model: NSManagedObjectModel) {
    managedObjectModel = model
    modelLayout = ModelLayout.of(model)
  }

  /// Creates a coordinator without stores, whose objects are plain `NSManagedObject` instances.
  init(ofPlainObjects model: NSManagedObjectModel) {
    managedObjectModel = model
    modelLayout = ModelLayout.ofPlainObjects(model)
  }

  /// Creates a coordinator without a model, for stores without entities only.
  public convenience override init() { self.init(managedObjectModel: NSManagedObjectModel()) }

  deinit { for store in stores { store.close() } }

  // MARK: Stores

  /// The stores, in the order they were added.
  open var persistentStores: [NSPersistentStore] { stores }

  /// The store at a location.
  open func persistentStore(for URL: URL) -> NSPersistentStore? {
    persistentStores.first { $0.url?.standardizedFileURL == URL.standardizedFileURL }
      ?? persistentStores.first { $0.url.map { StoreLocation.isSame($0, URL) } ?? false }
  }

  /// The location of a store.
  open func url(for store: NSPersistentStore) -> URL {
    store.url ?? URL(fileURLWithPath: "/dev/null")
  }

  /// Opens a store, creating it if necessary.
  ///
  /// - Parameters:
  ///   - storeType: ``NSSQLiteStoreType``, ``NSXMLStoreType``, ``NSBinaryStoreType``, ``NSInMemoryStoreType``, or the
  ///     type of a registered class.
  ///   - configuration: the name of the configuration whose entities the store contains; nil for all entities.
  ///   - storeURL: the store's location; not needed for a store in memory.
  ///   - options: see ``NSReadOnlyPersistentStoreOption`` and related options.
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError`` for a store of another version of the model;
  ///   ``NSPersistentStoreInvalidTypeError`` for an unknown type; error 134081 for a store that the coordinator
  ///   already has, by location or UUID; errors of the store.
  @discardableResult
  open func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: storeType, configurationName: configuration, at: storeURL, options: options,
      reference: nil, notices: nil)
  }

  /// Opens a store.
  ///
  /// - Parameters:
  ///   - reference: that of a store which this one replaces, and whose object IDs stay valid.
  ///   - replaced: a store whose objects this one gets, which may have its UUID.
  ///   - notices: takes the notification instead of the center.
  final func addPersistentStore(
    ofType storeType: String, configurationName configuration: String?, at storeURL: URL?,
    options: [AnyHashable: Any]?, reference: StoreReference? = nil,
    replacing replaced: NSPersistentStore? = nil, notices: PostponedNotices? = nil
  ) throws -> NSPersistentStore {
    let name = configuration == NSPersistentStore.defaultConfiguration ? nil : configuration
    var entityNames: Set<String>?
    if let name {
      guard let entities = managedObjectModel.entities(forConfigurationName: name) else {
        throw CoreDataError.make(
          NSPersistentStoreOpenError,
          "Unable to find a configuration named '\(name)' in the model.",
          userInfo: ["NSPersistentStoreConfiguration": name])
      }
      entityNames = Set(entities.compactMap(\.name))
    }
    try modelLayout.requireListableComposites()
    let opening = StoreOpening(
      url: storeURL, model: managedObjectModel, layouts: modelLayout, configuration: name,
      entityNames: entityNames, options: options, reference: reference)
    let added = try locked {
      if reference == nil, let storeURL,
        stores.contains(where: { $0.url.map { StoreLocation.isSame($0, storeURL) } ?? false })
      {
        throw CoreDataError.secondStore(at: storeURL)
      }
      // Object IDs refer to a store by its UUID: those of a copy would refer to the original.
      func isNew(_ identifier: String) -> Bool {
        reference != nil
          || !stores.contains { $0 !== replaced && $0.identifier == identifier }
      }
      let store: NSPersistentStore
      if let storeClass = StoreTypes.registered(storeType) {
        store = try CustomStores.open(storeClass, opening, type: storeType, in: self)
        guard isNew(store.reference.identifier) else {
          store.letGo()
          throw CoreDataError.secondStore(at: storeURL)
        }
      } else {
        let engine = try StoreTypes.require(storeType).open(opening)
        guard isNew(engine.reference.identifier) else {
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
    // Observers may wait for another thread that needs the stores: notify them after unlocking.
    PostponedNotices.post(
      .NSPersistentStoreCoordinatorStoresDidChange, from: self,
      userInfo: [NSAddedPersistentStoresKey: [added]], or: notices)
    return added
  }

  /// Opens a store, creating it if necessary; see
  /// ``addPersistentStore(ofType:configurationName:at:options:)``.
  @discardableResult
  open func addPersistentStore(
    type: NSPersistentStore.StoreType, configuration: String? = nil, at storeURL: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStore {
    try addPersistentStore(
      ofType: type.rawValue, configurationName: configuration, at: storeURL, options: options)
  }

  /// Opens a store as described, and calls `block` with the outcome.
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
      queue.async(execute: work)
    } else {
      work()
    }
  }

  /// Closes a store; its objects can't be loaded any more.
  open func remove(_ store: NSPersistentStore) throws { discard(store) }

  /// Closes a store.
  ///
  /// - Parameters:
  ///   - changes: more for the notification that it is gone.
  ///   - notices: takes the notification that it is gone instead of the center. That it is going to be has been told.
  final func discard(
    _ store: NSPersistentStore, _ changes: [AnyHashable: Any] = [:],
    notices: PostponedNotices? = nil
  ) {
    guard persistentStores.contains(where: { $0 === store }) else { return }
    if notices == nil {
      NotificationCenter.default.post(
        name: .NSPersistentStoreCoordinatorWillRemoveStore, object: store)
    }
    let isGone = locked {
      // Another thread, or an observer, may have removed it meanwhile.
      guard let index = stores.firstIndex(where: { $0 === store }) else { return false }
      stores.remove(at: index)
      store.close()
      return true
    }
    guard isGone else { return }
    PostponedNotices.post(
      .NSPersistentStoreCoordinatorStoresDidChange, from: self,
      userInfo: changes.merging([NSRemovedPersistentStoresKey: [store]]) { given, _ in given },
      or: notices)
  }

  /// Moves a store before another one. New objects are assigned in this order.
  final func move(_ store: NSPersistentStore, before other: NSPersistentStore) {
    stores.removeAll { $0 === store }
    stores.insert(store, at: stores.firstIndex { $0 === other } ?? stores.endIndex)
  }

  // MARK: Deferred migration

  /// Completes the work that ``NSPersistentStoreDeferredLightweightMigrationOptionKey`` deferred when a store was
  /// opened. A no-op: MomKit never defers a migration.
  open func finishDeferredLightweightMigration() throws {}

  /// Performs one step of ``finishDeferredLightweightMigration()``. A no-op.
  open func finishDeferredLightweightMigrationTask() throws {}

  // MARK: Object IDs

  /// The object ID that a URL represents; nil if the store or the entity is unknown. Whether the row exists isn't
  /// checked.
  open func managedObjectID(forURIRepresentation url: URL) -> NSManagedObjectID? {
    ObjectURI.parsing(url.absoluteString, identity)
  }

  @inline(__always)
  private final func identity(_ parts: ObjectURI) -> NSManagedObjectID? {
    guard let layout = modelLayout[parts.entity] else { return nil }
    for store in stores where parts.isIn(store.identifier) {
      let key =
        if let table = store.reference.table {
          parts.row.removingPercentEncoding.map { table.key(forText: $0, layout.root) }
        } else {
          Int64(parts.row)
        }
      return key.map { NSManagedObjectID(layout: layout, store: store.reference, key: $0) }
    }
    return nil
  }

  /// The object ID that a URL's text represents; see
  /// ``managedObjectID(forURIRepresentation:)``.
  open func managedObjectID(for string: String) -> NSManagedObjectID? {
    URL(string: string).flatMap { managedObjectID(forURIRepresentation: $0) }
  }

  // MARK: Overridable methods

  /// An open store's metadata.
  open func metadata(for store: NSPersistentStore) -> [String: Any] {
    locked { store.metadata }
  }

  /// Replaces the program's entries in an open store's metadata. They are written with the next save of a context on
  /// the coordinator, even one without object changes. A read-only store never writes them.
  open func setMetadata(_ metadata: [String: Any]?, for store: NSPersistentStore) {
    locked {
      store.metadata = StoreMetadataKeys.keepingOwn(
        of: store.metadata ?? [:], in: metadata ?? [:])
    }
  }

  /// Removes a store from the coordinator, empties its file, and removes its auxiliary files.
  ///
  /// The file of a SQLite store itself remains, as an empty database, as in Core Data: other connections to it then
  /// find an empty database, not a missing file, and can't save into it any more. Locks of other connections are
  /// respected. The file of an atomic store is deleted; another coordinator that has the store open creates a new
  /// file when it saves. If there is no SQLite store, but its folder exists, an empty file is created, as in Core
  /// Data, since programs delete the file next. For `/dev/null` itself, whose stores are private, this is a no-op, and no
  /// file is created at the target of a dangling symbolic link. Of what is beside the store, only files and the folder of
  /// external values are removed: a symbolic link of such a name stays, and what it leads to.
  ///
  /// - Throws: an error for a location that isn't a file; errors of the store.
  open func destroyPersistentStore(
    at url: URL, ofType storeType: String, options: [AnyHashable: Any]? = nil
  ) throws {
    try destroyStore(at: url, ofType: storeType, options: options)
  }

  /// Moves an open store to another location or to another store type ("save as"): the new store replaces it in the
  /// coordinator.
  ///
  /// From SQLite to SQLite, everything is copied unchanged, including external files, and object IDs stay valid; the
  /// same holds for an XML or binary store moved to its own type. Between different types, and to or from memory, the
  /// objects are copied and get new IDs: save contexts before and reset them after, because objects that they have hold
  /// the old ones. ``NSUUIDChangedPersistentStoresKey`` of the notification leads to the new ones. The old store stays at
  /// its location.
  ///
  /// - Parameters:
  ///   - store: a store of the coordinator.
  ///   - URL: the new location, where nothing may exist yet but the empty file that a destroyed store leaves.
  ///   - options: the options for opening the new store.
  ///   - storeType: the type of the new store.
  /// - Returns: the new store.
  @discardableResult
  open func migratePersistentStore(
    _ store: NSPersistentStore, to URL: URL, options: [AnyHashable: Any]? = nil,
    withType storeType: String
  ) throws -> NSPersistentStore {
    try moveStore(store, to: URL, options: options, withType: storeType)
  }

  /// Replaces a store by a copy of another one, or creates the copy if there is no store: in one transaction,
  /// including external files, and respecting the locks of other connections.
  ///
  /// Other connections to the destination store can't save into it any more, unless the new store is the same one by
  /// its UUID. If the store is one of this coordinator's, it is removed from it, as by Core Data: add it again to read
  /// the copy. At `/dev/null` this is a no-op; below it, where others may have a store in memory
  /// open, it fails.
  open func replacePersistentStore(
    at destinationURL: URL, destinationOptions: [AnyHashable: Any]? = nil,
    withPersistentStoreFrom sourceURL: URL, sourceOptions: [AnyHashable: Any]? = nil,
    ofType storeType: String
  ) throws {
    try replaceStore(
      at: destinationURL, destinationOptions: destinationOptions, with: sourceURL, ofType: storeType
    )
  }

  /// Switches a store to another file with the same contents: the same UUID, and entities of the same version. Object
  /// IDs stay valid. An atomic store is entirely in memory: its next save writes it to the new location, replacing
  /// any file there.
  ///
  /// - Returns: whether the switch was made; if not, the store is unchanged. A store of a client-defined class only
  ///   has its URL set.
  @discardableResult
  open func setURL(_ url: URL, for store: NSPersistentStore) -> Bool { relocate(store, to: url) }

  /// The bookmark at the end of the stores' persistent history; nil if none of them tracks history.
  ///
  /// - Parameter stores: the ``NSPersistentStore``s to ask; nil or an empty array for all.
  open func currentPersistentHistoryToken(
    fromStores stores: [Any]?
  ) -> NSPersistentHistoryToken? {
    historyToken(of: stores)
  }

  /// Executes a request for a context.
  ///
  /// - Returns: an array of objects, object IDs, dictionaries or numbers for a fetch; the result object for a batch
  ///   request or for persistent history.
  @discardableResult
  open func execute(
    _ request: NSPersistentStoreRequest, with context: NSManagedObjectContext
  ) throws -> Any {
    try carryOut(request, for: context)
  }

  // MARK: Locking

  /// Runs `block` with the stores locked: no other thread writes to them, or reads through the writing connections.
  final func locked<Result>(_ block: () throws -> Result) rethrows -> Result {
    try storesLock.withLock(block)
  }

  /// Locks the stores for other threads until ``unlock()``. Use `performAndWait(_:)` instead.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func lock() { storesLock.lock() }

  /// Locks the stores if no other thread uses them; returns whether it did.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func tryLock() -> Bool { storesLock.tryLock() }

  /// Releases the lock taken by ``lock()``.
  @available(*, deprecated, message: "use performAndWait(_:)")
  open func unlock() { storesLock.unlock() }

  /// Runs `block` with the stores locked, and waits for it. Other threads may still read what was saved before.
  public final func performAndWait<Result>(_ block: () throws -> Result) rethrows -> Result {
    try locked(block)
  }

  /// Runs `block` with the stores locked, like the other method with this name. Its type as a value is
  /// `(() -> Void) -> Void`.
  open func performAndWait(_ block: () -> Void) { locked(block) }

  /// Runs `block` asynchronously, with the stores locked, after the blocks before it.
  open func perform(_ block: @escaping () -> Void) {
    let work = Transfer(value: block)
    queue.async { [self] in locked(work.value) }
  }

  /// Runs `block` asynchronously with the stores locked, and returns its result.
  @preconcurrency
  public final func perform<Result, Failure: Error>(
    _ block: sending @escaping () throws(Failure) -> Result
  ) async throws(Failure) -> Result {
    let work = Transfer(value: block)
    let outcome: Transfer<Swift.Result<Result, Failure>> = await withCheckedContinuation {
      continuation in
      queue.async { [self] in
        let outcome = locked { () -> Swift.Result<Result, Failure> in
          do throws(Failure) { return .success(try work.value()) } catch { return .failure(error) }
        }
        continuation.resume(returning: Transfer(value: outcome))
      }
    }
    return try outcome.value.get()
  }
}
