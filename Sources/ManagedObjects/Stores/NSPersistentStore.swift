import DataModels
import Foundation
import Synchronization

/// A store opened by a coordinator, with rows in a file or in memory.
///
/// ```swift
/// let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
/// print(store.type, store.identifier ?? "")
/// store.metadata["Importer"] = "2.1"
/// try context.save()
/// ```
open class NSPersistentStore: NSObject, @unchecked Sendable {
  // Sendable: used under the lock of its coordinator, as in Core Data.

  /// A store type, under its newer name.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The same type under its older name.
    public let rawValue: String

    /// Creates the type with a name.
    public init(rawValue: String) { self.rawValue = rawValue }

    /// A SQLite file.
    public static let sqlite = StoreType(rawValue: NSSQLiteStoreType)
    /// In memory.
    public static let inMemory = StoreType(rawValue: NSInMemoryStoreType)
    /// A binary file; see ``NSBinaryStoreType``.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// An XML file; see ``NSXMLStoreType``.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }

  /// The coordinator; nil after the store was removed.
  public internal(set) final weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
  /// The name of the configuration whose entities the store contains; `PF_DEFAULT_CONFIGURATION_NAME` for all
  /// entities.
  public final let configurationName: String
  /// The options the store was opened with.
  public final let options: [AnyHashable: Any]?

  /// The store as referenced by object IDs. Compared for every row that is read, while nothing else accesses it.
  final var reference: StoreReference
  /// The engine; set under the coordinator's lock, read from any thread.
  private final let work = Mutex(StoreWork())
  private final var place: URL?
  /// The name of the type with which the coordinator opened the store.
  final var typeName = ""
  private final var entityNames: Set<String>?
  /// The same, and the names of their ancestors.
  private final var namesWithAncestors: Set<String>?
  /// The metadata of a store of a client-defined class.
  private final var ownMetadata: [String: Any] = [:]
  /// Whether the ``metadata`` of such a store has unsaved changes.
  final var hasUnsavedMetadata = false
  private final var refusesWrites: Bool

  /// Creates a store for a coordinator, which loads its contents afterwards. For subclasses; see ``NSAtomicStore``
  /// and ``NSIncrementalStore``.
  public init(
    persistentStoreCoordinator root: NSPersistentStoreCoordinator?,
    configurationName name: String?, at url: URL, options: [AnyHashable: Any]? = nil
  ) {
    persistentStoreCoordinator = root
    configurationName = name ?? Self.defaultConfiguration
    place = url
    self.options = options
    refusesWrites = StoreOptions.isOn(NSReadOnlyPersistentStoreOption, in: options)
    reference = StoreReference(identifier: "", layouts: root?.modelLayout)
    super.init()
    reference.store = self
  }

  /// Creates a store of a registered class; called by coordinators. Subclasses inherit it, so they need no `required`
  /// initializer of their own.
  public required convenience init(_ origin: PersistentStoreOrigin) {
    self.init(
      persistentStoreCoordinator: origin.coordinator, configurationName: origin.configurationName,
      at: origin.url, options: origin.options)
  }

  /// Creates a store backed by an engine.
  convenience init(
    _ opening: StoreOpening, type: String, engine: any StoreEngine,
    coordinator: NSPersistentStoreCoordinator
  ) {
    self.init(
      persistentStoreCoordinator: coordinator, configurationName: opening.configuration,
      at: opening.url ?? URL(fileURLWithPath: "/dev/null"), options: opening.options)
    place = opening.url
    reference = engine.reference
    reference.isForeign = StoreTypes.isForeign(type)
    attach(engine, type: type, entityNames: opening.entityNames)
  }

  /// Sets the store's engine.
  final func attach(_ engine: any StoreEngine, type: String, entityNames: Set<String>?) {
    take(engine)
    typeName = type
    self.entityNames = entityNames
    namesWithAncestors = entityNames.map { names in
      let layouts = names.compactMap { persistentStoreCoordinator?.modelLayout[$0] }
      return names.union(layouts.flatMap { sequence(first: $0, next: \.parent).map(\.name) })
    }
    reference.store = self
  }

  /// The name that stands for all entities.
  static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The store type, such as ``NSSQLiteStoreType``.
  open var type: String { typeName }

  /// The store's location.
  open var url: URL? {
    get { place }
    set { place = newValue }
  }

  /// The store's UUID, which the object IDs' URIs contain. A new one is written with the next save of a context on the
  /// coordinator, like the ``metadata``; URIs with the former one lead nowhere then.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var identifier: String! {
    get { reference.identifier }
    set {
      guard let newValue else { return }
      var changed = metadata ?? [:]
      changed[NSStoreUUIDKey] = newValue
      metadata = changed
      if !(engine is any CustomStoreEngine) { engine?.takeIdentifier(newValue) }
      reference.identifier = newValue
    }
  }

  /// Whether the store is read-only. A store that was opened read-only stays so.
  open var isReadOnly: Bool {
    get { refusesWrites || engine?.isReadOnly ?? true }
    set { refusesWrites = newValue }
  }

  /// The store's metadata. Changes are written with the next save of a context on the coordinator, even one without
  /// object changes. A read-only store never writes them.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var metadata: [String: Any]! {
    get { engine.map { $0 is any CustomStoreEngine ? ownMetadata : $0.metadata } ?? ownMetadata }
    set {
      ownMetadata = newValue ?? [:]
      hasUnsavedMetadata = true
      if !(engine is any CustomStoreEngine) { engine?.metadata = ownMetadata }
    }
  }

  // MARK: For subclasses

  /// Loads ``metadata``; called once when the store is opened.
  ///
  /// Missing entries (the UUID, the type, the version hashes) are added afterwards. The default implementation loads
  /// the result of ``metadataForPersistentStore(with:)`` for the file at ``url``, if there is one.
  open func loadMetadata() throws {
    guard let url, url.isFileURL, case .file = StoreLocation(url) else { return }
    metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
  }

  /// Called after the store was added to its coordinator.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from its coordinator.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The metadata of a store that isn't open. Subclasses override this; the default implementation handles this
  /// package's stores, whose type is determined from the file.
  open class func metadataForPersistentStore(with url: URL) throws -> [String: Any] {
    try requireOverride("metadataForPersistentStore(with:)")
    return try StoreTypes.ofFile(at: url).metadata(at: url, options: nil)
  }

  /// Replaces the metadata of a store that isn't open; see ``metadataForPersistentStore(with:)``.
  open class func setMetadata(
    _ metadata: [String: Any]?, forPersistentStoreAt url: URL
  ) throws {
    try requireOverride("setMetadata(_:forPersistentStoreAt:)")
    try StoreTypes.ofFile(at: url).setMetadata(metadata ?? [:], at: url, options: nil)
  }

  /// The class that migrates such stores: ``NSMigrationManager``.
  open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

  private static func requireOverride(_ method: String) throws {
    guard self != NSPersistentStore.self else { return }
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store class \(self) doesn't override \(method).")
  }

  /// Whether rows of an entity belong in this store.
  final func holds(_ layout: EntityLayout) -> Bool {
    entityNames?.contains(layout.name) ?? true
  }

  /// Whether a query for an entity may find rows in this store, whose configuration may list subentities alone.
  final func mayHaveRows(of layout: EntityLayout, includesSubentities: Bool = true) -> Bool {
    guard includesSubentities else { return holds(layout) }
    return namesWithAncestors?.contains(layout.name) ?? true
  }

  /// The engine; nil once the store was removed.
  private final var engine: (any StoreEngine)? { work.withLock { $0 }.engine }

  /// The pool of connections that only read; nil if the store has none.
  final var readers: ReaderPool? { work.withLock { $0 }.readers }

  private final func take(_ engine: (any StoreEngine)?) {
    let new = StoreWork(engine: engine, readers: (engine as? SQLiteEngine)?.readers)
    // Releasing the last reference closes a file: do that outside the mutex.
    let old = work.withLock { work -> StoreWork in
      defer { work = new }
      return work
    }
    persistentStoreCoordinator?.storesLock.noteChange()
    withExtendedLifetime(old) {}
  }

  final func requireEngine() throws -> any StoreEngine {
    guard let engine else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The store was removed from its coordinator.")
    }
    return engine
  }

  /// Switches the store to another file with the same contents.
  final func move(to url: URL, _ engine: any StoreEngine) {
    self.engine?.close()
    take(engine)
    place = url
  }

  final func close() {
    willRemove(from: persistentStoreCoordinator)
    letGo()
  }

  /// Closes a store that was never added to the coordinator.
  final func letGo() {
    engine?.close()
    take(nil)
    persistentStoreCoordinator = nil
    // A store that was moved has been replaced by another one for the same object IDs.
    if reference.store === self { reference.store = nil }
  }
}

/// A store's engine and its pool of readers.
private struct StoreWork: @unchecked Sendable {
  // Sendable: engines are used under the coordinator's lock, the pool's readers by one request at a time.
  var engine: (any StoreEngine)?
  var readers: ReaderPool?
}

/// A type of store that a coordinator can open.
@_spi(Engines) public protocol StoreEngineType: AnyObject {
  /// Opens a store, creating it if necessary.
  static func open(_ opening: StoreOpening) throws -> any StoreEngine
  /// A store's metadata, without opening the store.
  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any]
  /// Replaces a store's metadata.
  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?) throws
  /// Replaces a store by a copy of another, or creates the copy.
  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?) throws
  /// Empties a store, and removes its auxiliary files.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws
  /// Creates a store of one model from a store of another by inferred migration, without objects, at an unused
  /// location.
  ///
  /// - Parameter options: the options with which the new store is opened then.
  /// - Returns: false if this type of store doesn't support that; nothing was created then.
  static func migrate(
    storeAt source: URL, of oldModel: NSManagedObjectModel, toStoreAt url: URL,
    of newModel: NSManagedObjectModel, options: [AnyHashable: Any]?, progress: Progress
  ) throws -> Bool
}

@_spi(Engines) extension StoreEngineType {
  /// False: such stores are migrated object by object.
  public static func migrate(
    storeAt source: URL, of oldModel: NSManagedObjectModel, toStoreAt url: URL,
    of newModel: NSManagedObjectModel, options: [AnyHashable: Any]?, progress: Progress
  ) throws -> Bool { false }
}
