/// Conflicts with other writers.
extension ReferenceWorld {
  /// Resolves the conflicts of a save by the context's policy until there are none left.
  ///
  /// - Returns: the error code, if the save fails.
  mutating func resolveConflicts(_ c: Int) throws -> Int? {
    // The merged changes can't be undone by themselves.
    let (policy, generation) = (contexts[c].plan.policy, contexts[c].generation)
    defer { contexts[c].generation = generation }
    for _ in 0..<16 {
      let versions = versionConflicts(c)
      let clashes = try versions.isEmpty ? clashes(c) : []
      guard !versions.isEmpty || !clashes.isEmpty else { return nil }
      guard policy != .error else {
        if versions.isEmpty { try loadRows(of: clashes, c) }
        if hasStalePartner(c) { throw Undecided("what a failing save finds changed in a partner") }
        return versions.isEmpty ? ErrorCode.constraint : ErrorCode.merge
      }
      contexts[c].undo.isBlocked = true
      // Conflicts are resolved with the newest rows, even if the context is pinned to an older state.
      contexts[c].generation = .newest
      if clashes.count > 1 {
        try requireSeparateRows(clashes)
        try requireSeparateOrders(clashes, c)
        try requireSeparatePartners(clashes, c)
      }
      let known = contexts[c].names(\.hasChanges)
      isResolving = true
      if policy == .rollback {
        // The changes' effects on other objects are reverted before any object is set to its row.
        for name in versions where store.rows[name] != nil { try takeBackRelationships(c, name) }
      }
      for name in versions { try resolve(c, name, policy) }
      for clash in clashes { try resolve(c, clash, policy) }
      isResolving = false
      try settle(c)
      try willSave(c, besides: known)
      if let code = try invalidity(c) { return code }
    }
    throw Undecided("conflicts without end")
  }

  /// Whether a changed one-to-one relationship leads, or led, to an object whose row has another value than was read: a save
  /// makes the value that stays a change.
  private func hasStalePartner(_ c: Int) -> Bool {
    contexts[c].names(\.hasChanges).contains { name in
      guard let object = contexts[c].objects[name] else { return false }
      return model.relationships(of: object.entity).contains { relationship in
        let (now, before) = (
          object.toOnes[relationship.name], object.stored?.toOnes[relationship.name]
        )
        guard !relationship.isToMany, now != before else { return false }
        return [now, before].compactMap { $0 }.contains { partner in
          leadsOneToOne(c, partner, relationship)
            && !isPartnerAsRead(c, partner, relationship)
        }
      }
    }
  }

  /// Whether the row of a partner leads where it did when it was read.
  private func isPartnerAsRead(
    _ c: Int, _ partner: ObjectName, _ relationship: RelationshipPlan
  ) -> Bool {
    guard let inverse = model.inverse(of: relationship), let row = store.rows[partner] else {
      return true
    }
    return contexts[c].objects[partner]?.stored?.toOnes[inverse.name] == row.toOnes[inverse.name]
  }

  /// Loads the objects of the conflicting rows, because the error contains them.
  private mutating func loadRows(of clashes: [Clash], _ c: Int) throws {
    contexts[c].generation = .newest
    for clash in clashes where clash.objects.count == 1 {
      guard let row = clash.row, let object = contexts[c].objects[row] else { continue }
      if object.isGone { throw Undecided("the object of a row that is there again") }
      guard object.isFault else { continue }
      _ = try load(c, row)
    }
  }

  /// Whether a save has conflicts that the policy resolves: a rollback doesn't undo this.
  func resolvesConflicts(_ c: Int) -> Bool {
    guard contexts[c].plan.policy != .error else { return false }
    var settled = self
    do {
      try settled.settle(c)
      return try !settled.versionConflicts(c).isEmpty || !settled.clashes(c).isEmpty
    } catch {
      return true
    }
  }

  /// The objects whose rows another writer changed or deleted. Deleting a row that is already deleted is no conflict.
  private func versionConflicts(_ c: Int) -> [ObjectName] {
    contexts[c].names { ($0.isUpdated || $0.isDeleted) && !$0.isInserted && !$0.isGone }
      .filter { name in
        guard let object = contexts[c].objects[name], let stored = object.stored else {
          return false
        }
        guard object.isDeleted || writesRow(object) else { return false }
        guard let row = store.rows[name] else { return !object.isDeleted }
        return row.version != stored.version
      }
  }

  /// Whether saving an object writes its row: because values differ, or because its members change, which increments
  /// its version, wherever they are stored.
  func writesRow(_ object: ReferenceObject) -> Bool {
    object.differsFromRow { isStored($0, object.entity) } || writesMembers(object)
  }

  /// Whether saving an object changes its members.
  func writesMembers(_ object: ReferenceObject) -> Bool {
    object.toManys.values.contains(where: \.hasChanges)
  }

  // MARK: One object

  private mutating func resolve(
    _ c: Int, _ name: ObjectName, _ policy: ContextPlan.Policy
  ) throws {
    guard let object = contexts[c].objects[name] else { return }
    guard let row = store.rows[name].map(withDefaults) else {
      return try resolveDeletion(c, name, object, policy)
    }
    if policy == .rollback { return try dropChanges(c, name, onto: row) }
    // A deleted object stays deleted, but its current related objects may deny the deletion.
    try merge(c, name, object, onto: row, policy)
  }

  /// Merges an object's values with those of its row, property by property.
  private mutating func merge(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject, onto row: StoredRow,
    _ policy: ContextPlan.Policy
  ) throws {
    guard let stored = object.stored else { return }
    /// Chooses between values, given the one that was read, the object's current one, and the row's current one.
    func choice<Value: Equatable>(_ before: Value?, _ mine: Value?, _ theirs: Value?) -> Value? {
      switch policy {
      // What stays deleted needs its present relationships, for its delete rules.
      case _ where object.isDeleted: theirs
      case .overwrite: mine
      case .objectTrump: mine != before ? mine : theirs
      default: mine != before && theirs == before ? mine : theirs
      }
    }
    contexts[c].objects[name]?.stored = row
    for attribute in model.attributes(of: object.entity) {
      let key = attribute.name
      guard !attribute.isTransient else {
        contexts[c].objects[name]?.stored?.attributes[key] = stored.attributes[key]
        continue
      }
      contexts[c].objects[name]?.attributes[key] = choice(
        stored.attributes[key], object.attributes[key], row.attributes[key])
    }
    for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
      let key = relationship.name
      let (mine, theirs) = (object.toOnes[key], row.toOnes[key])
      let chosen = choice(stored.toOnes[key], mine, theirs)
      contexts[c].objects[name]?.toOnes[key] = chosen
      if chosen != mine {
        try turn(c, name, relationship, from: mine, to: chosen)
      } else if let theirs, mine != theirs, leadsOneToOne(c, theirs, relationship) {
        throw Undecided("a former partner that was read before others led it here")
      } else if let mine, mine != theirs, leadsOneToOne(c, mine, relationship),
        !isPartnerInStore(mine, of: name, relationship)
      {
        throw Undecided("a partner that was read before others led it away")
      } else if mine != theirs, stored.toOnes[key] != theirs {
        try keep(c, name, relationship, theirs, isRestored: stored.toOnes[key] == mine)
      }
    }
    // To-many relationships have no values to merge: the members added and removed here are applied to the store's
    // current ones.
    let members = contexts[c].objects[name]?.toManys ?? [:]
    contexts[c].objects[name]?.toManys = object.isDeleted ? [:] : members.filter(\.value.hasChanges)
    if !object.isDeleted { try rebaseMembers(c, name) }
    // The delete rules reach what others have related to it since.
    if object.isDeleted { contexts[c].objects[name]?.isPropagated = false }
  }

  /// Whether a context has an object whose one-to-one relationship isn't a change there: it doesn't know of the partner that
  /// others have led to it.
  private func leadsOneToOne(
    _ c: Int, _ partner: ObjectName, _ relationship: RelationshipPlan
  ) -> Bool {
    guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
      let object = contexts[c].objects[partner], !object.isFault, !object.isDeleted
    else { return false }
    return object.toOnes[inverse.name] == object.stored?.toOnes[inverse.name]
  }

  /// Whether the row of a partner leads back to an object.
  private func isPartnerInStore(
    _ partner: ObjectName, of name: ObjectName, _ relationship: RelationshipPlan
  ) -> Bool {
    model.inverse(of: relationship).map { store.rows[partner]?.toOnes[$0.name] == name } ?? true
  }

  /// Applies the changes of relationships that were read to the members that there are now.
  private mutating func rebaseMembers(_ c: Int, _ name: ObjectName) throws {
    let read = contexts[c].objects[name]?.toManys.filter(\.value.isRead) ?? [:]
    for (key, old) in read.sorted(by: { $0.key < $1.key }) {
      guard let relationship = model.relationship(key) else { continue }
      let difference = old.difference
      contexts[c].objects[name]?.toManys[key] = Members(
        isOrdered: old.isOrdered, added: difference.added, removed: difference.removed)
      _ = try readMembers(c, name, relationship)
      let present = self.members(c, name, key).stored
      if model.inverse(of: relationship)?.isToMany == false,
        difference.added.contains(where: present.contains)
      {
        throw Undecided("whether what is so already counts as a change")
      }
      guard relationship.isOrdered else { continue }
      guard present == old.stored else {
        throw Undecided("two writers of one order")
      }
      contexts[c].objects[name]?.toManys[key] = old
    }
  }

  /// Updates the other sides of a to-one relationship that keeps its destination though another writer has changed it.
  ///
  /// - Parameter isRestored: whether nothing was changed about it here, so that the other side must be saved, too.
  private mutating func keep(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan, _ theirs: ObjectName?,
    isRestored: Bool
  ) throws {
    let kept = isRestored ? contexts[c].objects[name]?.toOnes[relationship.name] : nil
    if let kept, store.rows[kept] == nil || contexts[c].objects[kept]?.isDeleted == true {
      throw Undecided("a reference to what is gone, kept by overwriting")
    }
    guard let inverse = model.inverse(of: relationship) else { return }
    guard inverse.isToMany else {
      guard theirs == nil, kept == nil else { throw Undecided("a one-to-one in a conflict") }
      return
    }
    if let theirs, let members = contexts[c].objects[theirs]?.toManys[inverse.name],
      members.contains(name)
    {
      guard !members.hasChanges else { throw Undecided("two writers of one relationship") }
      contexts[c].objects[theirs]?.toManys[inverse.name] = nil
    }
    guard let kept else { return }
    if let members = contexts[c].objects[kept]?.toManys[inverse.name], members.hasChanges {
      throw Undecided("two writers of one relationship")
    }
    if contexts[c].objects[kept]?.isUpdated == true {
      throw Undecided("whether an owner that gets its member back has changed")
    }
    contexts[c].objects[kept]?.toManys[inverse.name] = nil
    guard inverse.isOrdered else { return }
    // The position is written with the owner.
    try change(c, kept) {
      $0.toManys[inverse.name] = Members(isOrdered: true, added: [name])
    }
  }

  /// Updates the other sides of a to-one relationship whose destination was changed to the store's.
  private mutating func turn(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan, from old: ObjectName?,
    to new: ObjectName?
  ) throws {
    guard let inverse = model.inverse(of: relationship) else { return }
    guard inverse.isToMany else { throw Undecided("a one-to-one in a conflict") }
    for (target, isHere) in [(old, false), (new, true)] {
      guard let target, var members = contexts[c].objects[target]?.toManys[inverse.name] else {
        continue
      }
      if isHere { members.append(name) } else { members.remove(name) }
      // A relationship that wasn't changed here is read again.
      let isChanged = contexts[c].objects[target]?.toManys[inverse.name]?.hasChanges == true
      guard !isChanged || !inverse.isOrdered else { throw Undecided("two writers of one order") }
      guard !isChanged || contexts[c].objects[name]?.isDeleted == false else {
        throw Undecided("whether what is to be deleted becomes a member of what others led it to")
      }
      contexts[c].objects[target]?.toManys[inverse.name] = isChanged ? members : nil
    }
  }

  /// Resolves a conflict with a deleted row: either the object's changes win, and it is written again with all its
  /// values, or the object is deleted too.
  private mutating func resolveDeletion(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject, _ policy: ContextPlan.Policy
  ) throws {
    guard object.toOnes.isEmpty, object.stored?.toOnes.isEmpty != false,
      object.toManys.values.allSatisfy(\.areNone),
      object.maybeRead.allSatisfy({ object.lastSeen[$0, default: []].isEmpty }),
      !contexts.contains(where: { $0.objects.values.contains { $0.leads(to: name) } })
    else { throw Undecided("relationships of what was changed here and deleted there") }
    guard policy == .objectTrump || policy == .overwrite else {
      contexts[c].objects[name] = nil
      return
    }
    var object = object
    object.lastVersion = object.stored?.version ?? 0
    (object.stored, object.isInserted, object.isBack, object.isUpdated) = (nil, true, true, false)
    for relationship in model.relationships(of: object.entity) where relationship.isToMany {
      let inverse = model.inverse(of: relationship)
      if inverse?.isToMany == false {
        // The members' own rows tell.
        object.toManys[relationship.name] = nil
      } else {
        // Like in a new object, the members are known: those that were read or changed.
        object.toManys[relationship.name]?.isRead = true
      }
    }
    contexts[c].objects[name] = object
  }

  // MARK: Dropping changes

  /// Sets an object to its row, and reverts the effects of its changes on other objects.
  mutating func dropChanges(_ c: Int, _ name: ObjectName, onto row: StoredRow) throws {
    try takeBackRelationships(c, name)
    guard let object = contexts[c].objects[name], let stored = object.stored else { return }
    for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
      let (mine, theirs) = (stored.toOnes[relationship.name], row.toOnes[relationship.name])
      if mine != theirs { try turn(c, name, relationship, from: mine, to: theirs) }
    }
    var dropped = object
    dropped.take(row)
    (dropped.isUpdated, dropped.isDeleted, dropped.isPropagated) = (false, false, false)
    dropped.toManys = [:]
    for attribute in model.attributes(of: object.entity) where attribute.isTransient {
      dropped.attributes[attribute.name] = object.attributes[attribute.name]
      dropped.stored?.attributes[attribute.name] = object.stored?.attributes[attribute.name]
    }
    contexts[c].objects[name] = dropped
    try keepMembers(c, name, object)
  }

  /// Reverts the effects of an object's changes on other objects.
  private mutating func takeBackRelationships(_ c: Int, _ name: ObjectName) throws {
    guard let object = contexts[c].objects[name], let stored = object.stored else { return }
    // What it led to may have been read and cleared without being kept.
    let isAlone =
      !hasRelationships(object)
      && !contexts[c].objects.contains { $0.key != name && $0.value.leads(to: name) }
    guard !object.isDeleted || isAlone else {
      throw Undecided("what a deletion that is dropped had done")
    }
    for relationship in model.relationships(of: object.entity) {
      let key = relationship.name
      if !relationship.isToMany {
        let before = stored.toOnes[key]
        guard object.toOnes[key] != before, relationship.inverse != nil else { continue }
        if let before, contexts[c].objects[before]?.isDeleted == true || store.rows[before] == nil {
          throw Undecided("it led to what is gone")
        }
        if let inverse = model.inverse(of: relationship), !inverse.isToMany,
          let now = object.toOnes[key].flatMap({ contexts[c].objects[$0] }),
          now.toOnes[inverse.name] == now.stored?.toOnes[inverse.name]
        {
          throw Undecided("a one-to-one that another writer has made, too")
        }
        try point(c, name, key, before)
        if let before, let inverse = model.inverse(of: relationship) {
          contexts[c].objects[before]?.toManys[inverse.name]?.moveToStoredPlace(name)
        }
      } else if let members = object.toManys[key], members.hasChanges,
        model.inverse(of: relationship)?.isToMany == true
      {
        try takeBackMembers(c, name, relationship, members.difference)
      }
    }
  }

  /// Reverts changes of members on both sides. The other side is skipped where it already had the added member or
  /// already lacked the removed one, because it was read at another time: it wasn't changed then.
  private mutating func takeBackMembers(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan,
    _ difference: (added: [ObjectName], removed: [ObjectName])
  ) throws {
    let key = relationship.name
    guard let inverse = model.inverse(of: relationship) else { return }
    for member in difference.added {
      if members(c, member, inverse.name).difference.added.contains(name) {
        try remove(c, name, key, member)
      } else {
        contexts[c].objects[name]?.toManys[key]?.remove(member)
      }
    }
    for member in difference.removed where contexts[c].objects[member]?.isDeleted != true {
      if members(c, member, inverse.name).difference.removed.contains(name) {
        try add(c, name, key, member)
        contexts[c].objects[member]?.toManys[inverse.name]?.moveToStoredPlace(name)
      } else {
        contexts[c].objects[name]?.toManys[key]?.append(member)
      }
    }
  }

  /// Keeps the members whose own changes, which aren't dropped, refer to the object.
  private mutating func keepMembers(
    _ c: Int, _ name: ObjectName, _ before: ReferenceObject
  ) throws {
    for relationship in model.relationships(of: before.entity) where relationship.isToMany {
      guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
        let members = before.toManys[relationship.name]
      else { continue }
      let kept = members.difference.added.filter { member in
        contexts[c].objects[member].map {
          // A destination that is the same in the member's row isn't the member's own change.
          !$0.isDeleted && $0.toOnes[inverse.name] == name
            && $0.stored?.toOnes[inverse.name] != name
        } == true
      }
      guard !kept.isEmpty else { continue }
      try change(c, name) {
        $0.toManys[relationship.name] = Members(isOrdered: relationship.isOrdered, added: kept)
      }
    }
  }

  private func hasRelationships(_ object: ReferenceObject) -> Bool {
    !object.toOnes.isEmpty || object.stored?.toOnes.isEmpty == false
      || object.toManys.values.contains { !$0.areNone }
  }
}

extension ReferenceObject {
  /// Whether a relationship refers to an object, or did, as far as is known.
  func leads(to name: ObjectName) -> Bool {
    toOnes.values.contains(name) || stored?.toOnes.values.contains(name) == true
      || toManys.values.contains { ($0.now + $0.stored + $0.added + $0.removed).contains(name) }
  }
}
