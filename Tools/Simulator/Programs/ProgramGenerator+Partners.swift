/// Sequences of operations where one context knows less of a relationship than another.
extension ProgramGenerator {
  /// A context leads an object to one that another has deleted, by a relationship that no deletion clears.
  mutating func vanishing() -> [Operation] {
    let model = world.model
    let unguarded = model.entities.flatMap { entity in
      entity.relationships.filter {
        $0.inverse == nil || model.inverse(of: $0)?.rule == .noAction
      }.map { (entity.name, $0) }
    }
    guard let (entity, relationship) = random.pick(unguarded), let (mine, begin) = saver(),
      let (theirs, beginToo) = saver(other: mine),
      let target = random.pick(
        world.store.rows.keys.sorted().filter {
          model.isKind(world.store.rows[$0]?.entity ?? "", of: relationship.destination)
        })
    else { return [] }
    let (names, insertions) = cast(1, of: entity, in: mine)
    guard let owner = names.first, owner != target else { return [] }
    let relating = relate(mine, owner, relationship, target)
    return begin + beginToo + insertions + [.existing(mine, target), .existing(theirs, target)]
      + [.delete(theirs, target), .save(theirs), relating, .save(mine), .look(mine)]
  }

  /// A context deletes an object that another has related to something else meanwhile.
  mutating func deletionThatWins() -> [Operation] {
    let prefersPartners = random.happens(60)
    guard let (mine, begin) = resolver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(related(oneToOne: prefersPartners)),
      let other = some(theirs, of: relationship.destination)
    else { return [] }
    let relating = relate(theirs, name, relationship, other)
    let theirSave: [Operation] = [relating, .save(theirs)]
    let myDeletion: [Operation] = [.delete(mine, name), .settle(mine)]
    var operations = begin + beginToo
    operations += [.existing(mine, name), .existing(theirs, name)]
    operations += random.happens(50) ? theirSave + myDeletion : myDeletion + theirSave
    return operations + [.save(mine), .look(mine)]
  }

  /// A context that has read an object before another gave it a partner ends the relationship from the partner's side.
  mutating func stalePartner() -> [Operation] {
    guard let (mine, begin) = saver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(related(oneToOne: true)),
      let target = random.pick(
        world.store.rows.keys.sorted().filter {
          $0 != name
            && world.model.isKind(
              world.store.rows[$0]?.entity ?? "", of: relationship.destination)
        })
    else { return [] }
    let key = relationship.name
    let other = random.happens(50) ? some(mine, of: relationship.destination) : nil
    return begin + beginToo + [.existing(mine, target), .existing(theirs, target)]
      + [.existing(theirs, name), .point(theirs, name, key, to: target), .save(theirs)]
      + [.refresh(mine, name, merging: true), .existing(mine, name)]
      + [.point(mine, name, key, to: other), .save(mine), .look(mine)]
  }

  /// An object whose deletion is saved is related to a new one: it has no row, and nothing may lead to it.
  mutating func ghost() -> [Operation] {
    guard program.isOpen, let (c, begin) = saver(),
      let (name, relationship) = random.pick(related(oneToOne: false)),
      case .insert(_, let other, let entity, let values)? = insertion(
        c,
        of: random.pick(
          world.model.concreteEntities.filter {
            world.model.isKind($0, of: relationship.destination)
          }))
    else { return [] }
    let change = setting(c, name)
    return begin + [.existing(c, name), .delete(c, name), .save(c)] + change
      + [.rollback(c), .insert(c, other, entity: entity, values)]
      + [relate(c, name, relationship, other), .save(c)]
  }

  /// One side of a changed relationship is refreshed without its changes.
  mutating func half() -> [Operation] {
    guard program.isOpen, let (c, begin) = saver(),
      let (name, relationship) = random.pick(related(oneToOne: random.happens(40))),
      let other = some(c, of: relationship.destination)
    else { return [] }
    let key = relationship.name
    let relating: Operation =
      switch (relationship.isToMany, random.happens(30)) {
      case (true, false): .add(c, name, key, member: other)
      case (true, true): .remove(c, name, key, member: other)
      case (false, let clears): .point(c, name, key, to: clears ? nil : other)
      }
    return begin + [.existing(c, name), .existing(c, other), relating]
      + (random.happens(50) ? [.settle(c)] : [])
      + [.refresh(c, random.happens(50) ? name : other, merging: false)]
      + (random.happens(30) ? [.look(c)] : []) + [.save(c), .look(c)]
  }

  /// A relationship is set again to an object whose deletion has ended it.
  mutating func putBack() -> [Operation] {
    guard program.isOpen, let (c, begin) = saver(),
      let (name, relationship) = random.pick(related(oneToOne: random.happens(40))),
      let other = some(c, of: relationship.destination), other != name
    else { return [] }
    let relating = relate(c, name, relationship, other)
    return begin + [.existing(c, name), .existing(c, other), relating, .save(c), .delete(c, other)]
      + (random.happens(70) ? [.settle(c)] : []) + [relating]
      + (random.happens(30) ? setting(c, name) : []) + [.save(c), .look(c)]
  }

  /// Two objects are changed and related to each other, while another context deletes both: they come back together.
  mutating func returning() -> [Operation] {
    guard program.isOpen, let (mine, begin) = resolver(),
      let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(related(oneToOne: random.happens(30))),
      let other = some(theirs, of: relationship.destination), other != name
    else { return [] }
    let relating = relate(mine, name, relationship, other)
    var operations = begin + beginToo + [.existing(mine, name), .existing(mine, other)]
    operations += setting(mine, name) + setting(mine, other) + [relating]
    operations += [.existing(theirs, name), .existing(theirs, other)]
    operations += [.delete(theirs, name), .delete(theirs, other), .save(theirs)]
    return operations + [.save(mine), .look(mine)]
  }

  /// Two contexts change or delete some of related objects; the second save has conflicts in some of them.
  mutating func entangled() -> [Operation] {
    guard let (mine, begin) = resolver(), let (theirs, beginToo) = saver(other: mine) else {
      return []
    }
    let (relating, names) = pair(in: theirs)
    guard !names.isEmpty else { return [] }
    var operations = begin + beginToo + relating + names.map { .existing(mine, $0) }
    if random.happens(40) { operations.append(.look(mine)) }
    operations += edits(of: names, theirs) + edits(of: names, mine)
    operations += [.save(theirs), .save(mine), .look(mine)]
    guard world.contexts[mine].plan.undoes, random.happens(50) else { return operations }
    return operations + [.undo(mine), .look(mine), .save(mine), .look(mine)]
  }

  /// A child and its parent change or delete some of related objects.
  mutating func entangledBelow() -> [Operation] {
    let children = world.contexts.indices.filter { world.contexts[$0].plan.parent != nil }
    guard program.isOpen, let c = random.pick(children), let parent = world.contexts[c].plan.parent,
      world.contexts[parent].plan.parent == nil
    else { return [] }
    let begin: [Operation] = [c, parent].filter { world.contexts[$0].hasChanges }.map {
      .rollback($0)
    }
    let (relating, names) = pair(in: parent)
    guard !names.isEmpty else { return [] }
    var operations = begin + relating + names.map { .existing(c, $0) }
    if random.happens(40) { operations.append(.look(c)) }
    let (above, below) = (edits(of: names, parent), edits(of: names, c))
    operations += random.happens(50) ? above + below : below + above
    if random.happens(30) {
      operations.append(random.happens(50) ? .save(parent) : .rollback(parent))
    }
    operations += [.save(c), .look(parent), .save(parent), .look(c)]
    return random.happens(30)
      ? operations + edits(of: names, c) + [.save(c), .save(parent)] : operations
  }

  /// Relates two stored objects in a context, and saves this; no names if there are none.
  private mutating func pair(in c: Int) -> (relating: [Operation], names: [ObjectName]) {
    guard let (name, relationship) = random.pick(related(oneToOne: random.happens(30))),
      let other = some(c, of: relationship.destination), other != name
    else { return ([], []) }
    let relating = relate(c, name, relationship, other)
    return ([.existing(c, name), .existing(c, other), relating, .save(c)], [name, other])
  }

  /// A few changes and deletions of objects.
  private mutating func edits(of names: [ObjectName], _ c: Int) -> [Operation] {
    var operations: [Operation] = []
    for _ in 0...random.below(2) {
      guard let name = random.pick(names) else { continue }
      operations += random.happens(40) ? [.delete(c, name)] : changing(c, name)
    }
    return operations + (random.happens(30) ? [.settle(c)] : [])
  }

  /// An object is taken out of a relationship that isn't loaded, and put into it, or the other way around, whether or not
  /// it was a member.
  mutating func fickle() -> [Operation] {
    guard program.isOpen, let (c, begin) = saver(),
      let (name, relationship) = random.pick(
        related(oneToOne: false).filter(\.relationship.isToMany)),
      let other = some(c, of: relationship.destination)
    else { return [] }
    let key = relationship.name
    let changes: [Operation] = [
      .add(c, name, key, member: other), .remove(c, name, key, member: other),
    ]
    return begin
      + (random.happens(50) ? [.existing(c, name), .refresh(c, name, merging: true)] : [])
      + (random.happens(50) ? changes : changes.reversed())
      + (random.happens(30) ? [.look(c)] : []) + [.save(c), .look(c)]
  }

  /// Leads an object to another.
  func relate(
    _ c: Int, _ name: ObjectName, _ relationship: RelationshipPlan, _ other: ObjectName
  ) -> Operation {
    relationship.isToMany
      ? .add(c, name, relationship.name, member: other)
      : .point(c, name, relationship.name, to: other)
  }

  /// Stored objects, each with a relationship that has an inverse.
  func related(oneToOne: Bool) -> [(name: ObjectName, relationship: RelationshipPlan)] {
    related { relationship, inverse in
      inverse.map { !oneToOne || !relationship.isToMany && !$0.isToMany } ?? false
    }
  }

  /// Stored objects, each with a relationship that is chosen by itself and its inverse.
  func related(
    where isChosen: (RelationshipPlan, _ inverse: RelationshipPlan?) -> Bool
  ) -> [(name: ObjectName, relationship: RelationshipPlan)] {
    world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter {
        isChosen($0, world.model.inverse(of: $0))
      }.map { (name, $0) }
    }
  }
}
