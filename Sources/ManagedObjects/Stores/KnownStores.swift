/// A coordinator's stores as a context last saw them.
///
/// A request of a single row is so short that the locks and reference counts of what all contexts share would take a
/// good part of it as soon as several threads read. A context therefore keeps its own list, which holds until the
/// coordinator counts a change of its stores.
final class KnownStores {
  // Not Sendable: it belongs to one context, and is used on its queue.

  let coordinator: NSPersistentStoreCoordinator
  /// The stores, in the coordinator's order.
  let parts: [Part]
  private let version: Int

  /// A store, and what a context needs to read it.
  final class Part {
    let store: NSPersistentStore
    let reference: StoreReference
    let readers: ReaderPool?
    /// The connection that the context's last request used.
    fileprivate(set) var slot: ReaderSlot?

    init(_ store: NSPersistentStore) {
      self.store = store
      reference = store.reference
      readers = store.readers
    }

    /// Takes a connection for one request, preferably the one used last; nil if none is available.
    func takeReader(of pool: ReaderPool) -> ReaderSlot? {
      if let slot, pool.take(slot) { return slot }
      let taken = pool.take()
      slot = taken
      return taken
    }
  }

  init(_ coordinator: NSPersistentStoreCoordinator) {
    self.coordinator = coordinator
    // Before the list is read: a change meanwhile makes the list stale, at worst without need.
    version = coordinator.storesLock.version
    parts = coordinator.persistentStores.map(Part.init)
  }

  /// Whether nothing has changed since.
  ///
  /// A subclass may compute its stores, so that their changes aren't counted.
  var isCurrent: Bool {
    version == coordinator.storesLock.version
      && type(of: coordinator) == NSPersistentStoreCoordinator.self
  }

  /// The part of a store; nil for one that was removed or belongs to another coordinator.
  func part(of reference: StoreReference) -> Part? {
    for part in parts where part.reference === reference { return part }
    return nil
  }
}
