/// Saving.
extension ReferenceWorld {
  mutating func save(_ c: Int) throws -> Expectation {
    try requireKnownStamps(c)
    let hadChanges = contexts[c].hasChanges
    // Insertions that were deleted again aren't saved.
    if contexts[c].hasChanges {
      try settleLate(c)
      try settle(c)
    }
    guard contexts[c].hasChanges else {
      if hadChanges, othersAwaitSave(c) {
        throw Undecided("whether a save that comes to nothing ends others' events")
      }
      contexts[c].lastSave = SavedNames()
      contexts[c].undo = UndoState()
      contexts[c].undo.last = contexts[c].objects
      if let number = metadata.set, contexts[c].plan.parent == nil { metadata.saved = number }
      return .done
    }
    try willSave(c)
    try requireParentsObjects(c)
    if let code = try invalidity(c) { return .fails(code) }
    if let parent = contexts[c].plan.parent {
      try push(c, into: parent)
      return .done
    }
    let known = Set(contexts[c].objects.keys)
    if let code = try resolveConflicts(c) { return .fails(code) }
    if let code = missingDestinations(c) { return .fails(code) }
    guard !claimsTwice(c) else { throw Undecided("which of two owners keeps a member") }
    // Resolving conflicts may have dropped all changes.
    guard contexts[c].hasChanges || !othersAwaitSave(c) else {
      throw Undecided("whether a save that comes to nothing ends others' events")
    }
    try requireKnownOrder(c)
    try requireNewMembers(c)
    try requireReachedOwners(c)
    write(c)
    // Objects registered to resolve conflicts aren't retained; reading them again would determine the next pinned
    // state.
    if contexts[c].generation != .newest {
      for name in contexts[c].names({ !$0.hasChanges }) where !known.contains(name) {
        contexts[c].objects[name] = nil
      }
    }
    try mergeAutomatically(c)
    return .done
  }

  /// Whether contexts that merge automatically, or the parent, have pending work that the next save would complete.
  private func othersAwaitSave(_ c: Int) -> Bool {
    contexts.indices.contains { other in
      let context = contexts[other]
      let isTold = other != c && context.plan.mergesAutomatically
      guard isTold || contexts[c].plan.parent == other else { return false }
      return isTold && context.generation != .newest
        || context.objects.values.contains { $0.isDeleted && !$0.isPropagated }
    }
  }

  /// Whether a save would have anything to write. Insertions that were deleted again don't count; nil if all other
  /// changes result from these.
  func hasSomethingToSave(_ c: Int) -> Bool? {
    var settled = self
    do { try settled.settle(c) } catch { return contexts[c].hasChanges }
    if settled.contexts[c].hasChanges { return true }
    let others = contexts[c].names { $0.hasChanges && !($0.isInserted && $0.isDeleted) }
    return others.isEmpty ? false : nil
  }

  /// Throws `Undecided` if the parent no longer has an object that is saved into it, because it has dropped an object
  /// that it never saved: which of the possible errors the child's save throws is unspecified.
  private func requireParentsObjects(_ c: Int) throws {
    guard contexts[c].plan.parent != nil else { return }
    for (name, object) in contexts[c].objects where object.hasChanges && !object.isInserted {
      guard try copied({ try $0.row(c, name) }) != nil else {
        throw Undecided("the parent's object is gone")
      }
    }
    // The same for unsaved objects of the parent that relationships refer to, and that may deny a deletion: whether the
    // child notices in time is unspecified.
    let led = contexts[c].objects.values.filter(\.hasChanges).flatMap {
      Array($0.toOnes.values) + $0.toManys.values.flatMap { $0.now + $0.added }
    }
    for name in Set(led).sorted()
    where contexts[c].objects[name]?.isInserted != true && store.rows[name] == nil {
      guard try copied({ try $0.row(c, name) }) != nil else {
        throw Undecided("the parent's object that is led to is gone")
      }
    }
  }

  /// The error code that validation throws.
  mutating func invalidity(_ c: Int) throws -> Int? {
    try requireKnownChanges(c)
    // Before validation reads members.
    let danglingCount = try danglingReferences(c)
    let codes =
      try validationErrors(c) + Array(repeating: ErrorCode.dangling, count: danglingCount)
    if try hasExternalReferences(c) {
      guard codes.isEmpty else { throw Undecided("which error comes first") }
      return ErrorCode.external
    }
    if let first = codes.first { return codes.count == 1 ? first : ErrorCode.multiple }
    try requireNoDangling(c)
    return nil
  }

  /// The error code of new references to rows that don't exist. Where a relationship has an inverse, both sides change
  /// and what another writer deleted is a conflict, which clears it; others are looked for.
  func missingDestinations(_ c: Int) -> Int? {
    let changed = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
    let count = changed.reduce(0) { count, name in
      guard let object = contexts[c].objects[name] else { return count }
      let unguarded = model.relationships(of: object.entity).filter {
        $0.inverse == nil || model.inverse(of: $0)?.rule == .noAction
      }
      return count
        + unguarded.reduce(0) { count, relationship in
          let key = relationship.name
          let isNew = object.toOnes[key] != object.stored?.toOnes[key]
          let new =
            (isNew ? object.toOnes[key].map { [$0] } ?? [] : [])
            + (object.toManys[key]?.difference.added ?? []).filter {
              leadsAnew(c, $0, by: relationship)
            }
          return count
            + new.count { store.rows[$0] == nil && contexts[c].objects[$0]?.isInserted != true }
        }
    }
    return count == 0 ? nil : count == 1 ? ErrorCode.dangling : ErrorCode.multiple
  }

  /// Whether the new member of a relationship has something to write: not if its own reference is what records the
  /// membership, and it has led there before.
  private func leadsAnew(
    _ c: Int, _ member: ObjectName, by relationship: RelationshipPlan
  ) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
      let object = contexts[c].objects[member]
    else { return true }
    return object.toOnes[inverse.name] != object.stored?.toOnes[inverse.name]
  }

  // MARK: Writing

  mutating func write(_ c: Int) {
    let seen = whatIsStillSeen(c)
    defer {
      for (name, relationship) in seen where contexts[c].objects[name] != nil {
        contexts[c].objects[name]?.lastSeen[relationship.name] = store.members(name, relationship)
      }
    }
    var saved = SavedNames()
    for name in contexts[c].names({ $0.isDeleted && !$0.isGone }) {
      store.delete(name)
      contexts[c].objects[name] = nil
      saved.deleted.append(name)
    }
    let changed = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
    for name in changed {
      guard let object = contexts[c].objects[name] else { continue }
      if object.isInserted { saved.inserted.append(name) } else { saved.updated.append(name) }
      guard object.isInserted || store.rows[name] != nil else { continue }
      var row = store.rows[name] ?? StoredRow(entity: object.entity, version: object.lastVersion)
      if object.differsFromRow(persistentOnly: { isStored($0, object.entity) }) {
        object.writeDifferences(to: &row) { isStored($0, object.entity) }
        row.version += 1
      } else if writesMembers(object) {
        row.version += 1
      }
      store.rows[name] = row
    }
    let claims = claims(c)
    for name in changed { writeMembers(c, name) }
    for name in changed {
      guard var object = contexts[c].objects[name] else { continue }
      (object.isInserted, object.isBack, object.isUpdated) = (false, false, false)
      // A row that wasn't written may have changed in the meantime: the object keeps what it read.
      let isWritten =
        object.differsFromRow { isStored($0, object.entity) } || writesMembers(object)
      if isWritten || object.stored == nil { object.stored = store.rows[name] }
      object.stored?.attributes = object.attributes
      object.stored?.toOnes = object.toOnes
      for key in object.toManys.keys { object.toManys[key]?.commit() }
      contexts[c].objects[name] = object
    }
    release(claims, c)
    contexts[c].lastSave = saved
    contexts[c].undo = UndoState()
    contexts[c].undo.last = contexts[c].objects
    if let number = metadata.set { metadata.saved = number }
    (lastWriter, setToLastSave) = (c, [:])
    advance(c)
  }

  /// The relationships that still have the members which were seen: a context's own changes are made to these.
  private func whatIsStillSeen(_ c: Int) -> [(ObjectName, RelationshipPlan)] {
    contexts[c].objects.flatMap { name, object in
      object.lastSeen.compactMap { key, members in
        model.relationship(key).flatMap {
          store.members(name, $0) == members ? (name, $0) : nil
        }
      }
    }
  }

  /// Takes the versions of rows whose position in an order was written from the files.
  ///
  /// - Returns: the first row whose version no written position explains.
  mutating func learnVersions(_ versions: [ObjectName: Int]) -> ObjectName? {
    for name in store.uncertain.sorted() {
      guard let row = store.rows[name], let version = versions[name], version != row.version else {
        continue
      }
      guard version == row.version + 1 else { return name }
      store.rows[name]?.version = version
      for c in contexts.indices where c == lastWriter || setToLastSave[c]?.contains(name) == true {
        guard contexts[c].objects[name]?.stored?.version == row.version else { continue }
        contexts[c].objects[name]?.stored?.version = version
        contexts[c].undo.last[name]?.stored?.version = version
      }
    }
    store.uncertain = []
    return nil
  }

  /// Throws `Undecided` if another writer changed an order that is saved: the resulting positions are unspecified.
  private func requireKnownOrder(_ c: Int) throws {
    var orders: [(owner: ObjectName, RelationshipPlan, Members)] = []
    for (name, object) in contexts[c].objects where !object.isDeleted {
      for (key, members) in object.toManys where members.isRead && members.isOrdered {
        guard let relationship = model.relationship(key) else { continue }
        // Members that another object takes leave an unchanged order, which is read again.
        if relationship.inverse == nil, !isInMemory, !members.hasChanges { continue }
        orders.append((name, relationship, members))
        guard
          !members.hasChanges || object.isInserted
            || store.members(name, relationship) == members.stored
        else {
          throw Undecided("two writers of one order")
        }
      }
    }
    guard !orders.isEmpty else { return }
    var trial = self
    trial.write(c)
    // A row changed by another writer may still refer to the owner, although its object had no destination when it was
    // read here; it then keeps its position, which this context doesn't know. Or a member is added again from its own
    // side, and still has its position in the order here.
    for (owner, relationship, members) in orders {
      let order = trial.store.members(owner, relationship)
      guard
        order == members.now || !members.hasChanges && order == store.members(owner, relationship)
      else { throw Undecided("a member that another writer put into an order, or took out of it") }
    }
  }

  /// Throws `Undecided` if another writer has already made a change of members that weren't read here: whether it counts
  /// as a change of the owner is unspecified.
  private func requireNewMembers(_ c: Int) throws {
    for (name, object) in contexts[c].objects where !object.isDeleted && !object.isInserted {
      for (key, members) in object.toManys where !members.isRead && members.hasChanges {
        guard let relationship = model.relationship(key) else { continue }
        let present = Set(store.members(name, relationship))
        guard present.isDisjoint(with: members.added), present.isSuperset(of: members.removed)
        else { throw Undecided("whether what is so already counts as a change") }
      }
    }
  }

  /// Throws `Undecided` if what is deleted here was deleted by another writer before, and is still shown as a member that
  /// the deletion hasn't reached: whether it is dropped depends on when the members were read.
  private func requireReachedOwners(_ c: Int) throws {
    let deleted = contexts[c].names { $0.isDeleted && !$0.isGone }
    let gone = Set(deleted.filter { store.rows[$0] == nil })
    guard !gone.isEmpty else { return }
    for object in contexts[c].objects.values where !object.isDeleted {
      for (key, members) in object.toManys
      where model.relationship(key)?.inverse != nil && !gone.isDisjoint(with: members.now) {
        throw Undecided("members that another writer has deleted")
      }
    }
  }

  /// Whether an attribute has a column.
  func isStored(_ attribute: String, _ entity: String) -> Bool {
    model.attribute(attribute, of: entity)?.isTransient == false
  }

  private mutating func writeMembers(_ c: Int, _ name: ObjectName) {
    guard let object = contexts[c].objects[name] else { return }
    for relationship in model.relationships(of: object.entity) where relationship.isToMany {
      guard let members = object.toManys[relationship.name], members.hasChanges else { continue }
      let difference = members.difference
      for member in difference.removed { store.unlink(name, relationship, member) }
      for member in difference.added {
        if relationship.inverse == nil, !isInMemory,
          let former = store.owner(of: member, relationship), former != name
        {
          store.unlink(former, relationship, member)
        }
        store.link(name, relationship, member)
      }
      guard relationship.isOrdered else { continue }
      let order = store.members(name, relationship)
      let wanted =
        members.isRead ? members.now : order.filter { !members.added.contains($0) } + members.added
      store.setMembers(
        wanted.filter(order.contains) + order.filter { !wanted.contains($0) }, name, relationship)
    }
  }
}

extension ReferenceObject {
  /// Writes the values that differ from what was read. The others stay as they are in the row, which may have changed
  /// without a new version.
  fileprivate func writeDifferences(to row: inout StoredRow, isStored: (String) -> Bool) {
    let keys = Set(attributes.keys).union(stored?.attributes.keys ?? [:].keys)
    for key in keys where isStored(key) && attributes[key] != stored?.attributes[key] {
      row.attributes[key] = attributes[key]
    }
    let relationships = Set(toOnes.keys).union(stored?.toOnes.keys ?? [:].keys)
    for key in relationships where toOnes[key] != stored?.toOnes[key] {
      row.toOnes[key] = toOnes[key]
    }
  }

  func differsFromRow(persistentOnly isStored: (String) -> Bool) -> Bool {
    guard let stored else { return true }
    return toOnes != stored.toOnes
      || attributes.filter { isStored($0.key) } != stored.attributes.filter { isStored($0.key) }
  }
}
