import DataModels

/// References that stay as they are here although another writer has changed them.
extension VersionResolution {
  /// A to-one relationship that another writer has changed, and that keeps its destination here.
  struct KeptReference {
    let property: PropertyLayout
    /// The destination that was read here, and hasn't been changed: the row is overwritten with it. What was changed here
    /// has been changed on both sides, and is saved with them.
    let restored: NSManagedObject?
    /// Whether ``restored`` is a row that exists no longer.
    let isDangling: Bool
    /// The other writer's destination, if it exists.
    let rejected: NSManagedObject?
    /// Whether it gives way if another writer has given the destination of a one-to-one relationship to another object.
    var yields = false
  }

  /// The references of an object that stay although its row has others.
  ///
  /// - Throws: errors of the store when it is asked for the destinations.
  func referencesKept(
    by object: NSManagedObject, against stored: [StoredValue], _ context: NSManagedObjectContext
  ) throws -> [KeptReference] {
    guard !object.awaitsDeletion else { return [] }
    return try object.layout.toOnes.compactMap { property in
      let slot = property.slot
      guard !property.isTransient, stored.indices.contains(slot),
        object.values[slot] != stored[slot],
        // A one-to-one that another writer has ended and made again looks unchanged here, and so does the other side,
        // if it was read in between.
        object.committed[slot] != stored[slot] || property.inverseIsToOne,
        keeps(property, of: object, against: stored[slot])
      else { return nil }
      let restored =
        object.hasChanged(property)
        ? nil : object.values[slot].reference.map(context.object(with:))
      let rejected = try stored[slot].reference.map(context.object(with:))
        .flatMap { try isThere($0, context) ? $0 : nil }
      return try KeptReference(
        property: property, restored: restored,
        isDangling: restored.map { try !isThere($0, context) } ?? false, rejected: rejected)
    }
  }

  private func keeps(
    _ property: PropertyLayout, of object: NSManagedObject, against stored: StoredValue
  ) -> Bool {
    switch type {
    case .overwriteMergePolicyType: true
    case .mergeByPropertyObjectTrumpMergePolicyType: object.hasChanged(property)
    case .mergeByPropertyStoreTrumpMergePolicyType:
      object.hasChanged(property) && object.committed[property.slot] == stored
    default: false
    }
  }

  /// Lets the other sides of a kept reference follow: the store has them as the other writer has left them.
  func settle(
    _ kept: KeptReference, of object: NSManagedObject, _ context: NSManagedObjectContext
  ) {
    let property = kept.property
    if kept.isDangling { object.replaceValue(at: property.slot, by: .null) }
    guard let inverse = property.inverse else { return }
    if let target = kept.rejected { reject(object, from: target, by: inverse, in: context) }
    guard let target = kept.restored, !kept.isDangling else { return }
    if !inverse.isToMany {
      if !target.hasChanged(inverse) { context.refresh(target, mergeChanges: true) }
      target.wake()
      guard
        !kept.yields || target.currentValue(at: inverse.slot).isNull
          || target.leads(to: object, by: inverse)
      else {
        return object.replaceValue(at: property.slot, by: .null)
      }
      return target.link(object, inverse)
    }
    let members = target.members(inverse)
    if !members.hasChanges { members.forget() }
    // Only the owner writes the position.
    if inverse.isOrdered { target.willChange() }
    members.addAgain(object)
  }

  /// Takes an object out of the other side that the other writer gave it to.
  private func reject(
    _ object: NSManagedObject, from target: NSManagedObject, by inverse: PropertyLayout,
    in context: NSManagedObjectContext
  ) {
    if inverse.isToMany {
      guard let members = target.touchedMembers?[inverse.slot], members.contains(object) else {
        return
      }
      if members.hasChanges { members.exclude(object) } else { members.forget() }
    } else if !target.hasChanged(inverse) {
      context.refresh(target, mergeChanges: true)
      target.unlink(object, inverse)
    }
  }
}
