import DataModels
import Foundation
import PredicateFormat

/// Resolution of uniqueness conflicts: losing objects are replaced by surviving ones.
struct ConstraintResolution {
  private let type: NSMergePolicyType
  /// The objects that replaced losers, which may have been replaced later.
  private var survivors: [NSManagedObjectID: NSManagedObject] = [:]

  /// The source of a survivor's values.
  private enum Values {
    /// The loser's values, where it has any.
    case losers
    /// The survivor's own values, and the loser's where it has none.
    case ownFirst
    /// The survivor's own values.
    case own
  }

  /// - Parameter count: the expected number of conflicts.
  init(_ type: NSMergePolicyType, count: Int) {
    self.type = type
    survivors.reserveCapacity(count)
  }

  /// Resolves a conflict so that one of its objects survives.
  ///
  /// - Throws: the store's error, if references to a loser can't be read; then that loser isn't replaced.
  mutating func resolve(_ conflict: NSConstraintConflict) throws {
    let objects = conflict.conflictingObjects.filter(Self.isThere)
    if let present = conflict.databaseObject {
      guard Self.isThere(present) else { return }
      // The object in memory may be out of date: the survivor would keep that state.
      if !present.isAsRead(from: conflict.row) {
        present.context?.refresh(present, mergeChanges: true)
      }
      var survivor = present
      for object in objects where object !== survivor {
        survivor = try resolve(conflict.constraint, first: survivor, second: object)
      }
      return
    }
    // Objects that are in the store come first, as if they had been saved before.
    let ordered = objects.filter { !$0.awaitsInsertion } + objects.filter(\.awaitsInsertion)
    guard var survivor = ordered.first else { return }
    for object in ordered.dropFirst() {
      survivor = try resolve(conflict.constraint, first: survivor, second: object)
    }
  }

  private static func isThere(_ object: NSManagedObject) -> Bool {
    object.context != nil && !object.awaitsDeletion
  }

  /// Resolves the conflict of an existing object with another one, and returns the survivor.
  private mutating func resolve(
    _ constraint: [String], first present: NSManagedObject, second object: NSManagedObject
  ) throws -> NSManagedObject {
    switch type {
    case .mergeByPropertyObjectTrumpMergePolicyType
    where object.awaitsInsertion && present.layout.isKind(of: object.layout):
      try replace(object, by: present, .losers)
      return present
    case .mergeByPropertyObjectTrumpMergePolicyType:
      try replace(present, by: object, .ownFirst)
      return object
    case .overwriteMergePolicyType:
      try replace(present, by: object, .own)
      return object
    default:
      if object.awaitsInsertion {
        try replace(object, by: present, .own)
      } else if type == .rollbackMergePolicyType {
        VersionResolution(type).dropChanges(of: object)
      } else if !revert(constraint, of: object) {
        object.context?.refresh(object, mergeChanges: false)
      }
      return present
    }
  }

  /// Restores an object's stored values of a constraint; returns false if it has them already.
  private func revert(_ constraint: [String], of object: NSManagedObject) -> Bool {
    let changed = constraint.compactMap { ConstrainedValue($0, object.layout) }.filter { value in
      let slot = value.property.slot
      return object.hasChanged(value.property)
        && value.value(in: object.currentValue(at: slot))
          != value.value(in: object.committedValue(at: slot))
    }
    for value in changed {
      let stored = object.committedValue(at: value.property.slot)
      if value.property.isRelationship {
        object.restoreToOne(
          stored.reference.flatMap { object.context?.knownOrFault($0) }, value.property)
      } else {
        let slot = value.property.slot
        object.setAttribute(
          value.replacing(in: object.currentValue(at: slot), byThatOf: stored), at: slot)
      }
    }
    return !changed.isEmpty
  }

  // MARK: Replacing

  private mutating func replace(
    _ loser: NSManagedObject, by survivor: NSManagedObject, _ values: Values
  ) throws {
    guard let context = survivor.context, loser.isOf(context) else { return }
    // A store that fails now leaves the conflict as it was: the next save meets it again.
    if !loser.awaitsInsertion { try fetchReferences(to: loser, context) }
    try readWhatMoves(from: loser, to: survivor, context)
    let places = OrderedPlaces(of: loser, for: survivor)
    part(loser, survivor)
    for property in loser.layout.values where !property.isTransient && !property.isDerived {
      if property.isRelationship {
        moveToOne(property, from: loser, to: survivor, values)
      } else {
        moveAttribute(property, from: loser, to: survivor, values)
      }
    }
    // Ordered relationships first: otherwise, maintaining inverses would insert members before the others.
    for isOrdered in [true, false] {
      for property in loser.layout.toManys
      where property.isOrdered == isOrdered && !property.isTransient {
        moveMembers(property, from: loser, to: survivor)
      }
    }
    places.give(to: survivor)
    survivors[loser.identity] = survivor
    context.dismiss(loser, for: survivor)
  }

  /// Reads all that moves, before anything does.
  ///
  /// - Throws: the store's error.
  private func readWhatMoves(
    from loser: NSManagedObject, to survivor: NSManagedObject, _ context: NSManagedObjectContext
  ) throws {
    let error = context.collectingReadErrors {
      loser.wake()
      survivor.wake()
      for property in loser.layout.toOnes where !property.isTransient && property.inverse != nil {
        loser.toOne(property)?.wake()
      }
      for property in loser.layout.toManys where !property.isTransient {
        for member in loser.loadedMembers(property).objects where property.inverse != nil {
          member.wake()
        }
        guard property.isOrdered, let own = counterpart(property, in: survivor) else { continue }
        _ = survivor.loadedMembers(own)
      }
      OrderedPlaces.read(around: loser)
    }
    if let error { throw error }
  }

  /// Clears the to-one relationships between the two, in both directions and whatever their order, so that the
  /// survivor's are empty and take the loser's destinations.
  private func part(_ loser: NSManagedObject, _ survivor: NSManagedObject) {
    for (object, other) in [(loser, survivor), (survivor, loser)] {
      for property in object.layout.toOnes
      where property.inverse != nil && object.toOne(property) === other {
        object.setToOne(nil, property)
      }
    }
  }

  /// The survivor's property of the same name, if it is of the same kind. Its slot may differ if the two entities
  /// only share a parent.
  private func counterpart(
    _ property: PropertyLayout, in survivor: NSManagedObject
  ) -> PropertyLayout? {
    guard let own = survivor.layout.property(property.name), own.kind == property.kind,
      !own.isTransient, !own.isDerived
    else { return nil }
    return own
  }

  private func moveAttribute(
    _ property: PropertyLayout, from loser: NSManagedObject, to survivor: NSManagedObject,
    _ values: Values
  ) {
    guard let own = counterpart(property, in: survivor) else { return }
    let value = loser.currentValue(at: property.slot)
    let present = survivor.currentValue(at: own.slot)
    guard !value.isNull, value != present,
      values == .losers || values == .ownFirst && present.isNull
    else { return }
    survivor.setAttribute(value, at: own.slot)
  }

  private func moveToOne(
    _ property: PropertyLayout, from loser: NSManagedObject, to survivor: NSManagedObject,
    _ values: Values
  ) {
    guard let former = loser.toOne(property) else { return }
    let target = replacement(of: former.identity) ?? former
    guard !target.awaitsDeletion else { return }
    loser.setToOne(nil, property)
    guard let own = counterpart(property, in: survivor),
      let other = successor(target, replacing: loser, by: survivor),
      own.accepts(other.layout)
    else { return }
    // An inverse may also have referred to the loser.
    let fillsGap = values == .ownFirst || own.inverse != nil
    if values == .losers || fillsGap && survivor.currentValue(at: own.slot).isNull {
      survivor.setToOne(other, own)
    }
  }

  private func moveMembers(
    _ property: PropertyLayout, from loser: NSManagedObject, to survivor: NSManagedObject
  ) {
    let own = counterpart(property, in: survivor)
    for former in loser.loadedMembers(property).objects {
      let target = replacement(of: former.identity) ?? former
      guard !target.awaitsDeletion else { continue }
      loser.remove(former, from: property)
      guard let own, let other = successor(target, replacing: loser, by: survivor),
        own.accepts(other.layout)
      else {
        continue
      }
      survivor.add(other, to: own)
    }
  }

  /// The survivor's destination in place of the loser's `target`: the survivor itself if the loser referred to
  /// itself, and none if the target is the survivor, which would otherwise start to refer to itself, or is gone.
  private func successor(
    _ target: NSManagedObject, replacing loser: NSManagedObject, by survivor: NSManagedObject
  ) -> NSManagedObject? {
    if target === loser { return survivor }
    // What an undo has put back may be a loser itself, which has left the context.
    return target === survivor || !target.isInContext(of: survivor) ? nil : target
  }

  // MARK: References without inverses

  /// Redirects references that have no inverse to the survivors.
  func redirectReferences() {
    guard let context = survivors.first?.value.context else { return }
    for object in context.pendingInserted + context.pendingUpdated {
      for property in object.layout.toOnes {
        guard let id = object.currentValue(at: property.slot).reference,
          let survivor = replacement(of: id)
        else { continue }
        object.setToOne(property.accepts(survivor.layout) ? survivor : nil, property)
      }
      guard object.hasTouchedToManys else { continue }
      for property in object.layout.toManys where property.inverse == nil {
        guard let members = object.membersBySlot[property.slot] else { continue }
        let present = members.isLoaded ? members.objects : members.added
        for target in present {
          guard let survivor = replacement(of: target.identity) else { continue }
          let place = OrderedPlaces(of: target, in: members, for: survivor)
          object.remove(target, from: property)
          guard property.accepts(survivor.layout) else { continue }
          object.add(survivor, to: property)
          place.give(to: survivor)
        }
      }
    }
  }

  /// The object that is there instead of a loser; nil for another object.
  private func replacement(of id: NSManagedObjectID) -> NSManagedObject? {
    guard var last = survivors[id] else { return nil }
    while let next = survivors[last.identity] { last = next }
    return last
  }

  /// Fetches the rows that refer to a loser through relationships without inverses.
  private func fetchReferences(
    to loser: NSManagedObject, _ context: NSManagedObjectContext
  ) throws {
    guard let model = context.modelLayout else { return }
    for layout in model.entities {
      for property in layout.toOnes + layout.toManys {
        // Inherited relationships are handled in the entity that declares them.
        guard property.inverse == nil, !property.isTransient,
          layout.parent?.propertiesByName[property.name] !== property,
          let destination = property.destination, loser.layout.isKind(of: destination)
        else { continue }
        let request = NSFetchRequest<NSManagedObject>()
        request.entity = layout.entity
        request.predicate = NSPredicate(
          format: property.isToMany ? "ANY %K == %@" : "%K == %@",
          argumentArray: [property.name, loser])
        for owner in try context.fetch(request) {
          _ = property.isToMany ? owner.loadedMembers(property) : nil
          owner.willChange()
        }
      }
    }
  }
}

extension NSManagedObject {
  /// Whether the object has nothing but the values of a row: transient ones have their defaults.
  fileprivate final func isAsRead(from row: StoredRow?) -> Bool {
    guard let row, row.version == version, !isFault, !hasChanges, !hasTouchedToManys else {
      return false
    }
    guard layout.transientSlots.isEmpty, layout.transformableSlots.isEmpty else {
      return values == ownValues(ofRow: row.values)
    }
    return row.values.count == layout.valueCount
      && row.values.indices.allSatisfy { currentValue(at: $0) == row.values[$0] }
  }
}
