/// Sequences of operations in which changes are undone and redone.
extension ProgramGenerator {
  /// Changes are undone and redone.
  mutating func undoing() -> [Operation] {
    let fit = world.contexts.indices.filter { world.contexts[$0].plan.undoes }
    guard let c = random.pick(fit) else { return orderedMembers() }
    if random.happens(40) { return undoneOrder(c) }
    var operations: [Operation] = [.save(c)]
    for _ in 0...random.below(3) {
      guard let change = change(c) else { continue }
      operations += [change, .settle(c)]
    }
    for _ in 0...random.below(2) { operations += [.undo(c), .look(c)] }
    if random.happens(70) { operations += [.redo(c), .look(c)] }
    return operations + [.save(c), .look(c)]
  }

  /// An order is saved, changed, and undone.
  private mutating func undoneOrder(_ c: Int) -> [Operation] {
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter { $0.isToMany && $0.isOrdered }
        .map { (name, $0) }
    }
    guard let (owner, relationship) = random.pick(owners) else { return [] }
    let cast = cast(3, of: relationship.destination, in: c)
    let members = cast.names
    let others = members.shuffled(using: &random)
    let begin: [Operation] = world.contexts[c].hasChanges ? [.rollback(c)] : []
    let operations =
      begin + cast.insertions + [
        .existing(c, owner), .replace(c, owner, relationship.name, members: members), .save(c),
        .replace(c, owner, relationship.name, members: others), .settle(c), .undo(c), .look(c),
      ]
    return operations + (random.happens(50) ? [.redo(c), .look(c)] : []) + [.save(c), .look(c)]
  }

  /// A random change.
  private mutating func change(_ c: Int) -> Operation? {
    switch random.below(6) {
    case 0: return insertion(c)
    case 1: return some(c).map { .delete(c, $0) }
    case 2: return some(c).flatMap { setting(c, $0).first }
    default:
      let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
        world.model.relationships(of: row.entity).filter(\.isToMany).map { (name, $0) }
      }
      // Prefers relationships with an order that can change.
      let ordered = owners.filter { name, relationship in
        relationship.isOrdered && world.store.members(name, relationship).count > 1
      }
      let list = random.happens(50) && !ordered.isEmpty ? ordered : owners
      guard let (owner, relationship) = random.pick(list) else { return insertion(c) }
      var members = world.toMany(owner, relationship.name, in: .context(c))
      if let more = some(c, of: relationship.destination), !members.contains(more),
        random.happens(50)
      {
        members.append(more)
      }
      return .replace(c, owner, relationship.name, members: members.shuffled(using: &random))
    }
  }

  /// What a context has saved or deleted is related or deleted elsewhere, and then undone. What comes of it isn't
  /// specified.
  mutating func undoneBesideOthers() -> [Operation] {
    let fit = world.contexts.indices.filter {
      world.contexts[$0].plan.undoes && world.contexts[$0].plan.parent == nil
    }
    guard program.isOpen, let mine = random.pick(fit), let (theirs, begin) = saver(other: mine),
      let (stored, relationship) = random.pick(related { $1 != nil }),
      let entity = world.store.rows[stored]?.entity
    else { return undoing() }
    var name = stored
    var operations: [Operation] = begin + [.save(mine)]
    let isNew = random.happens(50)
    if isNew {
      guard case .insert(_, let new, _, let values)? = insertion(mine, of: entity) else {
        return []
      }
      name = new
      operations += [.insert(mine, name, entity: entity, values), .settle(mine), .save(mine)]
    } else {
      operations += [.existing(mine, name), .existing(theirs, name)]
      operations += [.delete(mine, name), .settle(mine)]
      if random.happens(50) { operations.append(.save(mine)) }
    }
    let present = isNew ? [] : world.destinations(name, relationship)
    if let other = random.pick(present), random.happens(50) {
      operations += [.existing(theirs, other), .delete(theirs, other)]
    } else if let other = some(theirs, of: relationship.destination), other != name {
      operations += [.existing(theirs, other), relate(theirs, name, relationship, other)]
    }
    operations.append(.save(theirs))
    if random.happens(80) { operations.append(.merge(from: theirs, into: mine)) }
    for _ in 0...random.below(2) { operations.append(.undo(mine)) }
    if random.happens(20) { operations.append(.redo(mine)) }
    return operations + [.save(mine), .look(mine)]
  }
}
