import DataModels
import Foundation

/// Resolves a conflict over a row that another writer changed.
struct VersionResolution {
  private let type: NSMergePolicyType
  private var dropsAll: Bool { type == .rollbackMergePolicyType }

  init(_ type: NSMergePolicyType) { self.type = type }

  /// Where changes are dropped: takes back what they did to others, of all objects before the first is resolved.
  /// What one of them did to another would pass for a change of that one's else, if it came later.
  func begin(_ conflicts: [NSMergeConflict]) {
    guard dropsAll else { return }
    for conflict in conflicts where conflict.row != nil {
      guard let context = conflict.sourceObject.context else { continue }
      revertSideEffects(of: conflict.sourceObject, context)
    }
  }

  /// - Throws: what the store throws that is asked for what else is gone; the object is as it was then.
  func resolve(_ conflict: NSMergeConflict) throws {
    let object = conflict.sourceObject
    guard let context = object.context else { return }
    guard let row = conflict.row else { return try resolveDeletion(of: object, context) }
    guard !object.values.isEmpty else {
      object.version = row.version
      return
    }
    merge(object, with: object.ownValues(ofRow: row.values), version: row.version, context)
  }

  /// Makes an object what was read or saved of it, transient values too, and takes back what its changes did to others.
  func dropChanges(of object: NSManagedObject) {
    guard let context = object.context, !object.committed.isEmpty else { return }
    revertSideEffects(of: object, context)
    guard !object.values.isEmpty else { return }
    merge(object, with: object.committed, version: object.version, context)
  }

  private func merge(
    _ object: NSManagedObject, with stored: [StoredValue], version: Int64,
    _ context: NSManagedObjectContext
  ) {
    let (before, mine) = (object.committed, object.values)
    var values = mine
    for property in object.layout.values where !property.isTransient {
      guard stored.indices.contains(property.slot) else { continue }
      let theirs = stored[property.slot]
      // What the store computes is nobody's to merge.
      let takesStore: Bool =
        switch type {
        case _ where property.isDerived: true
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
    resolveMembers(of: object)
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Members are no values: what was added and removed here is done to whatever the store has now. Where changes
  /// are dropped, only what members' own rows say of it stays.
  private func resolveMembers(of object: NSManagedObject) {
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys {
      guard let members = object.membersBySlot[property.slot], dropsAll || !members.hasChanges
      else { continue }
      let added = property.inverseIsToOne ? members.added : []
      members.forget()
      guard dropsAll, let inverse = property.inverse else { continue }
      for target in added
      where target.hasChanged(inverse) && target.leads(to: object, by: inverse) {
        object.willChange()
        members.append(target)
      }
    }
  }

  /// A to-one leads elsewhere by the store's will: the other sides follow.
  private func moveBack(
    _ object: NSManagedObject, along property: PropertyLayout, from old: NSManagedObjectID?,
    to new: NSManagedObjectID?, in context: NSManagedObjectContext
  ) {
    guard let inverse = property.inverse else { return }
    for (id, isNew) in [(old, false), (new, true)] {
      guard let id, let target = context.identityMap[id] else { continue }
      guard inverse.isToMany else {
        // A destination that was made to lead back here doesn't by the store's row.
        guard !isNew, !target.isFault, target.hasChanged(inverse),
          target.leads(to: object, by: inverse)
        else { continue }
        target.willChange()
        target.replaceValue(at: inverse.slot, by: .null)
        continue
      }
      guard let members = target.touchedMembers?[inverse.slot] else { continue }
      if !members.hasChanges {
        members.forget()
      } else if !isNew {
        members.remove(object)
      } else if members.isLoaded || members.removedObjects.contains(where: { $0 === object }) {
        members.append(object)
      }
    }
  }

  // MARK: Dropping changes

  private func revertSideEffects(of object: NSManagedObject, _ context: NSManagedObjectContext) {
    guard !object.isFault else { return }
    revertDeletion(of: object)
    revertRelationships(of: object, context)
  }

  /// Takes back what an object's dropped changes did to the other sides of its relationships, which would save
  /// their half of it: both columns of a one-to-one, the rows between many and many.
  private func revertRelationships(
    of object: NSManagedObject, _ context: NSManagedObjectContext
  ) {
    for property in object.layout.toOnes
    where property.inverse != nil && object.hasChanged(property) {
      let before = object.committedValue(at: property.slot).reference.map(context.object(with:))
      object.setToOne(before?.isDeleted == true ? nil : before, property)
    }
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys where property.inverse?.isToMany == true {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      revertMembers(of: object, members, property)
    }
  }

  /// Takes members between many and many back on both sides. The other side of a member may have been read at
  /// another time, and have led here before, or not have led here: nothing was done to it then, and what is taken
  /// back of it would pass for a change of its own.
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
    for target in members.removedObjects where !target.isDeleted {
      if target.members(inverse).removedObjects.contains(where: { $0 === object }) {
        object.add(target, to: property)
      } else {
        members.append(target)
      }
    }
  }

  /// An object that isn't to be deleted after all is again where its delete rules took it out.
  private func revertDeletion(of object: NSManagedObject) {
    guard object.isDeleted else { return }
    for property in object.layout.toOnes + object.layout.toManys {
      guard let inverse = property.inverse, property.deleteRule == .nullifyDeleteRule else {
        continue
      }
      let targets =
        property.isToMany
        ? object.loadedMembers(property).objects : object.toOne(property).map { [$0] } ?? []
      for target in targets where !target.isDeleted && !target.isFault {
        if inverse.isToMany {
          guard let members = target.touchedMembers?[inverse.slot],
            members.removedObjects.contains(where: { $0 === object })
          else { continue }
          target.willChange()
          members.append(object)
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

  /// What the same save deletes is left by its own delete rule, whatever becomes of the object's changes.
  private func clearDeletedDestinations(of object: NSManagedObject) {
    for property in object.layout.toOnes where property.inverse?.deleteRule == .nullifyDeleteRule {
      guard let target = object.toOne(property), target.isDeleted else { continue }
      object.willChange()
      object.replaceValue(at: property.slot, by: .null)
    }
  }

  // MARK: Deleted rows

  /// The other writer deleted the row: the object's changes trump, and it is written again with all its
  /// values, or it goes too.
  private func resolveDeletion(
    of object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws {
    let staysByChanges =
      type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    guard staysByChanges, object.isUpdated, !object.isFault else {
      // Unsaved references to it are treated as when the deletion is merged.
      context.dropChanges(of: object)
      context.leaveOut(deleted: [object])
      return context.forget(object)
    }
    // Others may have gone with the row, by delete rules for one.
    let toOnes = try object.layout.toOnes.filter { property in
      try object.toOne(property).map { try !isThere($0, context) } ?? false
    }
    let gone = try object.toManys.map { members in
      let present = members.map { $0.isLoaded ? $0.objects : $0.added } ?? []
      return try present.filter { try !isThere($0, context) }
    }
    object.state.remove(.updated)
    context.stopSaving(object)
    object.state.insert(.inserted)
    // It goes on counting its version: who read the row before it was deleted sees that it is another one.
    object.committed = []
    // The store had it: it comes before what is new where both have the same unique values.
    context.inserted.insert(object, at: 0)
    for property in toOnes { object.replaceValue(at: property.slot, by: .null) }
    for (members, gone) in zip(object.toManys, gone) {
      members?.becomeNew()
      for target in gone { members?.remove(target) }
    }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  private func isThere(
    _ target: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> Bool {
    guard !target.isDeleted else { return false }
    if target.state.contains(.inserted) { return true }
    do {
      return try context.source.fetchRow(target.identity, into: RowCollector())
    } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
      // Not even its store is there.
      return false
    }
  }
}

extension NSManagedObject {
  /// Whether a to-one leads to an object.
  fileprivate final func leads(to object: NSManagedObject, by property: PropertyLayout) -> Bool {
    currentValue(at: property.slot).reference.map(object.isObject(of:)) ?? false
  }
}
