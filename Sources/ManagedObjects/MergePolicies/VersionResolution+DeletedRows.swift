import Foundation

/// Conflicts with deleted rows.
extension VersionResolution {
  /// Resolves a conflict with a deleted row: if the object's changes take precedence, the row is written again with
  /// all its values, otherwise the object is deleted too.
  func resolveDeletion(
    of object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws {
    // What was given up before may have led to it.
    guard comesBack(object) else { return giveUp([object]) }
    // Other rows may have been deleted together with this one, for example by delete rules.
    let partners = try partnersLeft(to: object, context)
    let references = try referencesLeft(to: object, context)
    let members = try membersLeft(to: object, context)
    object.state.remove(.updated)
    context.stopSaving(object)
    object.state.insert(.inserted)
    // The version continues, so that a reader of the row before its deletion detects the new row.
    object.committed = []
    // It was in the store, so it takes precedence over new objects with the same unique values.
    context.inserted.insert(object, at: 0)
    context.unsaved.index = nil
    for reference in references { settle(reference, of: object, context) }
    for partner in partners { settle(partner, of: object) }
    for members in members { restore(members, of: object, context) }
    object.awake(fromSnapshotEvents: .mergePolicy)
  }

  /// Deletes objects whose rows are gone: together, because all others are searched for what leads to them.
  func giveUp(_ objects: [NSManagedObject]) {
    var seen: Set<ObjectIdentifier> = []
    let known = objects.filter { $0.context != nil && seen.insert(ObjectIdentifier($0)).inserted }
    // A save's conflicts are all of one context; a program's may be of several.
    for (_, objects) in Dictionary(grouping: known, by: { $0.context.map(ObjectIdentifier.init) }) {
      guard let context = objects.first?.context else { continue }
      // Unsaved references to them are treated as when a deletion is merged.
      context.dropChanges(of: objects)
      context.exclude(deleted: objects)
      for object in objects { context.forget(object) }
      // Whoever shows them must drop them.
      context.event.takenBack += objects
    }
  }

  /// Whether an object's row is written again, if it is gone.
  func comesBack(_ object: NSManagedObject) -> Bool {
    let staysByChanges =
      type == .mergeByPropertyObjectTrumpMergePolicyType || type == .overwriteMergePolicyType
    return staysByChanges && object.awaitsUpdate && !object.isFault
  }

  /// The references of an object whose row is gone, none of which its destinations know any longer.
  private func referencesLeft(
    to object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> [KeptReference] {
    try object.layout.toOnes.compactMap { property in
      guard !property.isTransient, let target = object.toOne(property) else { return nil }
      return try KeptReference(
        property: property, restored: target, isDangling: !isThere(target, context), rejected: nil,
        // What was only read here gives way to what another writer has set.
        yields: type != .overwriteMergePolicyType && !object.hasChanged(property))
    }
  }

  /// A row that still leads to an object whose own row is gone, by a one-to-one relationship: the rule of the deletion
  /// was to do nothing.
  struct LeftPartner {
    let property: PropertyLayout
    let partner: NSManagedObject
    /// Whether the relationship was changed here.
    let isChanged: Bool
  }

  /// The rows that still lead to an object whose own row is gone.
  func partnersLeft(
    to object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> [LeftPartner] {
    try object.layout.toOnes.flatMap { property -> [LeftPartner] in
      guard property.deleteRule == .noActionDeleteRule, !property.isTransient,
        let inverse = property.inverse, !inverse.isToMany, let destination = property.destination,
        let store = object.identity.storeReference
      else { return [] }
      var query = RowQuery(
        layout: destination, predicate: NSPredicate(format: "%K == %@", inverse.name, object),
        limit: 2)
      query.stores = store.store.map { [$0] }
      let collector = RowCollector()
      _ = try context.source.fetch(query, into: collector)
      // A store in memory leaves the predicate to the context.
      let left = collector.rows.filter {
        $0.values[inverse.slot].reference.map(object.isObject(of:)) ?? false
      }
      return left.compactMap { row in
        let partner = context.knownOrFault(
          NSManagedObjectID(layout: row.layout, store: store, key: row.key))
        guard partner !== object, partner !== object.toOne(property), !partner.awaitsDeletion else {
          return nil
        }
        return LeftPartner(
          property: property, partner: partner, isChanged: object.hasChanged(property))
      }
    }
  }

  /// Lets a row that is written again lead back to the one that still leads to it, or that one lead to it no longer if
  /// the relationship was changed here, or has its former destination again.
  func settle(_ left: LeftPartner, of object: NSManagedObject) {
    guard let inverse = left.property.inverse, let context = object.context,
      !left.partner.hasChanged(inverse)
    else { return }
    context.refresh(left.partner, mergeChanges: true)
    left.partner.wake()
    guard left.partner.leads(to: object, by: inverse) else { return }
    if left.isChanged || !object.currentValue(at: left.property.slot).isNull {
      left.partner.unlink(object, inverse)
    } else {
      object.replaceValue(at: left.property.slot, by: .reference(left.partner.identity))
    }
  }

  /// A to-many relationship of an object whose row is gone.
  private struct LeftMembers {
    let property: PropertyLayout
    let members: ToManyMembers
    /// The members that are rows no longer, or are being deleted.
    let gone: [NSManagedObject]
  }

  private func membersLeft(
    to object: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> [LeftMembers] {
    guard object.hasTouchedToManys else { return [] }
    return try object.layout.toManys.compactMap { property in
      guard let members = object.membersBySlot[property.slot] else { return nil }
      let present = members.isLoaded ? members.objects : members.added
      return try LeftMembers(
        property: property, members: members, gone: present.filter { try !isThere($0, context) })
    }
  }

  /// Lets an object's row that is written again have the members that it has here. What is stored in the members' own
  /// rows, as references to this one, was cleared there and isn't restored: their rows aren't written.
  private func restore(
    _ left: LeftMembers, of object: NSManagedObject, _ context: NSManagedObjectContext
  ) {
    let members = left.members
    guard let inverse = left.property.inverse, !inverse.isToMany else {
      members.becomeNew()
      for target in left.gone { members.remove(target) }
      return
    }
    let present = members.isLoaded ? members.objects : members.added
    members.forget()
    for target in present where target.isOf(context) && !target.awaitsDeletion && !target.isFault {
      guard target.leads(to: object, by: inverse) else { continue }
      if target.hasChanged(inverse) {
        members.append(target)
      } else {
        context.refresh(target, mergeChanges: true)
      }
    }
  }

  func isThere(
    _ target: NSManagedObject, _ context: NSManagedObjectContext
  ) throws -> Bool {
    guard !target.awaitsDeletion else { return false }
    if target.state.contains(.inserted) || returning.contains(ObjectIdentifier(target)) {
      return true
    }
    do {
      return try context.source.fetchRow(target.identity, into: RowCollector())
    } catch let error as NSError where error.code == NSManagedObjectReferentialIntegrityError {
      // Even its store is gone.
      return false
    }
  }
}
