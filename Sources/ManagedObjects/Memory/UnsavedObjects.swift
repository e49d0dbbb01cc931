/// A context's inserted, updated and deleted objects, since the last save and in the current event.
///
/// A context is used by one thread at a time, and appending to these lists calls no client code. Exclusivity checks
/// would cost as much as the appending.
final class UnsavedObjects {
  @exclusivity(unchecked) fileprivate var inserted: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var updated: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var deleted: [NSManagedObject] = []
  @exclusivity(unchecked) fileprivate var event = NSManagedObjectContext.PendingEvent()
  @exclusivity(unchecked) fileprivate var noticesTurns: Bool
  /// How many deletions at the front of the list have been propagated.
  fileprivate var propagatedCount = 0
  /// Where the deletions of each entity begin, so that a fetch of one doesn't visit those of all others.
  fileprivate var deletedBeginnings = UnsavedIndex.Beginnings()
  /// Whether a to-many relationship has an object among its members that is deleted here: it was read from the store, or
  /// set, after the deletion had cleared relationships.
  var hasDeletedMembers = false
  /// Whether the context has ever been observed.
  let isObserved = WatchFlag()
  /// Finds the objects in the lists by their values; nil until that is needed, and when something has left the lists.
  var index: UnsavedIndex?

  init(noticesTurns: Bool) { self.noticesTurns = noticesTurns }
}

extension NSManagedObjectContext {
  /// The objects inserted since the last save, possibly including some whose insertion was undone.
  @inline(__always)
  final var inserted: [NSManagedObject] {
    get { unsaved.inserted }
    _modify {
      let count = unsaved.inserted.count
      yield &unsaved.inserted
      if unsaved.inserted.count <= count { unsaved.index = nil }
    }
  }

  /// The objects changed since the last save, possibly including some that no longer have changes.
  @inline(__always)
  final var updated: [NSManagedObject] {
    get { unsaved.updated }
    _modify {
      let count = unsaved.updated.count
      yield &unsaved.updated
      if unsaved.updated.count <= count { unsaved.index = nil }
    }
  }

  /// The objects deleted since the last save.
  @inline(__always)
  final var deleted: [NSManagedObject] {
    get { unsaved.deleted }
    _modify {
      let count = unsaved.deleted.count
      yield &unsaved.deleted
      if unsaved.deleted.count <= count {
        unsaved.propagatedCount = 0
        unsaved.deletedBeginnings = UnsavedIndex.Beginnings()
      }
    }
  }

  /// The first place in ``deleted`` of an object that is of one of the entities that are meant.
  final func firstDeleted(where isMeant: (EntityLayout) -> Bool) -> Int? {
    unsaved.deletedBeginnings.first(in: unsaved.deleted, where: isMeant)
  }

  /// How many deletions at the front of ``deleted`` have been propagated, so that an event that deletes one object doesn't
  /// visit all earlier deletions. Removing from the list resets it.
  final var propagatedCount: Int {
    get { unsaved.propagatedCount }
    set { unsaved.propagatedCount = newValue }
  }

  /// The objects changed in the current event.
  @inline(__always)
  final var event: PendingEvent {
    get { unsaved.event }
    _modify { yield &unsaved.event }
  }

  /// Whether the next change must schedule change processing for the end of the run loop turn: true for a main queue
  /// context in which nothing has happened this turn.
  @inline(__always)
  final var noticesTurns: Bool {
    get { unsaved.noticesTurns }
    _modify { yield &unsaved.noticesTurns }
  }
}
