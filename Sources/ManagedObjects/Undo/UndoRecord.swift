import DataModels

/// The changes of one event in a context, for undo and redo.
///
/// Both sides of every relationship are recorded, so nothing here maintains inverses, but those of ``isPartial``.
struct UndoRecord {
  /// The added and removed destinations of a to-many relationship.
  struct Members {
    let property: PropertyLayout
    let added: [NSManagedObject]
    let removed: [NSManagedObject]
    /// All destinations before and after the event, if the relationship is ordered.
    let before: [NSManagedObject]?
    let after: [NSManagedObject]?

    var reversed: Members {
      Members(property: property, added: removed, removed: added, before: after, after: before)
    }
  }

  /// The changes of one object.
  struct Change {
    let object: NSManagedObject
    let before: [StoredValue]
    let after: [StoredValue]
    let members: [Members]

    var reversed: Change {
      Change(object: object, before: after, after: before, members: members.map(\.reversed))
    }

    /// Whether it has a relationship's change from, or to, a destination.
    func tells(of target: NSManagedObject, by property: PropertyLayout) -> Bool {
      guard object.layout.has(property) else { return false }
      guard property.isToMany else {
        let (old, new) = (before[property.slot], after[property.slot])
        return old != new
          && [old, new].contains { $0.reference.map(target.isObject(of:)) ?? false }
      }
      return members.contains { part in
        part.property === property && (part.added + part.removed).contains { $0 === target }
      }
    }
  }

  /// Objects that were inserted.
  var inserted: [NSManagedObject]
  /// Objects that were deleted.
  var deleted: [NSManagedObject]
  var changes: [Change]
  /// Whether changes of an object were discarded within the event, which then has only the other sides of its
  /// relationships.
  var isPartial = false

  var isEmpty: Bool { inserted.isEmpty && deleted.isEmpty && changes.isEmpty }

  /// The record that reverts this one.
  var reversed: UndoRecord {
    UndoRecord(
      inserted: deleted, deleted: inserted, changes: changes.map(\.reversed), isPartial: isPartial)
  }
}

extension UndoRecord {
  /// Creates the record of an event. Objects must still have their event values, those from its beginning.
  init(_ event: NSManagedObjectContext.PendingEvent) {
    // Objects inserted and deleted within the event need no undo.
    inserted = event.inserted.filter { !$0.awaitsDeletion }
    let wasThere = Set(event.inserted.map(ObjectIdentifier.init))
    deleted = event.deleted.filter {
      $0.awaitsDeletion && !$0.state.contains(.inaccessible)
        && !wasThere.contains(ObjectIdentifier($0))
    }
    changes =
      inserted.compactMap { Change(insertionOf: $0) } + event.changed.compactMap { Change(of: $0) }
    isPartial = event.isPartial
  }
}

extension UndoRecord.Change {
  /// The changes of an existing object in an event; nil if there are none.
  fileprivate init?(of object: NSManagedObject) {
    guard let before = object.eventValues, !object.isFault else { return nil }
    let members = object.layout.toManys.compactMap { UndoRecord.Members(changesOf: $0, of: object) }
    guard before != object.values || !members.isEmpty else { return nil }
    self.init(object: object, before: before, after: object.values, members: members)
  }

  /// The relationships of an inserted object, which the objects at their other ends have in their own records; nil if
  /// there are none. Its attributes stay with the object.
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
  /// What an event changed of a relationship; nil for nothing.
  fileprivate init?(changesOf property: PropertyLayout, of object: NSManagedObject) {
    guard !object.toManys.isEmpty, let members = object.toManys[property.slot] else { return nil }
    guard !property.isOrdered, let changes = members.journal?.changes else {
      // A relationship that nobody had touched at the beginning, somebody may have since.
      self.init(property, members.contentsBeforeEvent ?? ToManyMembers.Contents(), of: object)
      return
    }
    guard !changes.added.isEmpty || !changes.removed.isEmpty else { return nil }
    self.init(
      property: property, added: changes.added, removed: changes.removed, before: nil, after: nil)
  }

  /// The difference between what a relationship had and has; nil for none.
  fileprivate init?(
    _ property: PropertyLayout, _ old: ToManyMembers.Contents, of object: NSManagedObject
  ) {
    guard !object.toManys.isEmpty, let members = object.toManys[property.slot],
      let context = object.context
    else { return nil }
    // The order of unloaded destinations would be lost with the next load.
    if property.isOrdered, !members.isLoaded {
      guard members.hasChanges || !old.objects.isEmpty || !old.removed.isEmpty else { return nil }
      _ = object.loadedMembers(property)
    }
    let new = members.contents
    var (oldObjects, oldGone) = (old.objects, old.removedSet)
    if !old.isLoaded, new.isLoaded {
      // Loaded since then: the stored destinations were there before, except for the changes known at that time.
      let added = old.objectSet
      oldObjects =
        members.committed.map { context.knownOrFault($0) }.filter {
          !oldGone.contains(ObjectIdentifier($0)) && !added.contains(ObjectIdentifier($0))
        } + old.objects
      oldGone = []
    }
    // Compare both lists, or both sets of changes relative to the store.
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
  /// A snapshot of the destinations.
  struct Contents {
    var isLoaded = false
    /// All destinations if loaded, otherwise the added ones.
    var objects: [NSManagedObject] = []
    /// The removed destinations, if not loaded.
    var removed: [NSManagedObject] = []

    var objectSet: Set<ObjectIdentifier> { Set(objects.map(ObjectIdentifier.init)) }
    var removedSet: Set<ObjectIdentifier> { Set(removed.map(ObjectIdentifier.init)) }
  }
}
