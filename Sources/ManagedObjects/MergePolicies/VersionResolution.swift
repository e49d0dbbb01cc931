import DataModels
import Foundation

/// Resolution of conflicts with rows that another writer has changed.
struct VersionResolution {
  let type: NSMergePolicyType
  private var dropsAll: Bool { type == .rollbackMergePolicyType }
  /// The objects whose changes are discarded, deletions included.
  private var dropped: Set<ObjectIdentifier> = []
  /// The objects whose rows are gone, and are written again.
  private(set) var returning: Set<ObjectIdentifier> = []

  init(_ type: NSMergePolicyType) { self.type = type }

  /// If changes are discarded: reverts the objects' side effects on others, for all objects before the first is
  /// resolved. Reverted later, a side effect on another conflicting object would look like a change of that object.
  /// If they aren't: notes which objects come back, because those resolved before may be related to them.
  mutating func begin(_ conflicts: [NSMergeConflict]) {
    guard dropsAll else {
      let back = conflicts.filter { $0.row == nil && comesBack($0.sourceObject) }
      returning = Set(back.map { ObjectIdentifier($0.sourceObject) })
      return
    }
    dropped = Set(conflicts.filter { $0.row != nil }.map { ObjectIdentifier($0.sourceObject) })
    for conflict in conflicts where conflict.row != nil {
      guard let context = conflict.sourceObject.context else { continue }
      revertSideEffects(of: conflict.sourceObject, context)
    }
  }

  /// The conflicts in the order in which they must be resolved, whatever order the store found them in: if changes are
  /// discarded, discarded deletions come first, as the rows of other objects may refer to what remains. Otherwise it is
  /// the objects that are deleted, too, all of which are given up together then.
  func inOrder(_ conflicts: [NSMergeConflict]) -> [NSMergeConflict] {
    guard dropsAll else { return conflicts.filter(isLost) + conflicts.filter { !isLost($0) } }
    return conflicts.filter(\.sourceObject.awaitsDeletion)
      + conflicts.filter { !$0.sourceObject.awaitsDeletion }
  }

  /// Whether a conflict ends with the deletion of its object.
  private func isLost(_ conflict: NSMergeConflict) -> Bool {
    conflict.row == nil && !comesBack(conflict.sourceObject)
  }

  /// Resolves conflicts one after the other, but those of objects that are deleted, too, in groups: for each group, all
  /// other objects are searched for what leads there.
  ///
  /// - Throws: errors of the store when it is checked for other deleted rows; the object concerned is unchanged then.
  func resolve(_ conflicts: [NSMergeConflict]) throws {
    var lost: [NSManagedObject] = []
    for conflict in conflicts {
      if isLost(conflict) {
        lost.append(conflict.sourceObject)
        continue
      }
      giveUp(lost)
      lost = []
      try resolve(conflict)
    }
    giveUp(lost)
  }

  /// - Throws: errors of the store when it is checked for other deleted rows; the object is unchanged then.
  private func resolve(_ conflict: NSMergeConflict) throws {
    let object = conflict.sourceObject
    guard let context = object.context else { return }
    guard let row = conflict.row else { return try resolveDeletion(of: object, context) }
    guard !object.values.isEmpty else {
      object.version = row.version
      return
    }
    let stored = object.ownValues(ofRow: row.values, keepingUnstored: true)
    let kept = try referencesKept(by: object, against: stored, context)
    merge(object, with: stored, version: row.version, context)
    for reference in kept { settle(reference, of: object, context) }
  }

  /// Reverts an object to the values that were read or saved last, including transient ones, and reverts the side
  /// effects of its changes.
  func dropChanges(of object: NSManagedObject) {
    guard let context = object.context, object.hasStoredRow else { return }
    revertSideEffects(of: object, context)
    guard !object.values.isEmpty else { return }
    merge(object, with: object.committed, version: object.version, context)
  }

  private func merge(
    _ object: NSManagedObject, with stored: [StoredValue], version: Int64,
    _ context: NSManagedObjectContext
  ) {
    let (before, mine) = (object.committed, object.values)
    // Of an object that stays deleted, the relationships that it has by now are needed, for its delete rules.
    let staysDeleted = object.awaitsDeletion && !dropsAll
    var values = mine
    for property in object.layout.values where !property.isTransient {
      guard stored.indices.contains(property.slot) else { continue }
      let theirs = stored[property.slot]
      // Values computed by the store aren't merged.
      let takesStore: Bool =
        switch type {
        case _ where property.isDerived || staysDeleted: true
        case .mergeByPropertyStoreTrumpMergePolicyType:
          theirs != before[property.slot] || !object.hasChanged(property)
        case .mergeByPropertyObjectTrumpMergePolicyType: !object.hasChanged(property)
        case .rollbackMergePolicyType: true
        default: false
        }
      if takesStore { values[property.slot] = theirs }
    }
    object.values = values
    object.committed = stored
    object.version = version
    if !dropsAll, !object.awaitsDeletion, values != mine { context.noteRefreshed(object) }
    for property in object.layout.toOnes where mine[property.slot] != values[property.slot] {
      moveBack(
        object, along: property, from: mine[property.slot].reference,
        to: values[property.slot].reference,
        in: context)
    }
    if dropsAll {
      object.state.remove(.guarded)
      context.dropChanges(of: object)
      context.event.refreshed.append(object)
      clearDeletedDestinations(of: object)
    }
    resolveMembers(of: object, context)
    if staysDeleted {
      context.propagateAgain(object)
      context.undoLacksSides = true
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Members aren't values: local additions and removals are applied to whatever the store has now. If changes are
  /// discarded, only those recorded in members' own rows stay.
  private func resolveMembers(of object: NSManagedObject, _ context: NSManagedObjectContext) {
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys {
      guard let members = object.membersBySlot[property.slot] else { continue }
      guard dropsAll || object.awaitsDeletion || !members.hasChanges else {
        // What can't be read now is shown as it was read before.
        if members.isLoaded, let stored = try? context.storedMembers(of: object, property) {
          object.rebaseMembers(property, on: stored)
        }
        continue
      }
      let added = property.inverseIsToOne ? members.added : []
      members.forget()
      guard dropsAll, let inverse = property.inverse else { continue }
      for target in added
      where target.hasChanged(inverse) && target.leads(to: object, by: inverse) {
        // A cascade has cancelled the insertion of new members.
        guard target.state.contains(.inserted) || target.hasStoredRow, !target.awaitsDeletion else {
          continue
        }
        object.willChange()
        members.append(target)
      }
    }
  }

  /// Updates the other sides of a to-one relationship whose destination the store has changed.
  private func moveBack(
    _ object: NSManagedObject, along property: PropertyLayout, from old: NSManagedObjectID?,
    to new: NSManagedObjectID?, in context: NSManagedObjectContext
  ) {
    guard let inverse = property.inverse else { return }
    for (id, isNew) in [(old, false), (new, true)] {
      guard let id, let target = context.identityMap[id] else { continue }
      guard inverse.isToMany else {
        guard !target.isFault, target.hasChanged(inverse) else { continue }
        if isNew {
          accept(target, of: object, along: property, inverse)
        } else if target.leads(to: object, by: inverse) {
          // A destination that was changed to refer back here doesn't do so in the store's row.
          target.willChange()
          target.replaceValue(at: inverse.slot, by: .null)
        }
        continue
      }
      guard let members = target.touchedMembers?[inverse.slot] else { continue }
      if !members.hasChanges {
        members.forget()
      } else if !isNew {
        members.remove(object)
      } else if members.isLoaded || members.removedObjects.contains(where: { $0 === object }) {
        members.append(object)
        members.moveToStoredPlace(object)
      }
    }
  }

  /// Lets the destination that the store's row has stay one: its own side, which was learned to lead here, was cleared
  /// together with the change that is given up. If it was led elsewhere, that is a change of its own, which ends this one.
  private func accept(
    _ target: NSManagedObject, of object: NSManagedObject, along property: PropertyLayout,
    _ inverse: PropertyLayout
  ) {
    let known = target.committedValue(at: inverse.slot)
    guard known.reference.map(object.isObject(of:)) ?? false, !target.awaitsDeletion else { return }
    if target.currentValue(at: inverse.slot).isNull {
      target.willChange()
      target.replaceValue(at: inverse.slot, by: known)
    } else if !target.leads(to: object, by: inverse) {
      object.replaceValue(at: property.slot, by: .null)
    }
  }

  // MARK: Discarding changes

  private func revertSideEffects(of object: NSManagedObject, _ context: NSManagedObjectContext) {
    guard !object.isFault else { return }
    revertDeletion(of: object)
    revertRelationships(of: object, context)
  }

  /// Reverts the side effects of an object's discarded changes on the other sides of its relationships, which would
  /// otherwise be saved: in both columns of a one-to-one relationship, and in the rows of a many-to-many
  /// relationship.
  private func revertRelationships(
    of object: NSManagedObject, _ context: NSManagedObjectContext
  ) {
    for property in object.layout.toOnes where object.hasChanged(property) {
      guard let inverse = property.inverse else { continue }
      var before = object.committedValue(at: property.slot).reference.map(context.object(with:))
      if before?.awaitsDeletion == true { before = nil }
      if !inverse.isToMany, let now = object.toOne(property), !now.hasChanged(inverse) {
        // The other side's row says so: nothing there came from this change. Nor did it change the former destination, if
        // that one's row, read since, no longer leads here.
        if let before, before.wasLed(to: object, by: inverse) { before.link(object, inverse) }
      } else {
        // Nor is it taken from where its row leads by now.
        if !inverse.isToMany, before?.wasLed(to: object, by: inverse) == false { before = nil }
        object.restoreToOne(before, property)
      }
    }
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys where property.inverse?.isToMany == true {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      revertMembers(of: object, members, property)
    }
  }

  /// Reverts changes to the members of a many-to-many relationship on both sides. A member's own side may have been
  /// read at another time, and may or may not have included this object then. If nothing was changed there, reverting
  /// it would look like a change of its own.
  private func revertMembers(
    of object: NSManagedObject, _ members: ToManyMembers, _ property: PropertyLayout
  ) {
    guard let inverse = property.inverse else { return }
    for target in members.added {
      if target.members(inverse).added.contains(where: { $0 === object }) {
        object.remove(target, from: property)
      } else {
        members.remove(target)
      }
    }
    for target in members.removedObjects where !target.awaitsDeletion {
      if target.members(inverse).removedObjects.contains(where: { $0 === object }) {
        object.add(target, to: property)
        target.members(inverse).moveToStoredPlace(object)
      } else {
        members.append(target)
      }
    }
  }

  /// Restores an object whose deletion is discarded in the relationships that its delete rules removed it from.
  private func revertDeletion(of object: NSManagedObject) {
    guard object.awaitsDeletion else { return }
    for property in object.layout.toOnes + object.layout.toManys {
      guard let inverse = property.inverse, property.deleteRule == .nullifyDeleteRule else {
        continue
      }
      let targets =
        property.isToMany
        ? object.loadedMembers(property).objects : object.toOne(property).map { [$0] } ?? []
      for target in targets where !target.awaitsDeletion && !target.isFault {
        if inverse.isToMany {
          guard let members = target.touchedMembers?[inverse.slot],
            members.removedObjects.contains(where: { $0 === object })
          else { continue }
          target.willChange()
          members.append(object, returns: true)
          members.moveToStoredPlace(object)
        } else if target.currentValue(at: inverse.slot).isNull,
          let before = target.committedValue(at: inverse.slot).reference,
          object.isObject(of: before)
        {
          target.willChange()
          target.replaceValue(at: inverse.slot, by: .reference(object.identity))
        }
      }
    }
  }

  /// Clears references to objects that the same save deletes, as their delete rules demand even if the object's own
  /// changes are discarded. Where the rule is to delete the object too, that is what the policy has discarded. What
  /// wasn't found here before others saved it isn't deleted by this save.
  private func clearDeletedDestinations(of object: NSManagedObject) {
    for property in object.layout.toOnes {
      guard let rule = property.inverse?.deleteRule,
        rule == .nullifyDeleteRule || rule == .cascadeDeleteRule
      else { continue }
      guard let target = object.toOne(property), target.awaitsDeletion,
        !target.state.contains(.inaccessible), !dropped.contains(ObjectIdentifier(target))
      else { continue }
      object.willChange()
      object.replaceValue(at: property.slot, by: .null)
    }
  }
}

extension NSManagedObject {
  /// Sets a to-one relationship to what was read or saved last. In the destination's order, the object stands where it
  /// stood.
  final func restoreToOne(_ target: NSManagedObject?, _ property: PropertyLayout) {
    setToOne(target, property)
    guard let target, let inverse = property.inverse, inverse.isOrdered else { return }
    target.members(inverse).moveToStoredPlace(self)
  }

  /// Whether a to-one relationship refers to an object.
  final func leads(to object: NSManagedObject, by property: PropertyLayout) -> Bool {
    currentValue(at: property.slot).reference.map(object.isObject(of:)) ?? false
  }

  /// Whether a to-one relationship referred to an object when it was read or saved last.
  final func wasLed(to object: NSManagedObject, by property: PropertyLayout) -> Bool {
    hasStoredRow
      && committedValue(at: property.slot).reference.map(object.isObject(of:)) ?? false
  }
}
