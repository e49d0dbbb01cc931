import Synchronization

/// The saves that a context is going to merge by itself, collected until its queue comes to them.
///
/// With many contexts, each save reaches each of them: one block for each save and context would keep all threads busy
/// with waiting for each other.
final class ArrivingSaves: Sendable {
  private let saves = Mutex<[ChangedObjectIDs]>([])

  /// Adds a save; returns whether it is the first one since ``takeAll()``, so that somebody must call that.
  func add(_ changes: ChangedObjectIDs) -> Bool {
    saves.withLock {
      $0.append(changes)
      return $0.count == 1
    }
  }

  /// The saves since the last call, in order.
  func takeAll() -> [ChangedObjectIDs] {
    saves.withLock { saves in
      defer { saves = [] }
      return saves
    }
  }
}
