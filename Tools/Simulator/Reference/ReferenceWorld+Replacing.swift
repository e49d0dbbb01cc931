/// Clashes of unique values: the loser is replaced by the survivor.
extension ReferenceWorld {
  /// Has a row take the place of a new object. Which of two other objects survives is left to tests.
  mutating func replace(
    _ loser: ObjectName, by survivor: ObjectName, _ c: Int, _ policy: ContextPlan.Policy
  ) throws {
    guard policy != .overwrite else { throw Undecided("which of two rows is overwritten") }
    guard try load(c, survivor), let object = contexts[c].objects[loser],
      let present = contexts[c].objects[survivor], object.isInserted, !present.hasChanges,
      object.entity == present.entity
    else { throw Undecided("no new object against a row of its entity") }
    try requireApart(c, loser, survivor)
    let prevails = policy == .objectTrump
    let stored: (String) -> Bool = { [model] in
      model.attribute($0, of: object.entity)?.isTransient == false
    }
    if prevails {
      try change(c, survivor) { survivor in
        for (key, value) in object.attributes where stored(key) { survivor.attributes[key] = value }
      }
    }
    for relationship in model.relationships(of: object.entity) {
      if relationship.isToMany {
        try moveMembers(c, relationship, from: loser, to: survivor)
      } else if let target = object.toOnes[relationship.name] {
        let own = present.toOnes[relationship.name]
        guard own == nil || prevails else { throw Undecided("two to-ones") }
        try point(c, loser, relationship.name, nil)
        try point(c, survivor, relationship.name, target)
      }
    }
    for (name, other) in contexts[c].objects {
      for (key, target) in other.toOnes where target == loser {
        try change(c, name) { $0.toOnes[key] = survivor }
      }
      guard !other.toManys.values.contains(where: { $0.contains(loser) }) else {
        throw Undecided("a member without inverse is replaced")
      }
    }
    contexts[c].objects[loser] = nil
  }

  private mutating func moveMembers(
    _ c: Int, _ relationship: RelationshipPlan, from loser: ObjectName, to survivor: ObjectName
  ) throws {
    let members = try readMembers(c, loser, relationship)
    guard !members.isEmpty else { return }
    let inverse = model.inverse(of: relationship)
    guard let inverse, !relationship.isOrdered, !inverse.isOrdered else {
      throw Undecided("members with an order, or without inverse")
    }
    for member in members {
      try remove(c, loser, relationship.name, member)
      try add(c, survivor, relationship.name, member)
    }
  }

  /// That the two don't lead to each other, or to themselves.
  private func requireApart(_ c: Int, _ left: ObjectName, _ right: ObjectName) throws {
    for name in [left, right] {
      guard let object = contexts[c].objects[name] else { continue }
      let members = object.toManys.values.flatMap(\.now)
      guard Set(object.toOnes.values).union(members).isDisjoint(with: [left, right]) else {
        throw Undecided("the two lead to each other")
      }
    }
  }
}
