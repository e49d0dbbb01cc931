#if Publishers
  import Foundation
  import OpenCombine

  extension NSManagedObject: ObservableObject {
    /// A publisher that emits before the object changes.
    ///
    /// ```swift
    /// let token = person.objectWillChange.sink { list.setNeedsUpdate() }
    /// ```
    ///
    /// It emits before a value is set, on the thread that sets it, and before every other change of the object,
    /// including an undo and a change through the inverse of a relationship. For a merge, a refresh or a rollback it
    /// emits after the values have changed. Each object has one publisher, created on first access; objects whose
    /// publisher isn't used have no overhead.
    public var objectWillChange: ObservableObjectPublisher {
      ObjectPublishers.shared.publisher(of: self)
    }
  }

  /// The publishers of managed objects, created on demand.
  // Sendable: mutable state is guarded by the lock.
  final class ObjectPublishers: @unchecked Sendable {
    static let shared = ObjectPublishers()

    private let lock = NSLock()

    private struct Entry {
      weak var object: NSManagedObject?
      let publisher: ObservableObjectPublisher
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// The number of entries at which those of deallocated objects are removed.
    private var limit = 64

    func publisher(of object: NSManagedObject) -> ObservableObjectPublisher {
      let publisher = lock.withLock {
        let id = ObjectIdentifier(object)
        if let entry = entries[id], entry.object === object { return entry.publisher }
        if entries.count >= limit {
          entries = entries.filter { $0.value.object != nil }
          limit = max(64, 2 * entries.count)
        }
        let publisher = ObservableObjectPublisher()
        entries[id] = Entry(object: object, publisher: publisher)
        return publisher
      }
      object.state.insert(.observed)
      NSManagedObjectContext.hasWatchers.set()
      return publisher
    }

    /// Publishes that an object is about to change.
    func announceChange(of object: NSManagedObject) {
      let publisher = lock.withLock {
        let entry = entries[ObjectIdentifier(object)]
        return entry?.object === object ? entry?.publisher : nil
      }
      publisher?.send()
    }
  }
#endif
