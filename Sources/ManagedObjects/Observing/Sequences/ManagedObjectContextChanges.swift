import Foundation

/// A context's inserted, updated, deleted and refreshed objects, by object ID.
///
/// ```swift
/// for await changes in context.saves {
///   print(changes.inserted.count, changes.updated.count, changes.deleted.count)
/// }
/// ```
public struct ManagedObjectChanges: Hashable, Sendable {
  /// The inserted objects. Their IDs are temporary until a save.
  public internal(set) var inserted: Set<NSManagedObjectID> = []
  /// The updated objects.
  public internal(set) var updated: Set<NSManagedObjectID> = []
  /// The deleted objects.
  public internal(set) var deleted: Set<NSManagedObjectID> = []
  /// The objects whose values were reloaded, or will be, because another writer changed them.
  public internal(set) var refreshed: Set<NSManagedObjectID> = []
  /// Whether the context has forgotten all its objects in `reset()`.
  public internal(set) var isReset = false

  /// Merges later changes, as if all had been made at once.
  mutating func add(_ later: ManagedObjectChanges) {
    if later.isReset { self = ManagedObjectChanges() }
    // What was inserted under a temporary ID may have been saved since.
    takePermanentIDs()
    var later = later
    later.takePermanentIDs()
    isReset = isReset || later.isReset
    // What was deleted and is back was known before.
    let back = deleted.intersection(later.inserted)
    inserted.formUnion(later.inserted.subtracting(back))
    updated.formUnion(later.updated.subtracting(inserted))
    refreshed.formUnion(later.refreshed.union(back))
    deleted.subtract(back)
    // An object inserted and deleted since the last delivery needn't be reported.
    deleted.formUnion(later.deleted.subtracting(inserted))
    inserted.subtract(later.deleted)
    updated.subtract(later.deleted)
    refreshed.subtract(later.deleted)
  }

  /// Replaces temporary IDs of objects that have been saved since.
  private mutating func takePermanentIDs() {
    for list in [\Self.inserted, \.updated, \.deleted, \.refreshed]
    where self[keyPath: list].contains(where: \.isTemporary) {
      self[keyPath: list] = Set(self[keyPath: list].map { $0.successor ?? $0 })
    }
  }

  var isEmpty: Bool {
    inserted.isEmpty && updated.isEmpty && deleted.isEmpty && refreshed.isEmpty && !isReset
  }
}

/// An asynchronous sequence of a context's changes; see ``NSManagedObjectContext/changes``.
public struct ManagedObjectContextChanges: AsyncSequence, Sendable {
  /// The changes.
  public typealias Element = ManagedObjectChanges

  let context: NSManagedObjectContext
  let isOfSaves: Bool

  /// Starts observing.
  public func makeAsyncIterator() -> Iterator { Iterator(context, isOfSaves) }

  /// The iterator. It observes the context as long as it exists.
  public struct Iterator: AsyncIteratorProtocol {
    private let observers = NotificationObservers()
    private var reader: Mailbox<ManagedObjectChanges>.Reader

    init(_ context: NSManagedObjectContext, _ isOfSaves: Bool) {
      let mailbox = Mailbox<ManagedObjectChanges>()
      reader = mailbox.makeReader()
      let name: Notification.Name =
        isOfSaves ? .NSManagedObjectContextDidSave : .NSManagedObjectContextObjectsDidChange
      observers.add(name, from: context) { notification in
        let changes = ManagedObjectChanges(notification.userInfo ?? [:])
        guard !changes.isEmpty else { return }
        mailbox.put { $0 = $0.map { before in before.with(changes) } ?? changes }
      }
    }

    /// All changes since the last call, merged; suspends until there are any. Nil once the task is cancelled.
    public mutating func next() async -> ManagedObjectChanges? { await reader.next() }
  }
}

extension ManagedObjectChanges {
  fileprivate func with(_ later: ManagedObjectChanges) -> ManagedObjectChanges {
    var sum = self
    sum.add(later)
    return sum
  }

  /// Creates the changes of a notification.
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

/// Supplies members that Core Data's contexts don't have, so that a program's own subclasses and extensions may declare
/// members of the same names. Don't adopt this protocol.
public protocol ManagedObjectContextWatching {}

extension NSManagedObjectContext: ManagedObjectContextWatching {}

extension ManagedObjectContextWatching where Self: NSManagedObjectContext {
  /// The context's changes, delivered each time it processes changes, including unsaved ones.
  ///
  /// ```swift
  /// for await changes in context.changes {
  ///   print("\(changes.inserted.count) came, \(changes.deleted.count) went")
  /// }
  /// ```
  ///
  /// Changes that occur while the loop is busy are merged and delivered as one in its next iteration, so that nothing
  /// is lost and no queue grows. The sequence ends only when the task is cancelled. Observation starts and ends with
  /// the loop. Several loops may run concurrently; each has its own state.
  public var changes: ManagedObjectContextChanges {
    ManagedObjectContextChanges(context: self, isOfSaves: false)
  }

  /// The context's saves, delivered each time it saves; otherwise like ``changes``. The object IDs are permanent.
  public var saves: ManagedObjectContextChanges {
    ManagedObjectContextChanges(context: self, isOfSaves: true)
  }
}
