import DataModels

/// Relationships of which a refresh has dropped one side's change.
///
/// Discarding the changes of one object leaves those of the objects it was related to: a member still leads to its
/// owner, an owner still has its member. In Core Data, repairing the other side is the program's affair, and a save
/// can write a relationship with one side, or a member without a position. Here, what is left of the change is the
/// change: the next save completes it.
extension NSManagedObjectContext {
  /// Records that an object's changes are about to be discarded, if relationships are among them.
  final func noteDroppedSides(of object: NSManagedObject) {
    guard !saveDoubts.contains(.droppedSides) else { return }
    // One that leads to a deleted object again differs in nothing from its row.
    let isChanged =
      object.state.contains(.deleted) || object.state.contains(.updated) && !deleted.isEmpty
      || object.layout.toOnes.contains { $0.inverse != nil && object.hasChanged($0) }
      || object.hasTouchedToManys
        && object.layout.toManys.contains {
          $0.inverse != nil && object.membersBySlot[$0.slot]?.hasChanges == true
        }
    if isChanged { saveDoubts.insert(.droppedSides) }
  }

  /// Changes the sides that lack a change of the other one, before a save.
  final func completeDroppedSides() {
    reviveDestinations()
    guard saveDoubts.contains(.droppedSides) else { return }
    settleAnswers()
    // It belongs to what was changed before: undone alone, it would leave that with one side.
    isMerging = true
    defer { isMerging = false }
    complete()
    processPendingChanges()
  }

  private final func complete() {
    for object in pendingInserted + pendingUpdated where object.isOf(self) {
      for property in object.layout.toOnes where object.hasChanged(property) {
        complete(property, of: object)
      }
      guard object.hasTouchedToManys else { continue }
      for property in object.layout.toManys { completeMembers(property, of: object) }
    }
    // What a deletion had cleared leads to the deleted object again.
    let deletions = pendingDeleted.filter { !$0.state.contains(.inaccessible) }
    guard !deletions.isEmpty else { return }
    deletions.forEach(completeFormer)
    deletions.forEach(propagateAgain)
    propagateDeletions()
  }

  /// Changes the sides that lack what a deleted object's changes ended: its deletion isn't propagated to them.
  private final func completeFormer(of object: NSManagedObject) {
    for property in object.layout.toOnes where object.hasChanged(property) {
      guard let inverse = property.inverse, !inverse.isToMany,
        let before = object.committedValue(at: property.slot).reference
      else { continue }
      completeUnlinking(knownOrFault(before), from: object, by: inverse)
    }
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys {
      guard let inverse = property.inverse else { continue }
      for target in object.membersBySlot[property.slot]?.removedObjects ?? [] {
        completeUnlinking(target, from: object, by: inverse)
      }
    }
  }

  private final func complete(_ property: PropertyLayout, of object: NSManagedObject) {
    guard let inverse = property.inverse else { return }
    if !inverse.isToMany, let before = object.committedValue(at: property.slot).reference {
      completeUnlinking(knownOrFault(before), from: object, by: inverse)
    }
    if let now = object.currentValue(at: property.slot).reference {
      completeLinking(knownOrFault(now), to: object, by: inverse)
    }
  }

  private final func completeMembers(_ property: PropertyLayout, of object: NSManagedObject) {
    guard let inverse = property.inverse, let members = object.membersBySlot[property.slot],
      members.hasChanges
    else { return }
    for target in members.removedObjects { completeUnlinking(target, from: object, by: inverse) }
    for target in members.added { completeLinking(target, to: object, by: inverse) }
  }

  /// Lets the other side of a relationship have an object that it lacks.
  final func completeLinking(
    _ target: NSManagedObject, to source: NSManagedObject, by inverse: PropertyLayout
  ) {
    guard isThere(target, with: inverse), target !== source || inverse.inverse !== inverse else {
      return
    }
    guard !inverse.isToMany || !target.members(inverse).contains(source) else { return }
    target.link(source, inverse)
  }

  /// Lets the other side of a relationship have an object no longer that it still has.
  final func completeUnlinking(
    _ target: NSManagedObject, from source: NSManagedObject, by inverse: PropertyLayout
  ) {
    guard isThere(target, with: inverse), target !== source || inverse.inverse !== inverse else {
      return
    }
    if inverse.isToMany {
      let members = target.members(inverse)
      guard members.isLoaded ? members.contains(source) : !members.removed.contains(source.objectID)
      else { return }
    }
    target.unlink(source, inverse)
  }

  /// Whether an object's relationship can be changed: it isn't deleted, and has a row. A survivor of another entity than the
  /// loser's may lack the relationship.
  private final func isThere(_ target: NSManagedObject, with property: PropertyLayout) -> Bool {
    guard target.context === self, !target.awaitsDeletion, target.layout.has(property) else {
      return false
    }
    target.wake()
    return !target.awaitsDeletion
  }
}
