/// Saving a context into its parent.
extension ReferenceWorld {
  /// Makes the changes in the parent, where they are pending until its own save.
  mutating func push(_ c: Int, into parent: Int) throws {
    var saved = SavedNames()
    for name in contexts[c].names({ $0.hasChanges && !$0.isDeleted }) {
      guard let object = contexts[c].objects[name] else { continue }
      if object.isInserted {
        var copy = object
        // Members that were only read are read again once the parent has saved.
        for key in copy.toManys.keys { copy.toManys[key]?.stored = [] }
        copy.toManys = copy.toManys.filter(\.value.hasChanges)
        contexts[parent].objects[name] = copy
        saved.inserted.append(name)
      } else {
        try requireOneWriter(c, object, name)
        try push(object, name, from: c, into: parent)
        saved.updated.append(name)
      }
    }
    for name in contexts[c].names({ $0.isDeleted && !$0.isGone }) {
      if try load(parent, name), contexts[parent].objects[name]?.isDeleted == false {
        if let object = contexts[c].objects[name] {
          try requireBothSides(c, object, name)
          try pushRelationships(c, of: object, name, into: parent)
        }
        contexts[parent].objects[name]?.isDeleted = true
      }
      contexts[c].objects[name] = nil
      saved.deleted.append(name)
    }
    // The parent may have dropped one side of a relationship that the child had read on both.
    if let name = saved.deleted.first(where: { name in
      contexts[c].objects.values.contains { object in
        let members = object.toManys.values.flatMap { $0.isRead ? $0.now : $0.added }
        return !object.isDeleted && (object.toOnes.values.contains(name) || members.contains(name))
      }
    }) {
      throw Undecided("something still leads to object \(name), which is deleted")
    }
    try settle(parent)
    for name in saved.inserted + saved.updated {
      guard var object = contexts[c].objects[name] else { continue }
      (object.isInserted, object.isUpdated) = (false, false)
      // The parent may have deleted another object without having propagated it yet.
      guard let row = try row(c, name) else {
        throw Undecided("the parent deletes what is saved into it")
      }
      object.stored = row
      for attribute in model.attributes(of: object.entity) where attribute.isTransient {
        object.stored?.attributes[attribute.name] = object.attributes[attribute.name]
      }
      for key in object.toManys.keys { object.toManys[key]?.commit() }
      contexts[c].objects[name] = object
    }
    contexts[c].lastSave = saved
  }

  /// Requires that the child's own change of a to-one relationship also changed the members of the old and the new
  /// destination. If the new destination had the member already, or the old one no longer had it, the parent has
  /// changed the relationship too.
  private func requireOneWriter(_ c: Int, _ object: ReferenceObject, _ name: ObjectName) throws {
    for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
      let key = relationship.name
      let (before, now) = (object.stored?.toOnes[key], object.toOnes[key])
      guard let inverse = model.inverse(of: relationship), inverse.isToMany, before != now else {
        continue
      }
      for (target, isNew) in [(before, false), (now, true)] {
        guard let target else { continue }
        guard let members = contexts[c].objects[target]?.toManys[inverse.name] else {
          guard isNew else {
            throw Undecided("a former owner of which the child has learned by a refresh")
          }
          continue
        }
        let (added, removed) = members.difference
        guard (isNew ? added : removed).contains(name) else {
          throw Undecided("parent and child changed one relationship")
        }
      }
    }
    try requireBothSides(c, object, name)
  }

  /// Requires that what a child's object takes out of a relationship was led to it by both sides, as they were read.
  private func requireBothSides(_ c: Int, _ object: ReferenceObject, _ name: ObjectName) throws {
    for relationship in model.relationships(of: object.entity) where relationship.isToMany {
      guard let inverse = model.inverse(of: relationship),
        let members = object.toManys[relationship.name]
      else { continue }
      for member in members.difference.removed {
        guard let other = contexts[c].objects[member], object.isDeleted || !other.isDeleted
        else { continue }
        let isRemoved =
          inverse.isToMany
          ? other.isDeleted
            || other.toManys[inverse.name]?.difference.removed.contains(name) == true
          : other.stored?.toOnes[inverse.name] == name
        guard isRemoved else {
          throw Undecided("only the owner's members told of what the child removes")
        }
      }
    }
  }

  private mutating func push(
    _ object: ReferenceObject, _ name: ObjectName, from c: Int, into parent: Int
  ) throws {
    let present = try self.object(parent, name)
    func lasting(_ values: [String: Int]) -> [String: Int] {
      values.filter { isStored($0.key, object.entity) }
    }
    guard let stored = object.stored, lasting(present.attributes) == lasting(stored.attributes),
      present.toOnes == stored.toOnes
    else { throw Undecided("parent and child changed one object") }
    let changed = Set(object.attributes.keys).union(stored.attributes.keys).filter {
      object.attributes[$0] != stored.attributes[$0]
    }
    var lists: [String: Members] = [:]
    for (key, members) in object.toManys where members.hasChanges {
      guard let relationship = model.relationship(key) else { continue }
      lists[key] = try pushed(members, name, relationship, from: c, into: parent)
    }
    try change(parent, name) { copy in
      for key in changed { copy.attributes[key] = object.attributes[key] }
      copy.toOnes = object.toOnes
      copy.toManys.merge(lists) { _, pushed in pushed }
    }
    try leaveFormerPartners(of: object, name, from: c, since: stored, in: parent)
  }

  /// Takes an object away from its former partners in one-to-one relationships. If the parent has forgotten what the child
  /// had read of them, there is no change of them to push.
  private mutating func leaveFormerPartners(
    of object: ReferenceObject, _ name: ObjectName, from c: Int, since stored: StoredRow,
    in parent: Int
  ) throws {
    for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
      guard let inverse = model.inverse(of: relationship), !inverse.isToMany,
        let former = stored.toOnes[relationship.name],
        former != object.toOnes[relationship.name],
        contexts[c].objects[former].map({
          $0.toOnes[inverse.name] == $0.stored?.toOnes[inverse.name]
        }) ?? true,
        try isThere(parent, former),
        try self.object(parent, former).toOnes[inverse.name] == name
      else { continue }
      try unlink(parent, former, inverse, name)
    }
  }

  /// The parent's members with a child's changes.
  private mutating func pushed(
    _ members: Members, _ name: ObjectName, _ relationship: RelationshipPlan, from c: Int,
    into parent: Int
  ) throws -> Members {
    // A relationship that the child hasn't read doesn't need to be read in the parent either.
    if members.isRead {
      let before = try readMembers(parent, name, relationship)
      guard Set(before) == Set(members.stored) else {
        throw Undecided("parent and child changed one relationship")
      }
    }
    var list = self.members(parent, name, relationship.name)
    let madeByBoth = Set(list.difference.added)
      .intersection(store.members(name, relationship))
    guard madeByBoth.isDisjoint(with: members.difference.removed) else {
      throw Undecided("what a child removes that its parent and others have added")
    }
    if members.isRead {
      list.now = members.now
    } else {
      for member in members.removed {
        guard !list.added.contains(member) || contexts[c].objects[member]?.isDeleted != true else {
          throw Undecided("whether an owner changes whose new member a child deletes")
        }
        list.remove(member)
      }
      for member in members.added { list.append(member) }
    }
    return list
  }

  /// Makes the changes of a deleted object's relationships in the parent before it is deleted there, too: what was
  /// taken out of it isn't deleted with it.
  private mutating func pushRelationships(
    _ c: Int, of object: ReferenceObject, _ name: ObjectName, into parent: Int
  ) throws {
    guard let stored = object.stored else { return }
    for relationship in model.relationships(of: object.entity) {
      let key = relationship.name
      if let members = object.toManys[key], members.hasChanges {
        let list = try pushed(members, name, relationship, from: c, into: parent)
        contexts[parent].objects[name]?.toManys[key] = list
      } else if !relationship.isToMany, object.toOnes[key] != stored.toOnes[key] {
        guard contexts[parent].objects[name]?.toOnes[key] == stored.toOnes[key] else {
          throw Undecided("parent and child changed one object")
        }
        contexts[parent].objects[name]?.toOnes[key] = object.toOnes[key]
        // The child may have read the former destination before the parent led the object there.
        if let former = stored.toOnes[key], let inverse = model.inverse(of: relationship),
          try isThere(parent, former)
        {
          if inverse.isToMany, contexts[c].objects[former]?.toManys[inverse.name]?.isRead == true {
            let members = members(parent, former, inverse.name)
            guard members.isRead || members.added.contains(name) else {
              throw Undecided("whether an owner changes that neither has read with its member")
            }
          }
          try unlink(parent, former, inverse, name)
        }
      }
    }
  }
}
