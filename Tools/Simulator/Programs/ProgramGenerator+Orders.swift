/// Sequences of operations on ordered relationships, and with undo.
extension ProgramGenerator {
  /// Several members of an ordered relationship: they are saved, moved, removed, and added while the relationship isn't
  /// loaded.
  mutating func orderedMembers() -> [Operation] {
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter { $0.isToMany && $0.isOrdered }
        .map { (name, $0) }
    }
    guard let (c, begin) = saver(), let (owner, relationship) = random.pick(owners) else {
      return []
    }
    let key = relationship.name
    let fit = world.store.rows.filter {
      world.model.isKind($0.value.entity, of: relationship.destination)
    }
    let members = Array(fit.keys.sorted().shuffled(using: &random).prefix(4))
    var operations =
      begin + [.existing(c, owner), .replace(c, owner, key, members: members), .save(c)]
    switch random.below(3) {
    case 0:
      let others = members.shuffled(using: &random)
      operations.append(.replace(c, owner, key, members: others))
    case 1:
      operations += members.prefix(1).map { .remove(c, owner, key, member: $0) }
    default:
      // The change is made on the other side, while the members aren't loaded.
      guard let inverse = world.model.inverse(of: relationship) else { break }
      operations += [.remove(c, owner, key, member: members.first ?? 0), .save(c), .reset(c)]
      for member in members.prefix(1)
        + fit.keys.sorted().filter({ !members.contains($0) }).prefix(2)
      {
        operations.append(
          inverse.isToMany
            ? .add(c, member, inverse.name, member: owner)
            : .point(c, member, inverse.name, to: owner))
      }
    }
    return operations + [.save(c), .look(c)]
  }

  /// Members of a relationship without inverse, or of one that is its own inverse: they are removed, added and changed.
  mutating func loneMembers() -> [Operation] {
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter {
        $0.isToMany && ($0.inverse == nil || $0.inverse == $0.name)
      }.map { (name, $0) }
    }
    guard let (c, begin) = saver(), let (owner, relationship) = random.pick(owners) else {
      return orderedMembers()
    }
    let key = relationship.name
    guard let member = some(c, of: relationship.destination) else { return [] }
    var operations = begin + [.add(c, owner, key, member: member), .save(c)]
    operations += setting(c, member) + [.save(c)]
    if random.happens(50) { operations.append(.reset(c)) }
    if random.happens(35) { return operations + [.delete(c, owner), .save(c), .look(c)] }
    let former = random.pick(world.store.members(owner, relationship)) ?? member
    return operations + [.remove(c, owner, key, member: former), .save(c), .look(c)]
  }

  /// Two owners want one member of a relationship without inverse, one after the other.
  mutating func rivals() -> [Operation] {
    guard let (c, begin) = saver(), let relationship = random.pick(world.model.lonelyToManys)
    else { return [] }
    let key = relationship.name
    let entities = world.model.concreteEntities.filter {
      world.model.relationships(of: $0).contains(relationship)
    }
    guard let entity = random.pick(entities) else { return [] }
    let owners = cast(2, of: entity, in: c)
    let members = cast(1, of: relationship.destination, in: c)
    guard owners.names.count > 1, let member = members.names.first else { return [] }
    let (first, second) = (owners.names[0], owners.names[1])
    var operations = begin + owners.insertions + members.insertions
    operations += [.add(c, first, key, member: member), .save(c)]
    // Another context merges this if it has the same coordinator.
    let fit = world.contexts.indices.filter {
      let plan = world.contexts[$0].plan
      return $0 != c && plan.parent == nil && plan.coordinator == world.contexts[c].plan.coordinator
    }
    let other = random.pick(fit)
    if let other {
      if world.contexts[other].hasChanges { operations.append(.rollback(other)) }
      operations += [.existing(other, first), .look(other)]
    }
    if random.happens(70) { operations += [.existing(c, first), .look(c)] }
    var move: [Operation] = [.add(c, second, key, member: member)]
    // The former owner may give it away itself, in either order.
    if random.happens(30) {
      let leaving = Operation.remove(c, first, key, member: member)
      move.insert(leaving, at: random.happens(50) ? 0 : 1)
    }
    operations += move + [.save(c), .look(c)]
    if let other { operations += [.merge(from: c, into: other), .look(other)] }
    if random.happens(30) { operations += [.delete(c, second), .save(c), .look(c)] }
    return operations
  }

  /// A relationship gets the maximum number of members, or one more.
  mutating func crowd() -> [Operation] {
    let limited = world.model.concreteEntities.flatMap { entity in
      world.model.relationships(of: entity).filter { $0.isToMany && $0.maximum > 0 }
        .map { (entity, $0) }
    }
    guard let (c, begin) = saver(), let (entity, relationship) = random.pick(limited) else {
      return loneMembers()
    }
    let owners = cast(1, of: entity, in: c)
    let count = relationship.maximum + (random.happens(70) ? 1 : 0)
    let members = cast(count, of: relationship.destination, in: c)
    guard let owner = owners.names.first else { return [] }
    let change = Operation.replace(c, owner, relationship.name, members: members.names)
    return begin + owners.insertions + members.insertions
      + [.existing(c, owner), change, .save(c), .look(c)]
  }
}
