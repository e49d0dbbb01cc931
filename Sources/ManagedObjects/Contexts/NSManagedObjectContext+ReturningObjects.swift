/// Objects whose rows are gone, and there again: another writer has written them again, or this context is about to.
extension NSManagedObjectContext {
  /// Takes back the pending deletion of an object that the program inserts again. What the deletion's rules have done to
  /// others stays done.
  final func reinstate(_ object: NSManagedObject) {
    guard object.awaitsDeletion else { return }
    if object.state.contains(.inaccessible) {
      guard !object.isFault, object.hasStoredRow else { return }
      return reinsert(object)
    }
    let isToldOf = !event.deleted.contains { $0 === object }
    undelete(object)
    if isToldOf {
      // For undo, it is an insertion; the other sides are in no record.
      event.inserted.append(object)
      event.isPartial = true
      if noticesTurns { noticeTurn() }
    } else {
      event.deleted.removeAll { $0 === object }
    }
    dropDeletedDestinations(of: object)
    dropOneSided(object)
  }

  /// Inserts an object whose row is gone as a new one.
  final func reinsert(_ object: NSManagedObject) {
    insertAgain(object)
    if noticesTurns { noticeTurn() }
    leaveLostDestinations(of: object)
  }

  /// Ends the relationships of an object that is inserted again that its deletion has ended on the other side, or whose other
  /// side is gone.
  final func leaveLostDestinations(of object: NSManagedObject) {
    dropLostDestinations(of: object)
    dropOneSided(object)
    joinUnread(object)
  }

  /// Turns objects that were found to be gone, and that a fetch has found, into ordinary ones.
  final func reviveFound(_ objects: [NSManagedObject]) {
    guard saveDoubts.contains(.vanishedObjects) else { return }
    for object in objects where object.state.contains(.inaccessible) && object.context === self {
      revive(object)
    }
  }

  /// Turns an object that was deleted elsewhere, and exists in the store again, into an ordinary fault. What was related to
  /// it meanwhile still is.
  final func revive(_ object: NSManagedObject) {
    noteDroppedSides(of: object)
    let state = object.state
    object.state.subtract([.updated, .deleted, .propagated, .inaccessible, .changedInEvent])
    // Otherwise the next change would count as noted.
    if state.contains(.updated) { updated.removeAll { $0 === object } }
    if state.contains(.changedInEvent) {
      event.changed.removeAll { $0 === object }
      event.isPartial = true
    }
    turnIntoFault(object)
  }

  /// Turns an object that wasn't found into an ordinary fault if its row is there by now: a parent may have rolled back the
  /// deletion that was saved into it, or another writer have written the row again.
  @discardableResult
  final func reviveIfStored(_ object: NSManagedObject) -> Bool {
    guard object.state.contains(.inaccessible), object.context === self,
      (try? isInStore(object)) == true
    else { return false }
    revive(object)
    return true
  }

  /// Turns objects that weren't found, and that changes lead to or from, into ordinary ones if their rows are there by now.
  final func reviveDestinations() {
    guard saveDoubts.contains(.vanishedObjects) else { return }
    for object in pendingInserted + pendingUpdated where object.isOf(self) && !object.isFault {
      for property in object.layout.toOnes
      where property.inverse != nil && object.hasChanged(property) {
        let ends = [
          object.committedValue(at: property.slot), object.currentValue(at: property.slot),
        ]
        for target in ends.compactMap(\.reference).compactMap({ registered($0) }) {
          reviveIfStored(target)
        }
      }
      guard object.hasTouchedToManys else { continue }
      for property in object.layout.toManys where property.inverse != nil {
        guard let members = object.membersBySlot[property.slot] else { continue }
        for target in members.added + members.removedObjects { reviveIfStored(target) }
      }
    }
  }

  /// Relates objects whose deletion was saved and undone to the rows that still lead to them, because the deletion's rule was
  /// to do nothing.
  ///
  /// - Throws: errors of the store when it is asked for these rows.
  final func completeReturning() throws {
    guard parent == nil, saveDoubts.contains(.returningObjects) else { return }
    let returning = pendingInserted.filter { $0.version != 0 && $0.isOf(self) }
    settleAnswers()
    isMerging = true
    defer { isMerging = false }
    let resolution = VersionResolution(.errorMergePolicyType)
    for object in returning where object.awaitsInsertion {
      for left in try resolution.partnersLeft(to: object, self) {
        resolution.settle(left, of: object)
      }
    }
    processPendingChanges()
  }
}
