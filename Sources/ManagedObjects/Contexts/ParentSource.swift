import DataModels

/// A parent context as a source of rows, its unsaved changes included.
struct ParentSource: RowSource {
  let parent: NSManagedObjectContext
  /// The context that reads from and saves into the parent.
  let child: NSManagedObjectContext

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    try reading { send(try parent.fetchObjects(query.request), to: sink) }
    return true
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    try reading {
      guard let object = try parent.presentObject(with: id), !object.awaitsDeletion else {
        return false
      }
      send([object], to: sink)
      return true
    }
  }

  func hasLastingRow(_ id: NSManagedObjectID) throws -> Bool {
    try reading {
      guard let object = parent.registered(id) else { return try parent.hasLastingRow(id) }
      if object.awaitsInsertion { return true }
      // What the parent is about to delete, unless others have deleted it before.
      if object.awaitsDeletion, !object.state.contains(.inaccessible) { return false }
      return try parent.hasLastingRow(object.identity)
    }
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    try reading {
      let object = parent.knownOrFault(id)
      send(object.loadedMembers(property).objects.filter { !$0.awaitsDeletion }, to: sink)
    }
  }

  /// Reads from the parent on its queue. A read error is the child's, not the parent's: no one has seen wrong values
  /// in the parent's objects, because objects that couldn't be read are still faults.
  private func reading<Result>(_ body: () throws -> Result) throws -> Result {
    try parent.performAndWait {
      let earlier = parent.faultingError
      parent.faultingError = nil
      defer { parent.faultingError = earlier }
      let result = try body()
      if let error = parent.faultingError { throw error }
      return result
    }
  }

  private func send(_ objects: [NSManagedObject], to sink: any RowSink) {
    // The parent may have just been saved, and now returns rows under permanent IDs.
    child.adoptPermanentIDs()
    for object in objects {
      let id = object.identity
      sink.begin(id.storeReference)
      let slot = sink.beginRow(of: id.layout, key: id.key, version: object.version)
      if id.isTemporary { sink.take(identity: id) }
      guard let slot else { continue }
      object.wake()
      // If the read failed, the caller throws.
      if !object.isFault { sink.fill(slot, with: values(of: object)) }
    }
  }

  /// An object's values as a store would return them: transient values are defaults, and references to new objects
  /// use their present IDs.
  private func values(of object: NSManagedObject) -> [StoredValue] {
    let layout = object.layout
    var values = permanent(object.values, of: object)
    for slot in layout.unstoredSlots { values[slot] = layout.defaultValues[slot] }
    if layout.toOneSlots.contains(where: { values[$0].reference?.isTemporary == true }) {
      child.awaitsIdentities = true
    }
    return values
  }

  /// Values with references by the objects' present IDs.
  private func permanent(_ values: [StoredValue], of object: NSManagedObject) -> [StoredValue] {
    var values = values
    for slot in object.layout.toOneSlots { values[slot] = permanent(values[slot]) }
    return values
  }

  private func permanent(_ value: StoredValue) -> StoredValue {
    guard let id = value.reference, id.isTemporary, let permanent = id.successor else {
      return value
    }
    return .reference(permanent)
  }

  func obtainPermanentKeys(for objects: [NSManagedObject]) throws -> [PermanentKeys] {
    try parent.performAndWait { try parent.source.obtainPermanentKeys(for: objects) }
  }

  // MARK: Saving

  /// Applies the changes to the parent, which saves them later.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` for changes to objects that the parent has deleted, or
  ///   whose rows it doesn't find; errors when the parent reads the changed objects. Nothing has been applied then.
  func save(_ changes: ChangedObjects, whenWritten: (SavedObjects) -> Void) throws {
    try parent.performAndWait {
      let updated = try reading { try objectsThatAreThere(changes.updated) }
      let deleted = try reading { try deletionsThatAreLeft(changes.deleted) }
      let back = try reading { try rowsThatAreLeft(changes.inserted) }
      if !parent.unusedIdentities.isEmpty { parent.saveDoubts.insert(.cancelledInsertions) }
      for object in changes.inserted {
        if let copy = back[ObjectIdentifier(object)] {
          bringBack(object, as: copy)
        } else {
          insert(object)
        }
      }
      for object in updated { update(object) }
      for object in changes.inserted + updated { copyToManys(of: object) }
      for object in updated { completeInverses(of: object) }
      for object in changes.inserted where back[ObjectIdentifier(object)] != nil {
        completeInverses(of: object)
      }
      // By the relationships as the child had left them: what it had taken out of a deleted object stays.
      for (object, _) in deleted { updateRelationships(ofDeleted: object) }
      for (_, copy) in deleted { parent.delete(copy) }
      // The parent's save compares their versions.
      for object in changes.guarded {
        parent.guardVersion(of: parent.knownOrFault(object.identity))
      }
      whenWritten(SavedObjects(changes))
      parent.processPendingChanges()
    }
  }

  /// The child's objects whose changes the parent can apply, after reading all it needs for that.
  ///
  /// Objects that the parent has deleted stay deleted, and the child gets an error. Core Data's behavior isn't
  /// documented here; a silent deletion would lose the user's edits.
  private func objectsThatAreThere(_ updated: [NSManagedObject]) throws -> [NSManagedObject] {
    var lost: [NSManagedObject] = []
    let there = try updated.filter { object in
      guard let copy = try parent.presentObject(with: object.identity), !copy.awaitsDeletion else {
        if refersToUnsaved(object) { lost.append(object) }
        return false
      }
      try readOwners(of: copy, for: object)
      readMembers(of: copy, for: object)
      return true
    }
    guard lost.isEmpty else { throw CoreDataError.deletedInParent(lost) }
    return there
  }

  /// The child's deleted objects that the parent still has, with the parent's, after reading all that their deletion
  /// needs.
  private func deletionsThatAreLeft(
    _ deleted: [NSManagedObject]
  ) throws -> [(object: NSManagedObject, copy: NSManagedObject)] {
    try deleted.compactMap { object in
      guard let copy = try parent.presentObject(with: object.identity) else { return nil }
      if !copy.awaitsDeletion {
        try readOwners(of: copy, for: object)
        readMembers(of: copy, for: object)
      }
      return (object, copy)
    }
  }

  /// The parent's objects for those that the child has brought back, of which the rows were never deleted: the parent has
  /// only been asked to delete them, or has taken that back.
  private func rowsThatAreLeft(
    _ inserted: [NSManagedObject]
  ) throws -> [ObjectIdentifier: NSManagedObject] {
    var left: [ObjectIdentifier: NSManagedObject] = [:]
    for object in inserted {
      // A new object has no row, and none is looked for.
      let wasThere =
        object.version != 0 || object.identity.successor != nil
        || parent.registered(object.identity) != nil
      guard wasThere else { continue }
      guard let copy = try parent.presentObject(with: object.identity), !copy.awaitsInsertion else {
        continue
      }
      try readOwners(of: copy, for: object)
      readMembers(of: copy, for: object)
      left[ObjectIdentifier(object)] = copy
    }
    return left
  }

  /// Reads the members of the parent's relationships that a child has changed member by member, or that get a member
  /// back which the parent has removed.
  private func readMembers(of copy: NSManagedObject, for object: NSManagedObject) {
    guard object.hasTouchedToManys else { return }
    for property in object.layout.toManys {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      if members.isLoaded {
        _ = copy.loadedMembers(property)
      } else {
        for target in members.added {
          _ = copy.members(property, toAdd: parent.knownOrFault(target.identity))
        }
      }
    }
  }

  /// Reads the parent's objects that a changed to-one relationship refers to, or referred to.
  private func readOwners(of copy: NSManagedObject, for object: NSManagedObject) throws {
    for property in object.layout.toOnes
    where property.inverse != nil && object.hasChanged(property) {
      for side in [copy, object] {
        guard let id = side.currentValue(at: property.slot).reference else { continue }
        // If there is no such object, there is nothing to read.
        _ = try parent.presentObject(with: id)
      }
    }
  }

  /// Whether an object's changes are more than cleared references, which a deletion causes too.
  private func refersToUnsaved(_ object: NSManagedObject) -> Bool {
    object.layout.values.contains { property in
      !property.isTransient && object.hasChanged(property)
        && !(property.isRelationship && object.currentValue(at: property.slot).isNull)
    }
      || object.hasTouchedToManys
        && object.layout.toManys.contains {
          object.membersBySlot[$0.slot]?.added.isEmpty == false
        }
  }

  /// Inserts a copy. It takes over values, so it isn't awakened as a new object: according to Core Data's
  /// documentation, `awakeFromInsert` is called once in an object's lifetime.
  private func insert(_ object: NSManagedObject) {
    // The parent may have registered it before, as a fault or as an object that wasn't found anywhere.
    let known = parent.registered(object.identity)
    // An object that was in the store keeps its place there.
    let identity = object.identity.successor ?? object.identity
    let copy = known ?? ObjectHandoff.makeFault(of: object.layout, identity: identity, in: parent)
    // Whoever observes it already still does.
    copy.state.formIntersection([.observed, .noticesReads])
    copy.state.formUnion([.inserted, .insertedInEvent, .changedInEvent])
    if object.layout.noticesReads { copy.state.insert(.noticesReads) }
    parent.reuseIdentity(of: copy)
    copy.values = permanent(object.values, of: object)
    copy.version = max(copy.version, object.version)
    if known == nil { parent.identityMap[copy.identity] = copy }
    // Its store may be gone by now: the save that writes it finds that.
    if copy.isTemporary, let store = object.scratch?.assignedStore {
      copy.keepAssignment(to: store)
    }
    for members in copy.toManys { members?.becomeNew() }
    parent.inserted.append(copy)
    parent.event.inserted.append(copy)
    if parent.noticesTurns { parent.noticeTurn() }
  }

  /// Applies all values of an object that the child has brought back.
  private func bringBack(_ object: NSManagedObject, as copy: NSManagedObject) {
    if copy.awaitsDeletion {
      parent.undelete(copy)
      parent.event.inserted.append(copy)
    }
    copy.willChange()
    for property in object.layout.values where !property.isTransient {
      let value = permanent(object.currentValue(at: property.slot))
      let present = copy.currentValue(at: property.slot)
      guard present != value else { continue }
      if let inverse = property.inverse, let owner = present.reference {
        parent.knownOrFault(owner).unlink(copy, inverse)
      }
      copy.decodeBeforeChange(of: property)
      copy.replaceValue(at: property.slot, by: value)
      copy.state.insert(.hasLooseEnds)
    }
  }

  /// Applies the child's changes of a deleted object's relationships, so that the parent's delete rules meet the same
  /// members as the child's did, and those that the parent has added.
  private func updateRelationships(ofDeleted object: NSManagedObject) {
    guard !parent.knownOrFault(object.identity).awaitsDeletion else { return }
    update(object, object.layout.toOnes)
    copyToManys(of: object)
    let copy = parent.knownOrFault(object.identity)
    for property in object.layout.toOnes where object.hasChanged(property) {
      guard let inverse = property.inverse, inverse.isToMany else { continue }
      leaveFormerOwner(of: object, copy: copy, by: property, inverse: inverse)
    }
  }

  private func update(_ object: NSManagedObject) { update(object, object.layout.values) }

  private func update(_ object: NSManagedObject, _ properties: [PropertyLayout]) {
    let copy = parent.knownOrFault(object.identity)
    copy.willChange()
    for property in properties where object.hasChanged(property) {
      // The child's value may date from before its parent's save.
      let value = permanent(object.currentValue(at: property.slot))
      if let inverse = property.inverse {
        // Both sides of a change are among the child's changes; what the parent has changed meanwhile isn't. Nor is a
        // former partner that the child has found deleted, and that the parent has brought back.
        let present = copy.currentValue(at: property.slot)
        let isMine = present == permanent(object.committedValue(at: property.slot))
        if present != value, !isMine || !inverse.isToMany, let owner = present.reference {
          parent.knownOrFault(owner).unlink(copy, inverse)
        }
      }
      copy.decodeBeforeChange(of: property)
      copy.replaceValue(at: property.slot, by: value)
      copy.state.insert(.hasLooseEnds)
    }
  }

  /// Updates the parent's to-many relationships to match the changed to-one relationships. A child that read members
  /// after its parent had changed them has no change of its own to pass on, and the parent may have reverted its
  /// change since.
  private func completeInverses(of object: NSManagedObject) {
    for property in object.layout.toOnes where object.hasChanged(property) {
      guard let inverse = property.inverse, inverse.isToMany else { continue }
      let copy = parent.knownOrFault(object.identity)
      leaveFormerOwner(of: object, copy: copy, by: property, inverse: inverse)
      guard let id = copy.currentValue(at: property.slot).reference else { continue }
      let owner = parent.knownOrFault(id)
      if !owner.members(inverse).contains(copy) { owner.link(copy, inverse) }
    }
  }

  /// Takes an object out of the relationship of the parent's object that it leads to no longer, if that still has it: the child
  /// may have read the owner's members before the parent had added it.
  private func leaveFormerOwner(
    of object: NSManagedObject, copy: NSManagedObject, by property: PropertyLayout,
    inverse: PropertyLayout
  ) {
    guard let id = permanent(object.committedValue(at: property.slot)).reference,
      let former = parent.registered(id), former.isOf(parent), !former.awaitsDeletion,
      !copy.leads(to: former, by: property),
      former.touchedMembers?[inverse.slot]?.contains(copy) == true
    else { return }
    former.unlink(copy, inverse)
  }

  /// Clears the other side of a removal, if it isn't among the child's changes: another writer has related the two since
  /// the parent read the removed object, and only the owner's members tell it.
  private func completeRemoval(
    of target: NSManagedObject, from copy: NSManagedObject, _ property: PropertyLayout
  ) {
    guard let inverse = property.inverse, !inverse.isToMany, target.context === parent,
      !target.awaitsDeletion
    else { return }
    target.wake()
    guard !target.awaitsDeletion, !target.isFault else { return }
    parent.learn(of: copy, target, inverse)
    if target.leads(to: copy, by: inverse) { target.unlink(copy, inverse) }
  }

  /// Applies the child's changes of to-many relationships to the parent. Both sides of a relationship are among the
  /// changes, so inverses need no maintenance.
  private func copyToManys(of object: NSManagedObject) {
    let copy = parent.knownOrFault(object.identity)
    for property in object.layout.toManys where !object.membersBySlot.isEmpty {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      if members.isLoaded {
        let present = copy.loadedMembers(property)
        if property.isOrdered {
          let merge = MemberMerge(
            from: members.committedObjects.map { parent.knownOrFault($0.identity) },
            to: members.objects.map { parent.knownOrFault($0.identity) },
            isOrdered: true)
          present.replace(with: merge.applied(to: present.objects))
        } else {
          // The same without looking at all members. A deleted one that was put back is both removed and added.
          for target in members.removedObjects where !members.contains(target) {
            present.remove(parent.knownOrFault(target.identity))
          }
          for target in members.added where !members.hasRemoved(target) {
            present.append(parent.knownOrFault(target.identity), returns: true)
          }
        }
        for target in members.removedObjects {
          completeRemoval(of: parent.knownOrFault(target.identity), from: copy, property)
        }
      } else {
        for target in members.removed {
          let target = parent.knownOrFault(target)
          copy.members(property, toRemove: target).remove(target)
          completeRemoval(of: target, from: copy, property)
        }
        for target in members.added {
          let target = parent.knownOrFault(target.identity)
          copy.members(property, toAdd: target).append(target)
        }
      }
    }
  }
}
