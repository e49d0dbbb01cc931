import Synchronization

/// A store as referenced by object IDs, which outlive it.
@_spi(Engines) public final class StoreReference: @unchecked Sendable {
  // Sendable: what may change is behind a lock, or set once while the store is being opened.

  /// The store's UUID.
  public var identifier: String {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }
  /// The reference objects of the rows of a client-defined store; set once, before there are identities.
  @exclusivity(unchecked) var table: ReferenceTable?
  /// The layouts of the rows' entities, kept alive by this reference.
  private let layouts: ModelLayout?
  /// Whether the rows come from an engine in another package, and must be checked. Set once, before there are rows.
  @exclusivity(unchecked) var isForeign = false
  /// The last object number that was reserved in a store that is read and written as a whole: only a save writes it.
  var lastReservedKey: Int64 {
    get { key.withLock { $0 } }
    set { key.withLock { $0 = newValue } }
  }
  private let name: Mutex<String>
  private let key = Mutex<Int64>(0)
  private let lock = Mutex<WeakStore>(WeakStore())

  // Sendable: used within the mutex; stores are so themselves.
  private struct WeakStore: @unchecked Sendable { weak var store: NSPersistentStore? }

  /// Creates the reference of a store that is being opened.
  ///
  /// - Parameters:
  ///   - identifier: the store's UUID, or another unique identifier.
  ///   - layouts: the layouts of the model that the store was opened with.
  public init(identifier: String, layouts: ModelLayout?) {
    name = Mutex(identifier)
    self.layouts = layouts
  }

  /// The store; nil once it is gone.
  public internal(set) var store: NSPersistentStore? {
    get { lock.withLock { $0.store } }
    set { lock.withLock { $0.store = newValue } }
  }

  /// Whether an entity belongs to the model of the store's rows.
  func knows(_ layout: EntityLayout) -> Bool { layouts?[layout.entity] === layout }
}
