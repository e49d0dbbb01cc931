#if Publishers
  import Foundation
  import OpenCombine

  extension NSManagedObject: ObservableObject {
    /// Tells that the object is about to change.
    ///
    /// ```swift
    /// let token = person.objectWillChange.sink { list.setNeedsUpdate() }
    /// ```
    ///
    /// It sends before a value is set, on the thread that sets it, and before each other change of the same object; an
    /// undo and a change of a relationship's other side count. Of what a merge, a refresh or a rollback brings it
    /// tells when the values are here already. Each object has one publisher, made when it is first asked for;
    /// objects that nobody asks cost nothing.
    public var objectWillChange: ObservableObjectPublisher {
      ObjectPublishers.shared.publisher(of: self)
    }
  }

  /// The publishers of managed objects that were asked for.
  // Sendable: what may change is guarded by the lock.
  final class ObjectPublishers: @unchecked Sendable {
    static let shared = ObjectPublishers()

    private let lock = NSLock()

    private struct Entry {
      weak var object: NSManagedObject?
      let publisher: ObservableObjectPublisher
    }

    private var entries: [ObjectIdentifier: Entry] = [:]
    /// How many entries there may be before those of objects that are gone are looked for.
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

    /// Tells who listens to an object that it changes.
    func announceChange(of object: NSManagedObject) {
      let publisher = lock.withLock {
        let entry = entries[ObjectIdentifier(object)]
        return entry?.object === object ? entry?.publisher : nil
      }
      publisher?.send()
    }
  }
#endif
