import Synchronization

/// A store as identities know it: they outlive it.
final class StoreReference: @unchecked Sendable {
  /// The store's UUID.
  var identifier: String {
    get { name.withLock { $0 } }
    set { name.withLock { $0 = newValue } }
  }
  /// The names of the rows of a store of the program's own; set once, before there are identities.
  @exclusivity(unchecked) var table: ReferenceTable?
  /// The layouts of the rows' entities: who keeps the reference keeps them.
  private let layouts: ModelLayout?
  private let name: Mutex<String>
  private let lock = Mutex<WeakStore>(WeakStore())

  private struct WeakStore: @unchecked Sendable { weak var store: NSPersistentStore? }

  init(identifier: String, layouts: ModelLayout?) {
    name = Mutex(identifier)
    self.layouts = layouts
  }

  /// The store, while it is there.
  var store: NSPersistentStore? {
    get { lock.withLock { $0.store } }
    set { lock.withLock { $0.store = newValue } }
  }
}
