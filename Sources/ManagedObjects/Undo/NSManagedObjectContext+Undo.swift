import DataModels
import Foundation

/// Undo and redo.
extension NSManagedObjectContext {
  /// The implementation of ``undo()``.
  final func performUndo() {
    checkQueue()
    guard let undoManager else { return }
    processPendingChanges()
    undoManager.undo()
  }

  /// The implementation of ``redo()``.
  final func performRedo() {
    checkQueue()
    guard let undoManager else { return }
    processPendingChanges()
    undoManager.redo()
  }

  /// Whether changes made now can be undone later.
  final var remembersChanges: Bool {
    !isApplyingUndo && !isMerging && undoManager?.isUndoRegistrationEnabled == true
  }

  /// Observes the undo manager's checkpoints, at which pending changes must be registered.
  final func observeUndoManager() {
    if let undoObserver { NotificationCenter.default.removeObserver(undoObserver) }
    undoObserver = undoManager.map { manager in
      NotificationCenter.default.addObserver(
        forName: .NSUndoManagerCheckpoint, object: manager, queue: nil
      ) { [weak self] _ in
        guard let self, !isApplyingUndo else { return }
        settleAnswers()
      }
    }
  }

  /// Removes the context's undo actions.
  final func forgetUndo() { undoManager?.removeAllActions(withTarget: self) }

  /// Registers the changes of an event with the undo manager.
  final func registerUndo(of event: PendingEvent) {
    guard remembersChanges, let undoManager else { return }
    let record = UndoRecord(event)
    guard !record.isEmpty else { return }
    // Without an open group, the event becomes a group of its own.
    let opensGroup = !undoManager.groupsByEvent && undoManager.groupingLevel == 0
    if opensGroup { undoManager.beginUndoGrouping() }
    register(record, undoManager)
    if opensGroup { undoManager.endUndoGrouping() }
  }

  private final func register(_ record: UndoRecord, _ undoManager: UndoManager) {
    undoManager.registerUndo(withTarget: self) { $0.undo(record) }
  }

  /// Reverts the changes of a record, and registers the reverse.
  private final func undo(_ record: UndoRecord) {
    // What the observers and handlers of the group's other actions have changed is undone with the group, too.
    settleAnswers()
    isApplyingUndo = true
    restoreDeleted(record.deleted)
    for change in record.changes { revert(change) }
    if record.isPartial || undoLacksSides { revertOtherSides(of: record) }
    joinRestored(of: record)
    for object in record.deleted { dropOneSided(object) }
    // The loser of a conflict had the other side, which isn't the survivor's.
    if undoLacksSides { for change in record.changes { dropOneSided(change.object, by: change) } }
    for object in record.deleted where object.awaitsInsertion { joinUnread(object) }
    for object in record.inserted { removeInserted(object) }
    dropEmptyUpdates(of: record)
    // Before observers are told: one that rolls back forgets this as well.
    if let undoManager { register(record.reversed, undoManager) }
    processPendingChanges()
    isApplyingUndo = false
    func awake(_ objects: [NSManagedObject], _ flags: NSSnapshotEventType) {
      for object in objects where object.context === self {
        object.awake(fromSnapshotEvents: flags)
      }
    }
    awake(record.inserted, .undoInsertion)
    awake(record.deleted, .undoDeletion)
    awake(record.changes.map(\.object), .undoUpdate)
  }

  private final func revert(_ change: UndoRecord.Change) {
    let object = change.object
    // What other writers have deleted since doesn't come back, nor do references to it.
    guard object.context === self, !isGone(object) else { return }
    object.willChange()
    object.state.insert(.hasLooseEnds)
    for property in object.layout.values {
      let slot = property.slot
      guard change.before[slot] != change.after[slot] else { continue }
      let before = change.before[slot].permanent
      leavePresentDestination(of: object, property, change.after[slot].permanent, for: before)
      let isLost = before.reference.map { leadsNowhere(object, by: property, to: $0) } ?? false
      object.decodeBeforeChange(of: property)
      object.replaceValue(at: slot, by: isLost ? .null : before)
      // Another writer may have led it there, too.
      if let inverse = property.inverse, let id = change.after[slot].permanent.reference,
        let former = registered(id), former.isOf(self), !former.isFault
      {
        object.noteLed(to: former, property, inverse)
      }
    }
    for part in change.members {
      // An order can only be restored among members that are known: a save or a merge since may have forgotten them.
      let members =
        part.before == nil ? object.members(part.property) : object.loadedMembers(part.property)
      for target in part.added { members.remove(target) }
      for target in part.removed where !isGone(target) && !staysAway(target, part.property) {
        members.append(target, returns: object.awaitsDeletion || !isCleared(part.property))
        // The other side of what is out of the context, a new object that was deleted, has no record.
        if target.context == nil, !target.isFault, let inverse = part.property.inverse {
          target.link(object, inverse)
        }
      }
      guard let before = part.before, members.isLoaded else { continue }
      let present = Set(members.objects.map(ObjectIdentifier.init))
      var next = before.filter { present.contains(ObjectIdentifier($0)) }.makeIterator()
      let known = Set(before.map(ObjectIdentifier.init))
      // Members that other writers have added since stay in place.
      members.replace(
        with: members.objects.map {
          known.contains(ObjectIdentifier($0)) ? next.next() ?? $0 : $0
        })
    }
  }

  /// An object that is again as it was saved has nothing to be saved.
  private final func dropEmptyUpdates(of record: UndoRecord) {
    var count = 0
    for object in record.changes.lazy.map(\.object) where isEmptyUpdate(of: object) {
      object.state.remove(.updated)
      count += 1
    }
    // Undo mostly takes back the latest changes, which are at the end of the list.
    while count > 0, let last = updated.last, !last.state.contains(.updated) {
      updated.removeLast()
      count -= 1
    }
    guard count > 0 || !record.deleted.isEmpty else { return }
    updated.removeAll { !$0.state.contains(.updated) }
  }

  private final func isEmptyUpdate(of object: NSManagedObject) -> Bool {
    object.context === self && object.awaitsUpdate && !object.differsFromStore
      && !object.layout.values.contains { $0.isTransient && object.hasChanged($0) }
      && (deleted.isEmpty || !leadsToDeleted(object))
  }

  /// Whether an object has been led back to one whose deletion had cleared the reference. Its row must not stay as it is: a
  /// save refuses the reference, with 1550, as long as it isn't changed.
  private final func leadsToDeleted(_ object: NSManagedObject) -> Bool {
    object.layout.toOnes.contains { property in
      guard let inverse = property.inverse, inverse.deleteRule != .noActionDeleteRule,
        let target = object.currentValue(at: property.slot).reference.flatMap({ registered($0) })
      else { return false }
      return target.awaitsDeletion && !target.state.contains(.inaccessible)
    }
  }

  /// Reverts the insertion of an object. It is a deletion for whatever has been related to it without an undo action, as by
  /// other writers after it was saved.
  private final func removeInserted(_ object: NSManagedObject) {
    guard object.context === self, !object.awaitsDeletion else { return }
    object.wake()
    object.state.formUnion([.deleted, .changedInEvent])
    deleted.append(object)
    event.deleted.append(object)
  }

  /// Makes objects that were deleted be there again, also those whose rows are gone.
  private final func restoreDeleted(_ objects: [NSManagedObject]) {
    var present: Set<ObjectIdentifier> = []
    for object in objects {
      if object.context === self, !object.state.contains(.inaccessible) {
        if unmarkDeleted(object) { present.insert(ObjectIdentifier(object)) }
        event.inserted.append(object)
      } else {
        restoreRowless(object)
      }
    }
    removeFromDeleted(present)
    // Only now are all there that are related to each other.
    for object in objects {
      if object.awaitsInsertion {
        dropLostDestinations(of: object)
      } else {
        dropDeletedDestinations(of: object)
      }
    }
  }

  private final func restoreRowless(_ object: NSManagedObject) {
    // What was refreshed away has no values that could be inserted.
    guard object.context == nil || object.context === self, !object.isFault else { return }
    if let known = identityMap[object.identity], known !== object {
      // A relationship that refers to this object may have been read meanwhile.
      guard known.isFault || known.state.contains(.inaccessible), (try? load(known)) != true
      else {
        // It stands for this object, whose sides the action has.
        undoLacksSides = true
        return
      }
    }
    insertAgain(object)
  }

  /// Inserts an object that has no row any more, or never had one, as a new object.
  final func insertAgain(_ object: NSManagedObject) {
    reuseIdentity(of: object)
    object.context = self
    if object.state.contains(.updated) { updated.removeAll { $0 === object } }
    object.state.subtract([.updated, .deleted, .propagated, .inaccessible, .forgotten])
    object.state.formUnion([.inserted, .insertedInEvent, .changedInEvent])
    if object.version != 0 { saveDoubts.insert(.returningObjects) }
    object.committed = []
    for property in object.layout.toOnes {
      object.replaceValue(
        at: property.slot, by: object.currentValue(at: property.slot).permanent)
    }
    for members in object.toManys { members?.becomeNew() }
    identityMap[object.identity] = object
    inserted.append(object)
    event.inserted.append(object)
  }

  /// Reverts the pending deletion of an object. If its row was deleted by another writer, the object becomes a new
  /// one.
  final func undelete(_ object: NSManagedObject) {
    guard object.awaitsDeletion else { return }
    if object.state.contains(.inaccessible) {
      if !object.isFault, object.hasStoredRow { insertAgain(object) }
      return
    }
    if unmarkDeleted(object) { removeFromDeleted([ObjectIdentifier(object)]) }
    // The next change must be noted. The deletion may have been this event's only one, or the only one that is left.
    guard !object.state.contains(.insertedInEvent) else { return }
    if !event.changed.contains(where: { $0 === object }) {
      object.state.remove(.changedInEvent)
    } else if object.state.isDisjoint(with: [.inserted, .updated]) {
      event.changed.removeAll { $0 === object }
      object.endEvent()
    }
  }

  /// Removes objects from the list of deleted ones; undo mostly takes back the latest, at its end.
  private final func removeFromDeleted(_ objects: Set<ObjectIdentifier>) {
    var count = objects.count
    while count > 0, let last = deleted.last, objects.contains(ObjectIdentifier(last)) {
      deleted.removeLast()
      count -= 1
    }
    if count > 0 { deleted.removeAll { objects.contains(ObjectIdentifier($0)) } }
  }

  /// Clears the deletion mark of an object with a row, without removing it from the list; returns whether it was set.
  private final func unmarkDeleted(_ object: NSManagedObject) -> Bool {
    guard object.awaitsDeletion else { return false }
    object.state.subtract([.deleted, .propagated])
    // Changed while it was deleted, as the destination of a relationship may be.
    guard object.state.isDisjoint(with: [.inserted, .updated]), object.differsFromStore
    else { return true }
    object.state.insert(.updated)
    updated.append(object)
    return true
  }
}

extension StoredValue {
  /// The same value, or the permanent ID of the referenced object if that was saved meanwhile.
  var permanent: StoredValue {
    reference?.successor.map { .reference($0) } ?? self
  }
}
