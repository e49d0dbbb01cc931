import DataModels

/// Refreshing objects from the store.
extension NSManagedObjectContext {
  /// The implementation of ``refresh(_:mergeChanges:)``.
  final func performRefresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    checkQueue()
    adoptPermanentIDs()
    guard object.context === self else { return }
    defer { tellObservers(isWithinEvent: true) }
    if object.state.contains(.inserted) {
      if !flag { revertInsertion(of: object) }
      return
    }
    // An object without a row stays deleted, unless the row exists again.
    if object.state.contains(.inaccessible), (try? isInStore(object)) != true {
      if !flag { turnIntoFault(object) }
      return
    }
    noteRefreshed(object)
    if flag, object.hasChanges, !object.state.contains(.inaccessible) {
      rebase(object)
      // Fetched properties are fetched again, with the current values.
      object.scratch?.fetched = [:]
      object.awake(fromSnapshotEvents: .refresh)
      return
    }
    if !flag || object.state.contains(.inaccessible) { dropChanges(of: object) }
    turnIntoFault(object)
  }

  /// Records an object for the next notification of changes.
  final func noteRefreshed(_ object: NSManagedObject) {
    event.refreshed.append(object)
    if noticesTurns { noticeTurn() }
  }

  /// Whether an object's row exists, without loading it into the object.
  final func isInStore(_ object: NSManagedObject) throws -> Bool {
    try !isUnused(object.identity) && source.fetchRow(object.identity, into: RowCollector())
  }

  /// The implementation of ``refreshAllObjects()``.
  final func performRefreshAll() {
    for object in identityMap.objects { refresh(object, mergeChanges: true) }
  }

  /// Discards an object's changes, so that nothing of it is saved.
  final func dropChanges(of object: NSManagedObject) {
    noteDroppedSides(of: object)
    let state = object.state
    object.state.subtract([.updated, .deleted, .propagated, .inaccessible, .changedInEvent])
    if !state.isDisjoint(with: [.updated, .deleted]) { stopSaving(object) }
    if state.contains(.deleted) { event.deleted.removeAll { $0 === object } }
    if state.contains(.changedInEvent) {
      event.changed.removeAll { $0 === object }
      event.isPartial = true
    }
  }

  /// Discards the changes of many objects, searching the lists of changes once for all of them.
  final func dropChanges(of objects: [NSManagedObject]) {
    guard objects.count > 1 else { return objects.forEach { dropChanges(of: $0) } }
    var dropped: Set<ObjectIdentifier> = []
    var deletions: Set<ObjectIdentifier> = []
    var changes: Set<ObjectIdentifier> = []
    for object in objects {
      noteDroppedSides(of: object)
      let (state, place) = (object.state, ObjectIdentifier(object))
      object.state.subtract([.updated, .deleted, .propagated, .inaccessible, .changedInEvent])
      if !state.isDisjoint(with: [.updated, .deleted]) { dropped.insert(place) }
      if state.contains(.deleted) { deletions.insert(place) }
      if state.contains(.changedInEvent) { changes.insert(place) }
    }
    if !dropped.isEmpty {
      updated.removeAll { dropped.contains(ObjectIdentifier($0)) }
      deleted.removeAll { dropped.contains(ObjectIdentifier($0)) }
    }
    if !deletions.isEmpty {
      event.deleted.removeAll { deletions.contains(ObjectIdentifier($0)) }
    }
    if !changes.isEmpty {
      event.changed.removeAll { changes.contains(ObjectIdentifier($0)) }
      event.isPartial = true
    }
  }

  /// Removes an object whose changes were discarded from the lists of changes to save. Its next change adds it again;
  /// otherwise it would be written twice.
  final func stopSaving(_ object: NSManagedObject) {
    updated.removeAll { $0 === object }
    deleted.removeAll { $0 === object }
  }

  /// Cancels the insertion of an object that was never saved. Observers that were notified of the insertion are
  /// notified of a deletion.
  private final func revertInsertion(of object: NSManagedObject) {
    if !object.state.contains(.insertedInEvent) { event.takenBack.append(object) }
    inserted.removeAll { $0 === object }
    event.inserted.removeAll { $0 === object }
    object.state.subtract([.inserted, .insertedInEvent])
    dropChanges(of: object)
    noteUnusedIdentity(of: object)
    if noticesTurns { noticeTurn() }
    becomeGone(object)
  }

  /// Makes an object one without a row, for good: remaining references must not mistake it for a row's object.
  final func becomeGone(_ object: NSManagedObject) {
    turnIntoFault(object)
    object.state.formUnion([.deleted, .propagated, .inaccessible])
    saveDoubts.insert(.vanishedObjects)
  }

  final func turnIntoFault(_ object: NSManagedObject) {
    object.state.remove(.guarded)
    guard !object.isFault || object.state.contains(.rowAtHand) else {
      // A fault may have loaded relationships and fetched properties: reading one doesn't fire it.
      object.scratch?.fetched = [:]
      for members in object.toManys { members?.forget() }
      return
    }
    // What has never fired isn't told: it has never awoken either.
    let isAwake = !object.isFault
    if isAwake { object.willTurnIntoFault() }
    object.becomeFault()
    for members in object.membersBySlot { members?.forget() }
    if isAwake { object.didTurnIntoFault() }
  }

  // MARK: Rebasing changes

  /// Reapplies an object's unsaved changes to the current row and destinations in the store.
  final func rebase(_ object: NSManagedObject) {
    // One-to-one destinations are refreshed, too, and may lead back.
    guard !object.isFault, !object.state.contains(.rebases) else { return }
    object.state.insert(.rebases)
    defer { object.state.remove(.rebases) }
    do {
      let collector = RowCollector()
      guard try source.fetchRow(object.identity, into: collector), let row = collector.rows.first
      else { return }
      var stored: [(PropertyLayout, [NSManagedObject])] = []
      for property in object.layout.toManys {
        guard object.touchedMembers?[property.slot]?.isLoaded == true else { continue }
        // Faults among them, such as those refreshed before, have the values of the time when they fire.
        stored.append((property, try storedMembers(of: object, property, takingValues: false)))
      }
      // What stays one to one against another writer's change must stay so on both sides.
      let resolution = VersionResolution(.mergeByPropertyObjectTrumpMergePolicyType)
      let kept = try resolution.referencesKept(
        by: object, against: object.ownValues(ofRow: row.values), self)
      // The deletion of a newer row reaches what another writer has related to it.
      if object.awaitsDeletion, object.version != row.version {
        // What is done in a merge can't be undone. If the deletion is, nothing has been done to others' objects.
        if isMerging, undoManager?.canUndo == true {
          deletedMeanwhile.append(object)
        } else {
          propagateAgain(object)
        }
      }
      rebase(object, on: row)
      for (property, objects) in stored { object.rebaseMembers(property, on: objects) }
      for reference in kept where reference.property.inverse?.isToMany == false {
        resolution.settle(reference, of: object, self)
      }
    } catch {
      noteFaultingError(error)
    }
  }

  private final func rebase(_ object: NSManagedObject, on row: StoredRow) {
    let (before, present, event) = (object.committed, object.values, object.eventValues)
    let stored = object.ownValues(ofRow: row.values, keepingUnstored: true)
    var values = stored
    for property in object.layout.values where property.isTransient || object.hasChanged(property) {
      values[property.slot] = present[property.slot]
    }
    object.values = values
    object.committed = stored
    object.version = row.version
    guard var event, !before.isEmpty else { return }
    // Undoing the current event must not affect what other writers changed.
    for slot in event.indices where slot < before.count && event[slot] == before[slot] {
      event[slot] = stored[slot]
    }
    object.eventValues = event
  }
}

extension NSManagedObject {
  /// Reapplies the changes to a to-many relationship to the destinations the store has now.
  final func rebaseMembers(_ property: PropertyLayout, on stored: [NSManagedObject]) {
    let members = members(property)
    if var event = members.contentsBeforeEvent, event.isLoaded {
      let merge = MemberMerge(
        from: members.committedObjects, to: event.objects, isOrdered: property.isOrdered)
      event.objects = merge.applied(to: stored)
      members.contentsBeforeEvent = event
    }
    let known = awaitsDeletion ? members.committedObjects : []
    let added = members.added
    members.rebase(on: stored)
    excludeMoved(property, stored, besides: known)
    addAgain(added, to: property)
  }

  /// Removes the members of a to-many relationship that the store still has there, but that were given to another
  /// owner in this context.
  ///
  /// - Parameter known: members of a deleted object that stay if they have no owner because of its deletion: undoing
  ///   the deletion restores them.
  final func excludeMoved(
    _ property: PropertyLayout, _ stored: [NSManagedObject], besides known: [NSManagedObject] = []
  ) {
    guard property.inverseIsToOne, let inverse = property.inverse, context?.updated.isEmpty == false
    else { return }
    let staying = Set(known.map(ObjectIdentifier.init))
    for target in stored
    where target.state.contains(.updated) && !target.isFault && target.hasChanged(inverse) {
      let owner = target.currentValue(at: inverse.slot).reference
      if owner == nil, staying.contains(ObjectIdentifier(target)) { continue }
      guard let owner, isObject(of: owner) else {
        touchedMembers?[property.slot]?.exclude(target)
        continue
      }
    }
  }
}
