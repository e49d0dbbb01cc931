/// Which objects a deletion is propagated to: the ones related to the object in the stores at that time, regardless of
/// what was read before, and those related by unsaved changes.
extension ReferenceWorld {
  mutating func destinationsOfDeleted(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan
  ) throws -> [ObjectName] {
    guard relationship.isToMany else {
      let target = contexts[c].objects[name]?.toOnes[relationship.name].map { [$0] } ?? []
      try requireNotSeen(c, beside: target, [], by: name, relationship)
      return target
    }
    let known = members(c, name, relationship.name)
    try forgetMembersOfDeleted(c, name, relationship)
    let members = try readMembers(c, name, relationship)
    // Then it is unspecified which related objects an undo of the deletion restores.
    if known.isRead, Set(known.now) != Set(members) { contexts[c].undo.isBlocked = true }
    try requireNotSeen(c, beside: members, known.stored, by: name, relationship)
    return members
  }

  /// Throws `Undecided` if other objects than those that an object leads to still have it as a member, as others have ended
  /// that, whether the object was read again before or only now.
  private func requireNotSeen(
    _ c: Int, beside targets: [ObjectName], _ known: [ObjectName], by name: ObjectName,
    _ relationship: RelationshipPlan
  ) throws {
    guard let key = relationship.inverse else { return }
    for (other, object) in contexts[c].objects where !object.isDeleted && !targets.contains(other) {
      guard let members = object.toManys[key], members.contains(name) else { continue }
      if known.contains(other) || members.isRead && members.stored.contains(name) {
        throw Undecided("whether the other side of what others have ended is read again")
      }
    }
  }

  /// Propagates the deletions of earlier events to objects that have been related since.
  mutating func settleLate(_ c: Int) throws {
    let earlier = contexts[c].names {
      $0.isDeleted && $0.isPropagated && !$0.isGone && !$0.isInserted
    }
    for name in earlier {
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity) where relationship.isToMany {
        let known = members(c, name, relationship.name).stored
        guard try forgetMembersOfDeleted(c, name, relationship) else { continue }
        _ = try readMembers(c, name, relationship)
        let present = members(c, name, relationship.name).stored
        try requireNotSeen(c, beside: present, known, by: name, relationship)
        for target in present where !known.contains(target) {
          try propagate(c, target, from: name, relationship)
        }
      }
    }
  }

  /// Keeps only the relationship's own changes, so that it is read again. Returns false if the deletion wouldn't be
  /// propagated through it.
  @discardableResult
  private mutating func forgetMembersOfDeleted(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan
  ) throws -> Bool {
    guard relationship.inverse != nil, relationship.rule != .noAction,
      contexts[c].objects[name]?.isInserted == false
    else { return false }
    var members = members(c, name, relationship.name)
    guard members.isRead else { return true }
    let difference = members.difference
    (members.isRead, members.stored, members.now) = (false, [], [])
    (members.added, members.removed) = difference
    contexts[c].objects[name]?.toManys[relationship.name] = members
    return true
  }
}
