import Foundation

/// The objects of a context that came, changed and went, by their identities.
public struct ManagedObjectChanges: Hashable, Sendable {
  /// Those that were inserted. Until a save their identities are temporary.
  public internal(set) var inserted: Set<NSManagedObjectID> = []
  /// Those that were changed.
  public internal(set) var updated: Set<NSManagedObjectID> = []
  /// Those that were deleted.
  public internal(set) var deleted: Set<NSManagedObjectID> = []
  /// Those whose values were read anew, or will be, as others changed them.
  public internal(set) var refreshed: Set<NSManagedObjectID> = []
  /// Whether the context forgot all of its objects, by `reset()`.
  public internal(set) var isReset = false

  /// Takes later changes in, as if all of them had been made at once.
  mutating func add(_ later: ManagedObjectChanges) {
    if later.isReset { self = ManagedObjectChanges() }
    isReset = isReset || later.isReset
    inserted.formUnion(later.inserted)
    updated.formUnion(later.updated.subtracting(inserted))
    refreshed.formUnion(later.refreshed)
    deleted.subtract(later.inserted)
    // What nobody heard of needn't be heard of again.
    deleted.formUnion(later.deleted.subtracting(inserted))
    inserted.subtract(later.deleted)
    updated.subtract(later.deleted)
    refreshed.subtract(later.deleted)
  }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !isReset
  }
}

/// The changes of a context, as they are made; see ``NSManagedObjectContext/changes``.
public struct ManagedObjectContextChanges: AsyncSequence, Sendable {
  /// What is told.
  public typealias Element = ManagedObjectChanges

  let context: NSManagedObjectContext
  let isOfSaves: Bool

  /// Begins to listen.
  public func makeAsyncIterator() -> Iterator { Iterator(context, isOfSaves) }

  /// Who listens; the context is listened to as long as this is kept.
  public struct Iterator: AsyncIteratorProtocol {
    private let observers = NotificationObservers()
    private var reader: Mailbox<ManagedObjectChanges>.Reader

    init(_ context: NSManagedObjectContext, _ isOfSaves: Bool) {
      let mailbox = Mailbox<ManagedObjectChanges>()
      reader = mailbox.makeReader()
      let name: Notification.Name =
        isOfSaves ? .NSManagedObjectContextDidSave : .NSManagedObjectContextObjectsDidChange
      observers.add(name, context) { notification in
        let changes = ManagedObjectChanges(notification.userInfo ?? [:])
        guard !changes.isEmpty else { return }
        mailbox.put { $0 = $0.map { before in before.with(changes) } ?? changes }
      }
    }

    /// Everything that changed since the last time, put together; waits until there is something. Nil once the
    /// task is cancelled.
    public mutating func next() async -> ManagedObjectChanges? { await reader.next() }
  }
}

extension ManagedObjectChanges {
  fileprivate func with(_ later: ManagedObjectChanges) -> ManagedObjectChanges {
    var sum = self
    sum.add(later)
    return sum
  }

  /// What a notification tells.
  fileprivate init(_ userInfo: [AnyHashable: Any]) {
    func identities(_ key: String) -> Set<NSManagedObjectID> {
      Set((userInfo[key] as? Set<NSManagedObject> ?? []).map(\.objectID))
    }
    inserted = identities(NSInsertedObjectsKey)
    updated = identities(NSUpdatedObjectsKey)
    deleted = identities(NSDeletedObjectsKey)
    refreshed = identities(NSRefreshedObjectsKey)
    isReset = userInfo[NSInvalidatedAllObjectsKey] != nil
  }
}

extension NSManagedObjectContext {
  /// What changes in the context, each time it processes changes, unsaved ones too.
  ///
  /// ```swift
  /// for await changes in context.changes {
  ///   print("\(changes.inserted.count) came, \(changes.deleted.count) went")
  /// }
  /// ```
  ///
  /// Changes that come while the loop is busy are put together: the next turn gets all of them as one, so that
  /// nothing is lost and no queue grows. The sequence never ends by itself; it ends when the task is cancelled.
  /// Listening begins with the loop, and ends with it. Several may listen; each has its own.
  public final var changes: ManagedObjectContextChanges {
    ManagedObjectContextChanges(context: self, isOfSaves: false)
  }

  /// What the context saves, each time it does; as ``changes`` otherwise. The identities are lasting ones.
  public final var saves: ManagedObjectContextChanges {
    ManagedObjectContextChanges(context: self, isOfSaves: true)
  }
}
