/// Conflicts with other writers.
extension ReferenceWorld {
  /// Resolves what stands in a save's way as the context's policy says, until nothing does.
  ///
  /// - Returns: the code of the error when it throws.
  mutating func resolveConflicts(_ c: Int) throws -> Int? {
    // What is merged now can't be taken back by itself.
    let (policy, generation) = (contexts[c].plan.policy, contexts[c].generation)
    defer { contexts[c].generation = generation }
    for _ in 0..<16 {
      let versions = try versionConflicts(c)
      let clashes = try versions.isEmpty ? clashes(c) : []
      guard !versions.isEmpty || !clashes.isEmpty else { return nil }
      guard policy != .error else {
        if versions.isEmpty { try loadRows(of: clashes, c) }
        return versions.isEmpty ? ErrorCode.constraint : ErrorCode.merge
      }
      contexts[c].undo.isBlocked = true
      // What is resolved is so against the newest rows, whichever the context reads.
      contexts[c].generation = .newest
      if clashes.count > 1 { try requireSeparateOrders(clashes, c) }
      let known = contexts[c].names(\.hasChanges)
      if policy == .rollback {
        // What the changes of all did to others goes before any of them is what its row says.
        for name in versions where store.rows[name] != nil { try takeBackRelationships(c, name) }
      }
      for name in versions { try resolve(c, name, policy) }
      for clash in clashes { try resolve(c, clash, policy) }
      try settle(c)
      try willSave(c, besides: known)
      if let code = try invalidity(c) { return code }
    }
    throw Undecided("conflicts without end")
  }

  /// Has the objects of rows that are in the way get their values, which the error tells of.
  private mutating func loadRows(of clashes: [Clash], _ c: Int) throws {
    contexts[c].generation = .newest
    for clash in clashes where clash.objects.count == 1 {
      guard let row = clash.row, contexts[c].objects[row]?.isFault == true else { continue }
      _ = try load(c, row)
    }
  }

  /// Whether a policy has something to resolve in a save, which a rollback doesn't take back.
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

  /// The objects whose rows another writer changed or deleted. A deletion of what is gone loses nothing.
  private func versionConflicts(_ c: Int) throws -> [ObjectName] {
    try contexts[c].names { ($0.isUpdated || $0.isDeleted) && !$0.isInserted && !$0.isGone }
      .filter { name in
        guard let object = contexts[c].objects[name], let stored = object.stored else {
          return false
        }
        guard object.isDeleted || writesRow(object) else { return false }
        guard let row = store.rows[name] else { return !object.isDeleted }
        if contexts.count > 1, store.uncertain.contains(name) {
          throw Undecided("whether a position gave the row another version")
        }
        return row.version != stored.version
      }
  }

  /// Whether saving an object writes its row: for a difference, or for rows of join tables, which give it a
  /// new version.
  func writesRow(_ object: ReferenceObject) -> Bool {
    object.differsFromRow { isStored($0, object.entity) } || writesJoins(object)
  }

  /// Whether saving an object writes rows of join tables.
  func writesJoins(_ object: ReferenceObject) -> Bool {
    model.relationships(of: object.entity).contains { relationship in
      object.toManys[relationship.name]?.hasChanges == true
        && model.inverse(of: relationship)?.isToMany == true
    }
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
    // A deletion stays one, but may be denied by what the object is related to by now.
    try merge(c, name, object, onto: row, policy)
  }

  /// Merges an object's values with those of its row, property by property.
  private mutating func merge(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject, onto row: StoredRow,
    _ policy: ContextPlan.Policy
  ) throws {
    guard let stored = object.stored else { return }
    /// Of what was read, what is here, and what the row has now.
    func choice<Value: Equatable>(_ before: Value?, _ mine: Value?, _ theirs: Value?) -> Value? {
      switch policy {
      case .overwrite: mine
      case .objectTrump: mine != before ? mine : theirs
      default: mine != before && theirs == before ? mine : theirs
      }
    }
    contexts[c].objects[name]?.stored = row
    for attribute in model.attributes(of: object.entity) where !attribute.isTransient {
      let key = attribute.name
      contexts[c].objects[name]?.attributes[key] = choice(
        stored.attributes[key], object.attributes[key], row.attributes[key])
    }
    for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
      let key = relationship.name
      let (mine, theirs) = (object.toOnes[key], row.toOnes[key])
      let chosen = choice(stored.toOnes[key], mine, theirs)
      contexts[c].objects[name]?.toOnes[key] = chosen
      if chosen != mine { try turn(c, name, relationship, from: mine, to: chosen) }
    }
    // Members are no values: what was put in and taken out here is done to what the store has now.
    let members = contexts[c].objects[name]?.toManys ?? [:]
    contexts[c].objects[name]?.toManys = members.filter(\.value.hasChanges)
  }

  /// A to-one leads elsewhere than it did here, by the store's will: the other sides follow.
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
      // Where nothing was done here it is read anew.
      let isChanged = contexts[c].objects[target]?.toManys[inverse.name]?.hasChanges == true
      guard !isChanged || !inverse.isOrdered else { throw Undecided("two writers of one order") }
      contexts[c].objects[target]?.toManys[inverse.name] = isChanged ? members : nil
    }
  }

  /// The row is gone: the object's changes trump, and it is written again with all its values; or it goes too.
  private mutating func resolveDeletion(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject, _ policy: ContextPlan.Policy
  ) throws {
    guard object.toOnes.isEmpty, object.stored?.toOnes.isEmpty != false,
      object.toManys.values.allSatisfy(\.areNone),
      !contexts[c].objects.values.contains(where: { $0.leads(to: name) })
    else { throw Undecided("relationships of what was changed here and deleted there") }
    guard policy == .objectTrump || policy == .overwrite else {
      contexts[c].objects[name] = nil
      return
    }
    var object = object
    object.lastVersion = object.stored?.version ?? 0
    (object.stored, object.isInserted, object.isBack, object.isUpdated) = (nil, true, true, false)
    // What was read of members, or changed, is known as it is of a new object.
    for key in object.toManys.keys { object.toManys[key]?.isRead = true }
    contexts[c].objects[name] = object
  }

  // MARK: Dropping changes

  /// Makes an object what its row says, and takes back what its changes did to others.
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
    }
    contexts[c].objects[name] = dropped
    try keepMembers(c, name, object)
  }

  /// Takes back what an object's changes did to others.
  private mutating func takeBackRelationships(_ c: Int, _ name: ObjectName) throws {
    guard let object = contexts[c].objects[name], let stored = object.stored else { return }
    guard !object.isDeleted || !hasRelationships(object) else {
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
        try point(c, name, key, before)
      } else if let members = object.toManys[key], members.hasChanges,
        model.inverse(of: relationship)?.isToMany == true
      {
        try takeBackMembers(c, name, relationship, members.difference)
      }
    }
  }

  /// Takes members back on both sides; but the other side of what it showed already, or didn't show any more, as it
  /// was read at another time: nothing was done to it.
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
      } else {
        contexts[c].objects[name]?.toManys[key]?.append(member)
      }
    }
  }

  /// Members whose own changes, which aren't dropped, lead to an object are among its members still.
  private mutating func keepMembers(
    _ c: Int, _ name: ObjectName, _ before: ReferenceObject
  ) throws {
    for relationship in model.relationships(of: before.entity) where relationship.isToMany {
      guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
        let members = before.toManys[relationship.name]
      else { continue }
      let kept = members.difference.added.filter { member in
        contexts[c].objects[member].map {
          // What its row says isn't a change of its own.
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
  /// Whether a relationship leads to an object, or led there, as far as is known.
  func leads(to name: ObjectName) -> Bool {
    toOnes.values.contains(name) || stored?.toOnes.values.contains(name) == true
      || toManys.values.contains { ($0.now + $0.stored + $0.added + $0.removed).contains(name) }
  }
}
