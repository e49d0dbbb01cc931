/// Merging other contexts' saves.
extension ReferenceWorld {
  mutating func merge(_ source: Int, into c: Int) throws {
    guard source != c, contexts.indices.contains(source), contexts[c].plan.parent == nil,
      contexts[source].plan.parent == nil,
      contexts[source].plan.coordinator == contexts[c].plan.coordinator
    else { throw Undecided(impossible: "contexts of different parents") }
    guard let saved = contexts[source].lastSave else {
      throw Undecided(impossible: "nothing was saved")
    }
    try merge(saved, into: c)
  }

  /// Merges a save into the contexts that merge automatically.
  mutating func mergeAutomatically(_ source: Int) throws {
    let plan = contexts[source].plan
    guard let saved = contexts[source].lastSave else { return }
    for c in contexts.indices where c != source {
      let other = contexts[c].plan
      guard other.mergesAutomatically, other.parent == nil, other.coordinator == plan.coordinator
      else { continue }
      try merge(saved, into: c)
      setToLastSave[c] = Set(saved.inserted + saved.updated).union(membersReadAgain(saved, c))
    }
  }

  /// The members of orders that merging has read again because their owners have changes here: with their rows, unless the
  /// members have changes, too.
  private func membersReadAgain(_ saved: SavedNames, _ c: Int) -> [ObjectName] {
    saved.updated.flatMap { name in
      contexts[c].objects[name]?.toManys.values.filter { $0.isRead && $0.isOrdered }.flatMap(\.now)
        ?? []
    }
    .filter { contexts[c].objects[$0]?.hasChanges == false }
  }

  mutating func merge(_ saved: SavedNames, into c: Int) throws {
    advance(c)
    contexts[c].undo.isBlocked = true
    // New objects would become faults that aren't retained; registered ones are treated like updated ones.
    for name in saved.inserted + saved.updated
    where contexts[c].objects[name]?.isInserted == false {
      try refresh(c, name, merging: true)
    }
    try refreshFormerOwners(saved, c)
    // The row was written again before the deletion was merged.
    let back = saved.deleted.filter { store.rows[$0] != nil }
    for name in back {
      guard let object = contexts[c].objects[name], !object.isInserted, !object.isDeleted else {
        continue
      }
      try refresh(c, name, merging: true)
    }
    let deleted = saved.deleted.filter { !back.contains($0) }
    let isWaiting = { (name: ObjectName) in contexts[c].objects[name]?.isDeleted == true }
    if deleted.contains(where: isWaiting) {
      // An object that is deleted here too stays deleted, and isn't restored; nor is what the deletion reaches.
      try settle(c)
      let waiting = deleted.filter(isWaiting)
      for name in waiting {
        contexts[c].objects[name]?.isGone = true
        contexts[c].objects[name]?.isUpdated = false
      }
      // Taking them out of relationships is no longer a change to be saved.
      let gone = Set(waiting)
      for (owner, object) in contexts[c].objects {
        for key in object.toManys.keys { contexts[c].objects[owner]?.toManys[key]?.drop(gone) }
      }
    }
    for name in deleted {
      guard let object = contexts[c].objects[name], !object.isDeleted else { continue }
      guard !object.isUpdated else { throw Undecided("changed here, deleted there") }
      contexts[c].objects[name]?.isDeleted = true
      contexts[c].objects[name]?.isPropagated = true
      contexts[c].objects[name]?.isGone = true
    }
    try follow(deleted, c)
    for (name, object) in contexts[c].objects where !object.isDeleted && !object.isFault {
      let members = object.toManys.values.flatMap { $0.now + $0.added + $0.removed }
      guard Set(object.toOnes.values).union(members).isDisjoint(with: deleted) else {
        throw Undecided("object \(name) still leads to what another context deleted")
      }
    }
    try settle(c)
    try requireTwoSides(c)
  }

  /// Takes in what the deletion of objects has done to those that a merged batch doesn't name: they have lost a member, lead
  /// nowhere, or were deleted as well.
  private mutating func follow(_ deleted: [ObjectName], _ c: Int) throws {
    var gone = Set(deleted)
    while !gone.isEmpty {
      var next: Set<ObjectName> = []
      for (name, object) in contexts[c].objects.sorted(by: { $0.key < $1.key })
      where !object.isGone && !object.isFault && !object.isInserted {
        let members = object.toManys.values.flatMap { $0.isRead ? $0.now : $0.added }
        if members.contains(where: { gone.contains($0) && contexts[c].objects[$0] == nil }) {
          throw Undecided("a member that no rule took out when it was deleted here")
        }
        for key in object.toManys.keys { contexts[c].objects[name]?.toManys[key]?.drop(gone) }
        let keys = Set(object.toOnes.keys).union(object.stored?.toOnes.keys ?? [:].keys)
        let rules = keys.compactMap { key -> RelationshipPlan.Rule? in
          let targets = [object.toOnes[key], object.stored?.toOnes[key]].compactMap { $0 }
          guard targets.contains(where: gone.contains), let way = model.relationship(key) else {
            return nil
          }
          return model.inverse(of: way)?.rule
        }
        guard rules.contains(where: { $0 != .noAction }) else { continue }
        if object.isDeleted {
          if let row = store.rows[name].map(withDefaults) {
            guard object.toOnes == object.stored?.toOnes else {
              throw Undecided("changed and deleted here, released there")
            }
            contexts[c].objects[name]?.take(row)
          }
          // Nothing is left to be deleted by the next save.
          guard rules.contains(.cascade), store.rows[name] == nil else { continue }
          contexts[c].objects[name]?.isGone = true
          next.insert(name)
          continue
        }
        guard !object.hasChanges else { throw Undecided("changed here, released there") }
        guard rules.contains(.cascade), store.rows[name] == nil else {
          try refresh(c, name, merging: true)
          continue
        }
        contexts[c].objects[name]?.isDeleted = true
        contexts[c].objects[name]?.isPropagated = true
        contexts[c].objects[name]?.isGone = true
        next.insert(name)
      }
      gone = next
    }
  }

  /// Throws `Undecided` if a member was led to an owner here, and to another, or none, by what has been merged: whether the
  /// owner, whose members haven't been read, still has it depends on when they are.
  private func requireTwoSides(_ c: Int) throws {
    for (name, owner) in contexts[c].objects {
      for (key, members) in owner.toManys where !members.isRead {
        guard let relationship = model.relationship(key),
          let inverse = model.inverse(of: relationship), !inverse.isToMany
        else { continue }
        for member in members.added {
          guard let object = contexts[c].objects[member], !object.isFault, !object.isDeleted,
            object.toOnes[inverse.name] != name
          else { continue }
          throw Undecided("a member that was led here, and that others have led away")
        }
      }
    }
  }
}
