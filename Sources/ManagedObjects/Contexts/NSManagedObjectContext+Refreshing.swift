import DataModels

/// Objects brought up to date with the store.
extension NSManagedObjectContext {
  /// What ``refresh(_:mergeChanges:)`` does.
  final func bringUpToDate(_ object: NSManagedObject, mergeChanges flag: Bool) {
    checkQueue()
    takeLastingIdentities()
    guard object.context === self else { return }
    if object.state.contains(.inserted) {
      if !flag { takeInsertionBack(of: object) }
      return
    }
    // What has no row stays deleted, unless the row is there again.
    if object.state.contains(.inaccessible), (try? isInStore(object)) != true {
      if !flag { turnIntoFault(object) }
      return
    }
    event.refreshed.append(object)
    if noticesTurns { noticeTurn() }
    if flag, object.hasChanges, !object.state.contains(.inaccessible) {
      rebase(object)
      // What fetched properties gave is asked again, by the values as they are now.
      object.scratch?.fetched = [:]
      object.awake(fromSnapshotEvents: .refresh)
      return
    }
    if !flag || object.state.contains(.inaccessible) { dropChanges(of: object) }
    turnIntoFault(object)
  }

  /// Whether an object's row is there, which isn't taken in.
  private final func isInStore(_ object: NSManagedObject) throws -> Bool {
    try !isUnused(object.identity) && source.fetchRow(object.identity, into: RowCollector())
  }

  /// What ``refreshAllObjects()`` does.
  final func bringAllUpToDate() {
    for object in identityMap.objects { refresh(object, mergeChanges: true) }
  }

  /// Has nothing of an object be saved.
  final func dropChanges(of object: NSManagedObject) {
    let state = object.state
    object.state.subtract([.updated, .deleted, .propagated, .inaccessible, .changedInEvent])
    if !state.isDisjoint(with: [.updated, .deleted]) { stopSaving(object) }
    if state.contains(.deleted) { event.deleted.removeAll { $0 === object } }
    if state.contains(.changedInEvent) { event.changed.removeAll { $0 === object } }
  }

  /// Takes an object whose changes were dropped off the lists of what is to be saved: its next change enters it
  /// again, and it would be written twice.
  final func stopSaving(_ object: NSManagedObject) {
    updated.removeAll { $0 === object }
    deleted.removeAll { $0 === object }
  }

  /// Has an object that was never saved be inserted no more: whoever was told of it hears of it as deleted.
  private final func takeInsertionBack(of object: NSManagedObject) {
    if !object.state.contains(.insertedInEvent) { event.takenBack.append(object) }
    inserted.removeAll { $0 === object }
    event.inserted.removeAll { $0 === object }
    object.state.subtract([.inserted, .insertedInEvent])
    dropChanges(of: object)
    noteUnusedIdentity(of: object)
    if noticesTurns { noticeTurn() }
    turnIntoFault(object)
    // Whoever still refers to it must not take it for a row's.
    object.state.formUnion([.deleted, .propagated, .inaccessible])
  }

  final func turnIntoFault(_ object: NSManagedObject) {
    object.state.remove(.guarded)
    guard !object.isFault || object.state.contains(.rowAtHand) else {
      // A fault may know its relationships and fetched properties: reading one doesn't fire it.
      object.scratch?.fetched = [:]
      for members in object.toManys { members?.forget() }
      return
    }
    object.willTurnIntoFault()
    object.becomeFault()
    for members in object.membersBySlot { members?.forget() }
    object.didTurnIntoFault()
  }

  /// Makes an object that was deleted elsewhere, and is in the store again, a fault like any other.
  final func revive(_ object: NSManagedObject) {
    object.state.subtract([.deleted, .propagated, .inaccessible])
    turnIntoFault(object)
  }

  // MARK: Changes on top of the store's

  /// Puts an object's unsaved changes on top of the row and the destinations as the store has them now.
  final func rebase(_ object: NSManagedObject) {
    guard !object.isFault else { return }
    do {
      let collector = RowCollector()
      guard try source.fetchRow(object.identity, into: collector), let row = collector.rows.first
      else { return }
      var stored: [(PropertyLayout, [NSManagedObject])] = []
      for property in object.layout.toManys {
        guard object.touchedMembers?[property.slot]?.isLoaded == true else { continue }
        stored.append((property, try storedMembers(of: object, property)))
      }
      rebase(object, on: row)
      for (property, objects) in stored { object.rebaseMembers(property, on: objects) }
    } catch {
      noteFaultingError(error)
    }
  }

  private final func rebase(_ object: NSManagedObject, on row: StoredRow) {
    let (before, present, event) = (object.committed, object.values, object.eventValues)
    let stored = object.ownValues(ofRow: row.values)
    var values = stored
    for property in object.layout.values where property.isTransient || object.hasChanged(property) {
      values[property.slot] = present[property.slot]
    }
    object.values = values
    object.committed = stored
    object.version = row.version
    guard var event, !before.isEmpty else { return }
    // Taking the present event back must leave alone what others changed.
    for slot in event.indices where slot < before.count && event[slot] == before[slot] {
      event[slot] = stored[slot]
    }
    object.eventValues = event
  }
}

extension NSManagedObject {
  /// Puts what was changed of a to-many relationship on top of what the store has now.
  final func rebaseMembers(_ property: PropertyLayout, on stored: [NSManagedObject]) {
    let members = members(property)
    let event = scratch?.membersBeforeEvent[property.slot]
    if var event, event.isLoaded {
      let merge = MemberMerge(
        from: members.committedObjects, to: event.objects, isOrdered: property.isOrdered)
      event.objects = merge.applied(to: stored)
      scratch?.membersBeforeEvent[property.slot] = event
    }
    let known = isDeleted ? members.committedObjects : []
    members.rebase(on: stored)
    leaveOutMoved(property, stored, besides: known)
  }

  /// Leaves out of a to-many relationship what the store has there, but was given to another owner here.
  ///
  /// - Parameter known: members of a deleted object that stay if they lead nowhere, as its deletion has led them:
  ///   when that is undone they lead here again.
  final func leaveOutMoved(
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
        touchedMembers?[property.slot]?.leaveOut(target)
        continue
      }
    }
  }
}
