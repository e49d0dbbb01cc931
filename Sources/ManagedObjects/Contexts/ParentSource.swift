import DataModels

/// A parent context as the source of a context's rows: it adds its own unsaved changes.
struct ParentSource: RowSource {
  let parent: NSManagedObjectContext
  /// Whose source it is.
  let child: NSManagedObjectContext

  func fetch(_ query: RowQuery, into sink: any RowSink) throws -> Bool {
    try reading { send(try parent.fetchObjects(query.request), to: sink) }
    return true
  }

  func fetchRow(_ id: NSManagedObjectID, into sink: any RowSink) throws -> Bool {
    try reading {
      guard let object = try parent.presentObject(with: id), !object.isDeleted else { return false }
      send([object], to: sink)
      return true
    }
  }

  func fetchDestinations(
    of id: NSManagedObjectID, _ property: PropertyLayout, into sink: any RowSink
  ) throws {
    try reading {
      let object = parent.knownOrFault(id)
      send(object.loadedMembers(property).objects.filter { !$0.isDeleted }, to: sink)
    }
  }

  /// Reads from the parent on its queue. What goes wrong there is the child's error and not the parent's, of whose
  /// objects nobody has seen anything wrong: what couldn't be read is a fault yet.
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
    // The parent may have saved just before, and hands over rows under their lasting identities now.
    child.takeLastingIdentities()
    for object in objects {
      let id = object.identity
      sink.begin(id.storeReference)
      let slot = sink.beginRow(of: id.layout, key: id.key, version: object.version)
      if id.isTemporaryID { sink.take(identity: id) }
      guard let slot else { continue }
      object.wake()
      // What couldn't be read is thrown by the caller.
      if !object.isFault { sink.fill(slot, with: values(of: object)) }
    }
  }

  /// An object's values, as a store would give them: what is transient has its default, and new objects are led to
  /// under the identities they have now.
  private func values(of object: NSManagedObject) -> [StoredValue] {
    let layout = object.layout
    var values = lasting(object.values, of: object)
    for slot in layout.unstoredSlots { values[slot] = layout.defaultValues[slot] }
    if layout.toOneSlots.contains(where: { values[$0].reference?.isTemporaryID == true }) {
      child.awaitsIdentities = true
    }
    return values
  }

  /// Values whose references are by the identities that objects have by now.
  private func lasting(_ values: [StoredValue], of object: NSManagedObject) -> [StoredValue] {
    var values = values
    for slot in object.layout.toOneSlots { values[slot] = lasting(values[slot]) }
    return values
  }

  private func lasting(_ value: StoredValue) -> StoredValue {
    guard let id = value.reference, id.isTemporaryID, let lasting = id.successor else {
      return value
    }
    return .reference(lasting)
  }

  func obtainLastingKeys(for objects: [NSManagedObject]) throws -> [LastingKeys] {
    try parent.performAndWait { try parent.source.obtainLastingKeys(for: objects) }
  }

  // MARK: Saving

  /// Makes the changes in the parent, where they wait for its own save.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` for changes of objects that the parent has deleted,
  ///   or finds no row of; what goes wrong when the parent reads what is changed. It has taken in nothing then.
  func save(_ changes: ChangedObjects, whenWritten: (SavedObjects) -> Void) throws {
    try parent.performAndWait {
      let updated = try reading { try objectsThatAreThere(changes.updated) }
      let deleted = try reading {
        try changes.deleted.compactMap { try parent.presentObject(with: $0.identity) }
      }
      if !parent.unusedIdentities.isEmpty { parent.mayDangle = true }
      for object in changes.inserted { insert(object) }
      for object in updated { update(object) }
      for object in changes.inserted + updated { copyToManys(of: object) }
      for object in updated { completeInverses(of: object) }
      for object in deleted { parent.delete(object) }
      whenWritten(SavedObjects(changes))
      parent.processPendingChanges()
    }
  }

  /// The child's objects whose changes the parent can take in, which has read all it needs for that.
  ///
  /// What the parent has deleted stays so, and the child is told. How Core Data takes such a change isn't
  /// documented; a deletion that wins without a word would lose what was typed in.
  private func objectsThatAreThere(_ updated: [NSManagedObject]) throws -> [NSManagedObject] {
    var lost: [NSManagedObject] = []
    let there = try updated.filter { object in
      guard let copy = try parent.presentObject(with: object.identity), !copy.isDeleted else {
        if holdsSomethingNew(object) { lost.append(object) }
        return false
      }
      try readOwners(of: copy, for: object)
      guard object.hasTouchedToManys else { return true }
      for property in object.layout.toManys {
        guard let members = object.membersBySlot[property.slot], members.isLoaded,
          members.hasChanges
        else { continue }
        _ = copy.loadedMembers(property)
      }
      return true
    }
    guard lost.isEmpty else { throw CoreDataError.deletedInParent(lost) }
    return there
  }

  /// Reads those of the parent's objects that a changed to-one leads to, or led to.
  private func readOwners(of copy: NSManagedObject, for object: NSManagedObject) throws {
    for property in object.layout.toOnes
    where property.inverse != nil && object.hasChanged(property) {
      for side in [copy, object] {
        guard let id = side.currentValue(at: property.slot).reference else { continue }
        // Where none is there, none has to be read.
        _ = try parent.presentObject(with: id)
      }
    }
  }

  /// Whether an object's changes are more than references that were taken back, as a deletion's own are.
  private func holdsSomethingNew(_ object: NSManagedObject) -> Bool {
    object.layout.values.contains { property in
      !property.isTransient && object.hasChanged(property)
        && !(property.isRelationship && object.currentValue(at: property.slot).isNull)
    }
      || object.hasTouchedToManys
        && object.layout.toManys.contains {
          object.membersBySlot[$0.slot]?.added.isEmpty == false
        }
  }

  /// Inserts a copy, which takes over values and so isn't awakened as a new object is: Core Data's
  /// documentation has `awakeFromInsert` be called once in an object's life.
  private func insert(_ object: NSManagedObject) {
    // Somebody may have asked the parent for it before: a fault, or one that was found to be nowhere.
    let known = parent.registered(object.identity)
    let copy =
      known ?? ObjectHandoff.makeFault(of: object.layout, identity: object.identity, in: parent)
    copy.state = [.inserted, .insertedInEvent, .changedInEvent]
    parent.reuseIdentity(of: copy)
    copy.values = lasting(object.values, of: object)
    copy.version = max(copy.version, object.version)
    if known == nil { parent.identityMap[copy.identity] = copy }
    for members in copy.toManys { members?.becomeNew() }
    parent.inserted.append(copy)
    parent.event.inserted.append(copy)
  }

  private func update(_ object: NSManagedObject) {
    let copy = parent.knownOrFault(object.identity)
    copy.willChange()
    for property in object.layout.values where object.hasChanged(property) {
      // What the child has may be of before its parent's save.
      let value = lasting(object.currentValue(at: property.slot))
      if let inverse = property.inverse {
        // Both sides of a change are among the child's; what the parent has changed meanwhile isn't.
        let present = copy.currentValue(at: property.slot)
        if present != value, present != lasting(object.committedValue(at: property.slot)),
          let owner = present.reference
        {
          parent.knownOrFault(owner).unlink(copy, inverse)
        }
      }
      copy.replaceValue(at: property.slot, by: value)
      copy.state.insert(.hasLooseEnds)
    }
  }

  /// Has to-manys of the parent's follow the to-ones that were changed. A child that read members after its parent
  /// had changed them has no change of theirs to hand over, and the parent may have taken its own back since.
  private func completeInverses(of object: NSManagedObject) {
    for property in object.layout.toOnes where object.hasChanged(property) {
      guard let inverse = property.inverse, inverse.isToMany else { continue }
      let copy = parent.knownOrFault(object.identity)
      guard let id = copy.currentValue(at: property.slot).reference else { continue }
      let owner = parent.knownOrFault(id)
      if !owner.members(inverse).contains(copy) { owner.link(copy, inverse) }
    }
  }

  /// Does to the parent's destinations what was done to the child's. Both sides of a relationship are among
  /// the changes, so the inverses need no upkeep.
  private func copyToManys(of object: NSManagedObject) {
    let copy = parent.knownOrFault(object.identity)
    for property in object.layout.toManys where !object.membersBySlot.isEmpty {
      guard let members = object.membersBySlot[property.slot], members.hasChanges else { continue }
      if members.isLoaded {
        let merge = MemberMerge(
          from: members.committedObjects.map { parent.knownOrFault($0.identity) },
          to: members.objects.map { parent.knownOrFault($0.identity) },
          isOrdered: property.isOrdered)
        let present = copy.loadedMembers(property)
        present.replace(with: merge.applied(to: present.objects))
      } else {
        let kept = copy.members(property)
        for target in members.removed { kept.remove(parent.knownOrFault(target)) }
        for target in members.added { kept.append(parent.knownOrFault(target.identity)) }
      }
    }
  }
}
