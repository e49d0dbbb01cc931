import Foundation
import ManagedModel

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
    /// A binary file.
    public static let binary = StoreType(rawValue: NSBinaryStoreType)
    /// An XML file.
    public static let xml = StoreType(rawValue: NSXMLStoreType)
  }

  /// The coordinator; nil after the store was removed.
  public internal(set) final weak var persistentStoreCoordinator: NSPersistentStoreCoordinator?
  /// The name of the model's configuration whose entities the store holds;
  /// `PF_DEFAULT_CONFIGURATION_NAME` for all.
  public final let configurationName: String
  /// The options the store was opened with.
  public final let options: [AnyHashable: Any]?
  /// Where the store is.
  public final let url: URL?
  /// The kind of store, such as ``NSSQLiteStoreType``.
  public final let type: String

  package final let reference: StoreReference
  private final var engine: (any StoreEngine)?
  private final let entityNames: Set<String>?

  init(
    _ opening: StoreOpening, type: String, engine: any StoreEngine,
    coordinator: NSPersistentStoreCoordinator
  ) {
    self.type = type
    self.engine = engine
    url = opening.url
    options = opening.options
    configurationName = opening.configuration ?? Self.defaultConfiguration
    entityNames = opening.entityNames
    persistentStoreCoordinator = coordinator
    reference = engine.reference
    super.init()
    reference.store = self
  }

  /// The name that stands for "all entities".
  static let defaultConfiguration = "PF_DEFAULT_CONFIGURATION_NAME"

  /// The store's UUID.
  public final var identifier: String { reference.identifier }

  /// Whether writing is refused.
  public final var isReadOnly: Bool { engine?.isReadOnly ?? true }

  /// The metadata; changes are written with the next save.
  public final var metadata: [String: Any] {
    get { engine?.metadata ?? [:] }
    set { engine?.metadata = newValue }
  }

  /// Whether rows of an entity belong here.
  final func holds(_ layout: EntityLayout) -> Bool {
    entityNames?.contains(layout.name) ?? true
  }

  package final func requireEngine() throws -> any StoreEngine {
    guard let engine else {
      throw CoreDataError.make(
        NSPersistentStoreOperationError, "The store was removed from its coordinator.")
    }
    return engine
  }

  final func close() {
    engine?.close()
    engine = nil
    persistentStoreCoordinator = nil
  }
}

/// What a store is opened with.
package struct StoreOpening {
  /// Where it is; nil only for a store in memory.
  package let url: URL?
  /// The whole model, whose layouts the rows have.
  package let model: NSManagedObjectModel
  /// The layouts of the model's entities.
  package let layouts: ModelLayout
  /// The configuration's name; nil for all entities.
  package let configuration: String?
  /// The names of the configuration's entities; nil for all.
  package let entityNames: Set<String>?
  /// The options, by name.
  package let options: [AnyHashable: Any]?
  /// The store as identities know it already, if this is the same store at another place.
  package var reference: StoreReference?
}

/// A kind of store that a coordinator can open.
package protocol StoreEngineType: AnyObject {
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
  /// Removes a store and everything that belongs to it.
  static func destroy(at url: URL, options: [AnyHashable: Any]?) throws
}
