import ManagedModel

/// What one event changed in a context, so that it can be taken back and made again.
///
/// Both sides of every relationship are recorded, so nothing here maintains inverses.
struct UndoRecord {
  /// The destinations of a to-many relationship that came and went.
  struct Members {
    let property: PropertyLayout
    let added: [NSManagedObject]
    let removed: [NSManagedObject]
    /// All of them before and after, of a relationship with an order.
    let before: [NSManagedObject]?
    let after: [NSManagedObject]?

    var reversed: Members {
      Members(property: property, added: removed, removed: added, before: after, after: before)
    }
  }

  /// The values of one object.
  struct Change {
    let object: NSManagedObject
    let before: [StoredValue]
    let after: [StoredValue]
    let members: [Members]

    var reversed: Change {
      Change(object: object, before: after, after: before, members: members.map(\.reversed))
    }
  }

  /// Objects that were not there before.
  var inserted: [NSManagedObject]
  /// Objects that were deleted.
  var deleted: [NSManagedObject]
  var changes: [Change]

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && changes.isEmpty }

  /// What takes back the taking back.
  var reversed: UndoRecord {
    UndoRecord(inserted: deleted, deleted: inserted, changes: changes.map(\.reversed))
  }
}

extension UndoRecord {
  /// What an event changed; objects must still have the values they had at its beginning.
  init(_ event: NSManagedObjectContext.PendingEvent) {
    // What came and went within the event needs no undo.
    inserted = event.inserted.filter { !$0.isDeleted }
    let wasThere = Set(event.inserted.map(ObjectIdentifier.init))
    deleted = event.deleted.filter {
      $0.isDeleted && !$0.state.contains(.inaccessible) && !wasThere.contains(ObjectIdentifier($0))
    }
    changes = event.changed.compactMap { object in
      guard let before = object.eventValues, !object.isFault else { return nil }
      let members = (object.scratch?.membersBeforeEvent ?? [:]).sorted { $0.key < $1.key }
        .compactMap { slot, before in
          Members(object.layout.toManys[slot], before, of: object)
        }
      // Relationships that nobody had touched at the beginning, and somebody did since.
      let untouched = object.layout.toManys.compactMap { property -> Members? in
        guard object.scratch?.membersBeforeEvent[property.slot] == nil else { return nil }
        return Members(property, ToManyMembers.Contents(), of: object)
      }
      guard before != object.values || !members.isEmpty || !untouched.isEmpty else { return nil }
      return Change(
        object: object, before: before, after: object.values, members: members + untouched)
    }
  }
}

extension UndoRecord.Members {
  /// The difference between what a relationship had and has; nil for none.
  init?(_ property: PropertyLayout, _ old: ToManyMembers.Contents, of object: NSManagedObject) {
    guard !object.toManys.isEmpty, let members = object.toManys[property.slot],
      let context = object.context
    else { return nil }
    let new = members.contents
    if old.isLoaded == new.isLoaded {
      // Both lists, or both the changes on top of what the store has.
      let (oldIDs, newIDs) = (old.objectSet, new.objectSet)
      let (oldGone, newGone) = (old.removedSet, new.removedSet)
      added =
        new.objects.filter { !oldIDs.contains(ObjectIdentifier($0)) }
        + old.removed.filter { !newGone.contains(ObjectIdentifier($0)) }
      removed =
        old.objects.filter { !newIDs.contains(ObjectIdentifier($0)) }
        + new.removed.filter { !oldGone.contains(ObjectIdentifier($0)) }
    } else {
      // Loaded since: what the store has was there before, but for the changes known then.
      let start = members.committed.map { context.object(with: $0) }
      let gone = old.removedSet
      let before = start.filter { !gone.contains(ObjectIdentifier($0)) } + old.objects
      let beforeIDs = Set(before.map(ObjectIdentifier.init))
      let newIDs = new.objectSet
      added = new.objects.filter { !beforeIDs.contains(ObjectIdentifier($0)) }
      removed = before.filter { !newIDs.contains(ObjectIdentifier($0)) }
    }
    self.property = property
    let isSorted = property.isOrdered && old.isLoaded && new.isLoaded
    before = isSorted ? old.objects : nil
    after = isSorted ? new.objects : nil
    if added.isEmpty, removed.isEmpty {
      guard isSorted, zip(old.objects, new.objects).contains(where: { $0 !== $1 }) else {
        return nil
      }
    }
  }
}

extension ToManyMembers {
  /// The destinations at a moment.
  struct Contents {
    var isLoaded = false
    /// All destinations when loaded, else the ones added.
    var objects: [NSManagedObject] = []
    /// The ones taken out, when not loaded.
    var removed: [NSManagedObject] = []

    var objectSet: Set<ObjectIdentifier> { Set(objects.map(ObjectIdentifier.init)) }
    var removedSet: Set<ObjectIdentifier> { Set(removed.map(ObjectIdentifier.init)) }
  }
}
