import Synchronization

/// A store as identities know it: they outlive it.
@_spi(Engines) public final class StoreReference: @unchecked Sendable {
  /// The store's UUID.
  public var identifier: String {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }
  /// The names of the rows of a store of the program's own; set once, before there are identities.
  @exclusivity(unchecked) var table: ReferenceTable?
  /// The layouts of the rows' entities: who keeps the reference keeps them.
  private let layouts: ModelLayout?
  /// Whether the rows come of an engine of another package: they are checked. Set once, before there are rows.
  @exclusivity(unchecked) var isForeign = false
  private let name: Mutex<String>
  private let lock = Mutex<WeakStore>(WeakStore())

  private struct WeakStore: @unchecked Sendable { weak var store: NSPersistentStore? }

  /// Makes the reference of a store that is being opened.
  ///
  /// - Parameters:
  ///   - identifier: the store's UUID, or what else tells it from all others.
  ///   - layouts: the layouts of the model, as the store was opened with them.
  public init(identifier: String, layouts: ModelLayout?) {
    name = Mutex(identifier)
    self.layouts = layouts
  }

  /// The store, while it is there.
  public internal(set) var store: NSPersistentStore? {
    get { lock.withLock { $0.store } }
    set { lock.withLock { $0.store = newValue } }
  }

  /// Whether an entity is of the model whose rows the store has.
  func knows(_ layout: EntityLayout) -> Bool { layouts?[layout.entity] === layout }
}
