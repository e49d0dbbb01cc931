/// Sequences of operations in which what one context does meets what another has just done to the same objects.
extension ProgramGenerator {
  /// Whether several contexts save to the stores, and one of them gives up its changes where others have made some.
  var mayMeet: Bool {
    let roots = world.contexts.filter { $0.plan.parent == nil }
    return roots.count > 1 && roots.contains { $0.plan.policy == .rollback }
  }

  /// A context that gives up its changes, or another that resolves conflicts.
  private mutating func giver() -> (c: Int, begin: [Operation])? {
    let fit = world.contexts.indices.filter {
      world.contexts[$0].plan.parent == nil && world.contexts[$0].plan.policy == .rollback
    }
    guard random.happens(60), let c = random.pick(fit) else { return resolver() }
    return (c, world.contexts[c].hasChanges ? [.rollback(c)] : [])
  }

  mutating func meeting() -> [Operation] {
    switch random.below(5) {
    case 0: heldMember()
    case 1: agreed()
    case 2: lostTogether()
    case 3: lateNews()
    default: formerMember()
    }
  }

  /// An owner is deleted, and its members with it, while another context changes one of these.
  private mutating func heldMember() -> [Operation] {
    guard let (mine, begin) = giver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(
        related { $0.rule == .cascade && $1?.isToMany == false }),
      let member = some(theirs, of: relationship.destination), member != name
    else { return [] }
    var operations = begin + beginToo + [.existing(theirs, name), .existing(theirs, member)]
    operations += [relate(theirs, name, relationship, member), .save(theirs)]
    operations += [.existing(mine, name), .refresh(mine, name, merging: true)]
    operations += [.existing(mine, member), .refresh(mine, member, merging: true)]
    operations += random.happens(70) ? setting(theirs, member) : changing(theirs, member)
    operations += [.save(theirs), .delete(mine, name), .settle(mine)]
    return operations + [.save(mine), .look(mine)]
  }

  /// Two contexts relate the same two objects, and the second hears of one of them before its save.
  private mutating func agreed() -> [Operation] {
    guard let (mine, begin) = giver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(related(oneToOne: random.happens(80))),
      let other = some(theirs, of: relationship.destination), other != name
    else { return [] }
    var operations = begin + beginToo + [.existing(mine, name), .existing(mine, other)]
    operations += [.existing(theirs, name), .existing(theirs, other)]
    operations += [relate(theirs, name, relationship, other), .save(theirs)]
    let relating = relate(mine, name, relationship, other)
    let hearing = Operation.refresh(mine, random.happens(50) ? name : other, merging: true)
    operations += random.happens(50) ? [hearing, relating] : [relating, hearing]
    return operations + [.save(mine), .look(mine)]
  }

  /// Two new objects, one of which leads to the other, both clash with stored ones in one save.
  private mutating func lostTogether() -> [Operation] {
    let model = world.model
    let unique = Set(model.concreteEntities.filter { !model.constraints(of: $0).isEmpty })
    let pairs = unique.sorted().flatMap { entity in
      model.relationships(of: entity).flatMap { relationship in
        unique.sorted().filter { model.isKind($0, of: relationship.destination) }.map {
          (entity: entity, relationship: relationship, other: $0)
        }
      }
    }
    guard let (mine, begin) = resolver(), let pair = random.pick(pairs) else { return [] }
    // Elsewhere and before, or, of one of them, in the same save.
    let theirs = random.happens(70) ? saver(other: mine) : nil
    var operations = begin + (theirs?.begin ?? [])
    var losers: [ObjectName] = []
    for entity in [pair.entity, pair.other] {
      guard case .insert(_, let winner, _, var values)? = insertion(mine, of: entity),
        case .insert(_, let loser, _, var others)? = insertion(mine, of: entity)
      else { return [] }
      for key in model.constraints(of: entity).flatMap(\.attributes) {
        let number = model.attribute(key, of: entity).map { random.below($0.kind.valueCount) }
        (values[key], others[key]) = (number, number)
      }
      operations.append(.insert(theirs?.c ?? mine, winner, entity: entity, values))
      if let theirs, entity == pair.other || random.happens(70) {
        operations.append(.save(theirs.c))
      }
      operations.append(.insert(mine, loser, entity: entity, others))
      losers.append(loser)
    }
    guard losers.count == 2 else { return [] }
    operations.append(relate(mine, losers[0], pair.relationship, losers[1]))
    return operations + (theirs.map { [.save($0.c)] } ?? []) + [.save(mine), .look(mine)]
  }

  /// A context hears of another's change of an object only after it has deleted that, and relates something to it.
  private mutating func lateNews() -> [Operation] {
    guard program.isOpen, let (mine, begin) = saver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(related(oneToOne: random.happens(30))),
      case .insert(_, let new, let entity, let values)? = insertion(
        mine,
        of: random.pick(
          world.model.concreteEntities.filter {
            world.model.isKind($0, of: relationship.destination)
          }))
    else { return [] }
    var operations = begin + beginToo + [.existing(theirs, name)] + setting(theirs, name)
    operations += [.save(theirs), .existing(mine, name), .refresh(mine, name, merging: true)]
    operations += [.delete(mine, name), .save(mine)]
    if random.happens(30) { operations.append(.refreshAll(mine)) }
    operations += [.merge(from: theirs, into: mine)]
    operations += [.insert(mine, new, entity: entity, values)]
    return operations + [relate(mine, name, relationship, new), .save(mine), .look(mine)]
  }

  /// A member has left its owner elsewhere, and is put back by a context that hasn't heard of it.
  private mutating func formerMember() -> [Operation] {
    guard let (mine, begin) = resolver(), let (theirs, beginToo) = saver(other: mine),
      let (name, relationship) = random.pick(
        related { $0.isToMany && $1?.isToMany == false }),
      let inverse = world.model.inverse(of: relationship),
      let member = random.pick(world.store.members(name, relationship))
    else { return [] }
    let ending: [Operation] =
      random.happens(80)
      ? [.point(theirs, member, inverse.name, to: nil)] : [.delete(theirs, member)]
    var operations = begin + beginToo + [.reset(mine), .existing(mine, name)]
    operations += [.existing(mine, member), .existing(theirs, member)] + ending
    operations += [.save(theirs), relate(mine, name, relationship, member)]
    return operations + [.save(mine), .look(mine)]
  }
}
