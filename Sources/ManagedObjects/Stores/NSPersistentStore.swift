import DataModels
import Foundation

/// A store: rows in a file or in memory, opened by a coordinator.
open class NSPersistentStore: NSObject, @unchecked Sendable {
  /// A kind of store, under the newer names.
  public struct StoreType: RawRepresentable, Hashable, Sendable {
    /// The same under its older name.
    public let rawValue: String

    /// Makes the type of this name.
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
  /// The name of the model's configuration whose entities the store holds;
  /// `PF_DEFAULT_CONFIGURATION_NAME` for all.
  public final let configurationName: String
  /// The options the store was opened with.
  public final let options: [AnyHashable: Any]?

  /// The store as identities know it. Compared for every row that is read: by nobody else meanwhile.
  final var reference: StoreReference
  private final var engine: (any StoreEngine)?
  private final var place: URL?
  /// The type's name under which the coordinator opened the store.
  final var typeName = ""
  private final var entityNames: Set<String>?
  /// The metadata of a store of the program's own class.
  private final var ownMetadata: [String: Any] = [:]
  /// Whether ``metadata`` of such a store were set since they were last saved.
  final var hasUnsavedMetadata = false
  private final var refusesWrites: Bool

  /// Makes a store for a coordinator, which asks it for its contents afterwards. For classes of stores of
  /// one's own: see ``NSAtomicStore`` and ``NSIncrementalStore``.
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

  /// Makes a store of a registered class; coordinators call it. Classes inherit it, so that they need no
  /// `required` initializer of their own.
  public required convenience init(_ origin: PersistentStoreOrigin) {
    self.init(
      persistentStoreCoordinator: origin.coordinator, configurationName: origin.configurationName,
      at: origin.url, options: origin.options)
  }

  /// A store that an engine of this package keeps.
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

  /// Gives the store what does its work.
  final func attach(_ engine: any StoreEngine, type: String, entityNames: Set<String>?) {
    self.engine = engine
    typeName = type
    self.entityNames = entityNames
    reference.store = self
  }

  /// The name that stands for "all entities".
  static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The kind of store, such as ``NSSQLiteStoreType``.
  open var type: String { typeName }

  /// Where the store is.
  open var url: URL? {
    get { place }
    set { place = newValue }
  }

  /// The store's UUID. It can be set until the store has given identities to objects.
  open var identifier: String {
    get { reference.identifier }
    set {
      var changed = metadata ?? [:]
      changed[NSStoreUUIDKey] = newValue
      metadata = changed
      reference.identifier = newValue
    }
  }

  /// Whether writing is refused. A store that was opened for reading stays so.
  open var isReadOnly: Bool {
    get { refusesWrites || engine?.isReadOnly ?? true }
    set { refusesWrites = newValue }
  }

  /// The metadata; changes are written with the next save of a context on the coordinator, be there changes
  /// of objects or not. A store that is read-only never writes them.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var metadata: [String: Any]! {
    get { engine.map { $0 is any CustomStoreEngine ? ownMetadata : $0.metadata } ?? ownMetadata }
    set {
      ownMetadata = newValue ?? [:]
      hasUnsavedMetadata = true
      if !(engine is any CustomStoreEngine) { engine?.metadata = ownMetadata }
    }
  }

  // MARK: For classes of stores of one's own

  /// Reads ``metadata``; called once when the store is opened.
  ///
  /// What a class leaves out (the UUID, the type, the version hashes) is added. Unless overridden it asks
  /// ``metadataForPersistentStore(with:)`` for those of the file at ``url``, if there is one.
  open func loadMetadata() throws {
    guard let url, url.isFileURL, case .file = StoreLocation(url) else { return }
    metadata = try Swift.type(of: self).metadataForPersistentStore(with: url)
  }

  /// Called when the store was added to its coordinator.
  open func didAdd(to coordinator: NSPersistentStoreCoordinator) {}

  /// Called before the store is removed from its coordinator.
  open func willRemove(from coordinator: NSPersistentStoreCoordinator?) {}

  /// The metadata of a store that isn't open. A class of stores of one's own overrides it; here it is that
  /// of this package's stores, whose type the file tells.
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

  /// The class whose instances migrate such stores: ``NSMigrationManager``.
  open class func migrationManagerClass() -> AnyClass { NSMigrationManager.self }

  private static func requireOverride(_ method: String) throws {
    guard self != NSPersistentStore.self else { return }
    throw CoreDataError.make(
      NSPersistentStoreUnsupportedRequestTypeError,
      "The store class \(self) doesn't override \(method).")
  }

  /// Whether rows of an entity belong here.
  final func holds(_ layout: EntityLayout) -> Bool {
    entityNames?.contains(layout.name) ?? true
  }

  final func requireEngine() throws -> any StoreEngine {
    guard let engine else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The store was removed from its coordinator.")
    }
    return engine
  }

  /// Has the store work on another file with the same contents.
  final func move(to url: URL, _ engine: any StoreEngine) {
    self.engine?.close()
    self.engine = engine
    place = url
  }

  final func close() {
    willRemove(from: persistentStoreCoordinator)
    letGo()
  }

  /// Closes a store that never became one of the coordinator's.
  final func letGo() {
    engine?.close()
    engine = nil
    persistentStoreCoordinator = nil
    // A store that was moved has another in its place, for the same identities.
    if reference.store === self { reference.store = nil }
  }
}

/// A kind of store that a coordinator can open.
@_spi(Engines) public protocol StoreEngineType: AnyObject {
  /// Opens a store, making it when there is none.
  static func open(_ opening: StoreOpening) throws -> any StoreEngine
  /// A store's metadata, without opening it for work.
  static func metadata(at url: URL, options: [AnyHashable: Any]?) throws -> [String: Any]
  /// Replaces a store's metadata.
  static func setMetadata(
    _ metadata: [String: Any], at url: URL, options: [AnyHashable: Any]?) throws
  /// Puts a copy of a store in the place of another, or where none was.
  static func replace(
    at url: URL, withStoreAt source: URL, options: [AnyHashable: Any]?) throws
  /// Empties a store, and removes what belongs to it.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws
  /// Makes a store of one model out of a store of another by inference, without objects, where no store
  /// is yet.
  ///
  /// - Returns: false when such stores can't be migrated so; nothing was made then.
  static func migrate(
    storeAt source: URL, of oldModel: NSManagedObjectModel, toStoreAt url: URL,
    of newModel: NSManagedObjectModel, progress: Progress
  ) throws -> Bool
}

@_spi(Engines) extension StoreEngineType {
  /// False: such stores are migrated object by object.
  public static func migrate(
    storeAt source: URL, of oldModel: NSManagedObjectModel, toStoreAt url: URL,
    of newModel: NSManagedObjectModel, progress: Progress
  ) throws -> Bool { false }
}
