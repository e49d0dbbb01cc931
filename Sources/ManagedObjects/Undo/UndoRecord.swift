import DataModels

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
    changes =
      inserted.compactMap { Change(insertionOf: $0) } + event.changed.compactMap { Change(of: $0) }
  }
}

extension UndoRecord.Change {
  /// What an event changed of an object that was there before; nil for nothing.
  fileprivate init?(of object: NSManagedObject) {
    guard let before = object.eventValues, !object.isFault else { return nil }
    let known = object.scratch?.membersBeforeEvent ?? [:]
    // A relationship that nobody had touched at the beginning, somebody may have since.
    let members = object.layout.toManys.compactMap { property in
      UndoRecord.Members(property, known[property.slot] ?? ToManyMembers.Contents(), of: object)
    }
    guard before != object.values || !members.isEmpty else { return nil }
    self.init(object: object, before: before, after: object.values, members: members)
  }

  /// The relationships of an object that was inserted, which the objects at their other ends have in
  /// their own records; nil for none. Its attributes stay with the object.
  fileprivate init?(insertionOf object: NSManagedObject) {
    guard !object.isFault else { return nil }
    let after = object.values
    var before = after
    for property in object.layout.toOnes { before[property.slot] = .null }
    let members = object.layout.toManys.compactMap { property in
      UndoRecord.Members(property, ToManyMembers.Contents(isLoaded: true), of: object)
    }
    guard before != after || !members.isEmpty else { return nil }
    self.init(object: object, before: before, after: after, members: members)
  }
}

extension UndoRecord.Members {
  /// The difference between what a relationship had and has; nil for none.
  fileprivate init?(
    _ property: PropertyLayout, _ old: ToManyMembers.Contents, of object: NSManagedObject
  ) {
    guard !object.toManys.isEmpty, let members = object.toManys[property.slot],
      let context = object.context
    else { return nil }
    // The order of what isn't loaded would be lost with the next load.
    if property.isOrdered, !members.isLoaded {
      guard members.hasChanges || !old.objects.isEmpty || !old.removed.isEmpty else { return nil }
      _ = object.loadedMembers(property)
    }
    let new = members.contents
    var (oldObjects, oldGone) = (old.objects, old.removedSet)
    if !old.isLoaded, new.isLoaded {
      // Loaded since: what the store has was there before, but for the changes known then.
      let added = old.objectSet
      oldObjects =
        members.committed.map { context.knownOrFault($0) }.filter {
          !oldGone.contains(ObjectIdentifier($0)) && !added.contains(ObjectIdentifier($0))
        } + old.objects
      oldGone = []
    }
    // Both lists, or both the changes on top of what the store has.
    let (oldIDs, newIDs) = (Set(oldObjects.map(ObjectIdentifier.init)), new.objectSet)
    let newGone = new.removedSet
    added =
      new.objects.filter { !oldIDs.contains(ObjectIdentifier($0)) }
      + (oldGone.isEmpty ? [] : old.removed.filter { !newGone.contains(ObjectIdentifier($0)) })
    removed =
      oldObjects.filter { !newIDs.contains(ObjectIdentifier($0)) }
      + new.removed.filter { !oldGone.contains(ObjectIdentifier($0)) }
    self.property = property
    let isSorted = property.isOrdered && new.isLoaded
    before = isSorted ? oldObjects : nil
    after = isSorted ? new.objects : nil
    if added.isEmpty, removed.isEmpty {
      guard isSorted, zip(oldObjects, new.objects).contains(where: { $0 !== $1 }) else {
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
