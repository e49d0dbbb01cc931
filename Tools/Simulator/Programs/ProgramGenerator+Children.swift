/// Child contexts.
extension ProgramGenerator {
  /// A child context removes members from a relationship or adds some, and its parent saves this.
  mutating func below() -> [Operation] {
    let children = world.contexts.indices.filter { world.contexts[$0].plan.parent != nil }
    guard let c = random.pick(children), let parent = world.contexts[c].plan.parent else {
      return unreadMembers()
    }
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter {
        $0.isToMany && !world.store.members(name, $0).isEmpty
      }.map { (name, $0) }
    }
    guard let (owner, relationship) = random.pick(owners) else { return [] }
    let begin: [Operation] = [c, parent].filter { world.contexts[$0].hasChanges }.map {
      .rollback($0)
    }
    var operations = begin + [.existing(c, owner)]
    if random.happens(50) { operations = operations + [.existing(parent, owner), .look(parent)] }
    if random.happens(40) { operations.append(.look(c)) }
    if let member = random.pick(world.store.members(owner, relationship)) {
      operations.append(removal(c, of: member, from: owner, relationship))
    }
    if let other = some(c, of: relationship.destination), random.happens(40) {
      operations.append(.add(c, owner, relationship.name, member: other))
    }
    // What was taken out of an object isn't deleted with it.
    if relationship.rule == .cascade, random.happens(50) { operations.append(.delete(c, owner)) }
    return operations + [.save(c), .look(parent), .save(parent), .look(c)]
  }

  /// Removes a member from either side of the relationship.
  private mutating func removal(
    _ c: Int, of member: ObjectName, from owner: ObjectName, _ relationship: RelationshipPlan
  ) -> Operation {
    guard let inverse = world.model.inverse(of: relationship), random.happens(60) else {
      return .remove(c, owner, relationship.name, member: member)
    }
    if inverse.isToMany { return .remove(c, member, inverse.name, member: owner) }
    let other = random.happens(50) ? some(c, of: inverse.destination) : nil
    return .point(c, member, inverse.name, to: other)
  }

  /// A child context takes out what an object leads to, or leads it elsewhere, and deletes the object: what has been
  /// taken out isn't deleted with it.
  mutating func takenOut() -> [Operation] {
    let children = world.contexts.indices.filter { world.contexts[$0].plan.parent != nil }
    guard let c = random.pick(children), let parent = world.contexts[c].plan.parent,
      let (relationship, entity) = random.pick(cascades)
    else { return [] }
    let begin: [Operation] = [c, parent].filter { world.contexts[$0].hasChanges }.map {
      .rollback($0)
    }
    var members = cast(2, of: relationship.destination, in: parent)
    let owners = cast(1, of: entity, in: parent)
    members.names.removeAll { owners.names.contains($0) }
    guard let owner = owners.names.first, let member = members.names.first else { return [] }
    let key = relationship.name
    let operations = begin + owners.insertions + members.insertions
    guard relationship.isToMany else {
      return operations + [
        .point(parent, owner, key, to: member), .save(parent), .existing(c, owner),
        .point(c, owner, key, to: members.names.dropFirst().first), .delete(c, owner), .save(c),
        .look(parent), .save(parent), .look(parent),
      ]
    }
    return operations + [
      .replace(parent, owner, key, members: members.names), .save(parent), .existing(c, owner),
      .remove(c, owner, key, member: member), .delete(c, owner), .save(c), .look(parent),
      .save(parent), .look(parent),
    ]
  }

  /// The cascading relationships that are told by their owner alone, with the owner's entity; or all if there are none.
  private var cascades: [(RelationshipPlan, String)] {
    let all = world.model.concreteEntities.flatMap { entity in
      world.model.relationships(of: entity).filter { $0.rule == .cascade }.map { ($0, entity) }
    }
    let own = all.filter { !$0.0.isToMany || $0.0.inverse == nil }
    return own.isEmpty ? all : own
  }
}
