import DataModels

/// Relationships of what undo brings back, beside what other writers have done since, and what has no undo action.
extension NSManagedObjectContext {
  /// Takes an object out of the other side of a to-one relationship that another writer has changed since, and that has no
  /// record.
  final func leavePresentDestination(
    of object: NSManagedObject, _ property: PropertyLayout, _ known: StoredValue,
    for next: StoredValue
  ) {
    let present = object.currentValue(at: property.slot).permanent
    guard let inverse = property.inverse, let id = present.reference, present != known,
      present != next
    else { return }
    let target = knownOrFault(id)
    learn(of: object, target, inverse)
    target.unlink(object, inverse)
  }

  /// Whether a relationship that is set again would lead to what isn't there any more: another writer has deleted it, or
  /// this context, without an undo action for it. Where a deletion leaves references, they come back as they were: what
  /// they lead to may be the next to come back.
  final func isLost(_ id: NSManagedObjectID, by property: PropertyLayout) -> Bool {
    let target = registered(id)
    if let target, isGone(target) { return true }
    guard isCleared(property) else {
      if property.isClearedByDeletions { saveDoubts.insert(.undoneReferences) }
      return false
    }
    if let target, !target.isFault { return target.awaitsDeletion }
    if id.isTemporary { return target == nil }
    // If it can't be read, the save tells.
    return (try? !source.fetchRow(id, into: RowCollector())) ?? false
  }

  /// Whether an object's relationship isn't set again: it would lead to what isn't there any more, or to the survivor of a
  /// conflict, which is of an entity that it doesn't lead to.
  final func leadsNowhere(
    _ object: NSManagedObject, by property: PropertyLayout, to id: NSManagedObjectID
  ) -> Bool {
    // An attribute may be an object ID, too.
    guard property.isRelationship else { return false }
    if object.keeps(id, by: property) {
      // If it stays out of the context, a save tells.
      saveDoubts.insert(.unattachedObjects)
      return false
    }
    // Others get there only as the inverse does.
    let isFit = property.admitsStrangers || property.accepts(id.layout)
    guard isFit else { return true }
    // What is still being deleted leads to what was deleted with it, until both come back.
    if object.awaitsDeletion, let target = registered(id), target.awaitsDeletion {
      return isGone(target)
    }
    return isLost(id, by: property)
  }

  /// Whether the deletion of a destination ends a relationship. A rule that denies the deletion leaves it.
  final func isCleared(_ property: PropertyLayout) -> Bool {
    property.isClearedByDeletions && property.inverse?.deleteRule != .denyDeleteRule
  }

  /// Ends an object's relationships to what isn't there any more.
  final func dropLostDestinations(of object: NSManagedObject) {
    for property in object.layout.toOnes {
      guard let id = object.currentValue(at: property.slot).reference, isLost(id, by: property)
      else { continue }
      object.replaceValue(at: property.slot, by: .null)
    }
    for (property, members) in zip(object.layout.toManys, object.toManys) {
      guard let members else { continue }
      let lost = members.objects.filter {
        $0.context !== self && isCleared(property) || isLost($0.identity, by: property)
      }
      for target in lost { members.remove(target) }
    }
  }

  /// Ends an object's relationships to objects that are still to be deleted: what its own deletion reached without an undo
  /// action stays deleted.
  final func dropDeletedDestinations(of object: NSManagedObject) {
    guard object.isOf(self), !object.isFault else { return }
    for property in object.layout.toOnes where isCleared(property) {
      guard let id = object.currentValue(at: property.slot).reference,
        registered(id)?.awaitsDeletion == true
      else { continue }
      object.willChange()
      object.replaceValue(at: property.slot, by: .null)
    }
    for (property, members) in zip(object.layout.toManys, object.toManys) {
      guard let members, isCleared(property) else { continue }
      for target in members.objects where target.awaitsDeletion {
        object.willChange()
        members.remove(target)
      }
    }
  }

  /// Ends the relationships of an object that is there again whose other sides don't have it: what was done to these without
  /// an undo action, as by the deletion's rules after others had related them, stays done.
  ///
  /// - Parameter change: the change that has led the object somewhere; nil for all that it leads to.
  final func dropOneSided(_ object: NSManagedObject, by change: UndoRecord.Change? = nil) {
    guard object.isOf(self), !object.awaitsDeletion, !object.isFault else { return }
    for property in object.layout.toOnes {
      if let change, change.before[property.slot] == change.after[property.slot] { continue }
      guard let inverse = property.inverse, let target = object.toOne(property),
        hasLeft(object, from: target, by: inverse)
      else { continue }
      object.willChange()
      object.replaceValue(at: property.slot, by: .null)
    }
    for (property, members) in zip(object.layout.toManys, object.toManys) {
      guard let members, let inverse = property.inverse else { continue }
      let added = change.map { change in
        change.members.first { $0.property === property }?.removed.filter(members.contains) ?? []
      }
      for target in added ?? members.objects where hasLeft(object, from: target, by: inverse) {
        object.willChange()
        members.remove(target)
      }
    }
  }

  /// Leads the other sides to an object that is there again as a new one, where they haven't been read: their rows don't have
  /// it, and the action's changes are those of an object that another writer has put back since.
  final func joinUnread(_ object: NSManagedObject) {
    func join(_ target: NSManagedObject, _ inverse: PropertyLayout) {
      guard inverse.isToMany, target.touchedMembers?[inverse.slot]?.isLoaded != true else { return }
      completeLinking(target, to: object, by: inverse)
    }
    for property in object.layout.toOnes {
      guard let inverse = property.inverse, let target = object.toOne(property) else { continue }
      join(target, inverse)
    }
    for (property, members) in zip(object.layout.toManys, object.toManys) {
      guard let members, let inverse = property.inverse else { continue }
      for target in members.objects { join(target, inverse) }
    }
  }

  /// Lets the objects that are there again as new ones have what the action leads back to them. They had been read again before
  /// their deletion was saved, when another writer had taken it out already.
  final func joinRestored(of record: UndoRecord) {
    let restored = Set(record.deleted.filter(\.awaitsInsertion).map(ObjectIdentifier.init))
    guard !restored.isEmpty else { return }
    for change in record.changes where change.object.isOf(self) && !isGone(change.object) {
      for property in change.object.layout.toOnes {
        guard let inverse = property.inverse,
          change.before[property.slot] != change.after[property.slot],
          let target = change.object.toOne(property), restored.contains(ObjectIdentifier(target))
        else { continue }
        completeLinking(target, to: change.object, by: inverse)
      }
      for part in change.members {
        guard let inverse = part.property.inverse else { continue }
        for target in part.removed where restored.contains(ObjectIdentifier(target)) {
          completeLinking(target, to: change.object, by: inverse)
        }
      }
    }
  }

  /// Whether the other side of a relationship is known not to have an object. The row of what hasn't changed tells of a
  /// relationship that the object's own row hasn't been read with, or will have.
  private final func hasLeft(
    _ object: NSManagedObject, from target: NSManagedObject, by inverse: PropertyLayout
  ) -> Bool {
    guard target.isOf(self), !target.awaitsDeletion else { return false }
    guard inverse.isToMany else {
      target.wake()
      guard !target.isFault, object.awaitsInsertion || target.hasChanged(inverse) else {
        return false
      }
      return !target.leads(to: object, by: inverse)
    }
    guard let members = target.touchedMembers?[inverse.slot] else { return false }
    if members.hasRemoved(object) { return true }
    return object.awaitsInsertion && members.isLoaded && !members.contains(object)
  }

  /// Reverts the other sides of relationships that a record doesn't have: a refresh discarded them within the event, and a
  /// save may have completed them since; or their object has lost a conflict, and another is in its place.
  final func revertOtherSides(of record: UndoRecord) {
    let changes = Dictionary(
      record.changes.map { (ObjectIdentifier($0.object), $0) }, uniquingKeysWith: { $1 })
    func isRecorded(
      _ target: NSManagedObject, of object: NSManagedObject, by side: PropertyLayout
    ) -> Bool {
      changes[ObjectIdentifier(target)]?.tells(of: object, by: side) ?? false
    }
    for change in record.changes where change.object.isOf(self) && !isGone(change.object) {
      let object = change.object
      for property in object.layout.toOnes {
        let (old, new) = (change.after[property.slot], change.before[property.slot])
        guard let inverse = property.inverse, old != new else { continue }
        if let target = old.permanent.reference.map(knownOrFault),
          !isRecorded(target, of: object, by: inverse)
        {
          completeUnlinking(target, from: object, by: inverse)
        }
        if let target = object.toOne(property), !isRecorded(target, of: object, by: inverse) {
          completeLinking(target, to: object, by: inverse)
        }
      }
      for part in change.members {
        guard let inverse = part.property.inverse else { continue }
        for target in part.added where !isRecorded(target, of: object, by: inverse) {
          completeUnlinking(target, from: object, by: inverse)
        }
        for target in part.removed where !isRecorded(target, of: object, by: inverse) {
          completeLinking(target, to: object, by: inverse)
        }
      }
    }
  }

  /// Whether an object that has left the context doesn't come back to a relationship: it has lost a uniqueness conflict, and
  /// the survivor has what was related to it; or its deletion, which clears the relationship, isn't what is undone.
  final func staysAway(_ object: NSManagedObject, _ property: PropertyLayout) -> Bool {
    object.context == nil
      && (object.identity.successor != nil || object.version != 0 && isCleared(property))
  }

  /// Whether another writer has deleted an object.
  final func isGone(_ object: NSManagedObject) -> Bool {
    object.context === self && object.state.isSuperset(of: [.deleted, .inaccessible])
      && !object.identity.isTemporary && !isUnused(object.identity)
  }
}
