/// Sequences of operations that cause conflicts.
extension ProgramGenerator {
  /// A random root context, mostly one whose policy resolves conflicts.
  mutating func resolver(other: Int? = nil) -> (c: Int, begin: [Operation])? {
    let fit = world.contexts.indices.filter {
      world.contexts[$0].plan.parent == nil && $0 != other
        && world.contexts[$0].plan.policy != .error
    }
    guard random.happens(70), let c = random.pick(fit) else { return saver(other: other) }
    return (c, world.contexts[c].hasChanges ? [.rollback(c)] : [])
  }

  /// Two contexts change the same object, or one deletes it; the second save has a conflict.
  mutating func duel() -> [Operation] {
    guard let (second, begin) = resolver(), let (first, beginToo) = saver(other: second),
      let name = random.pick(world.store.rows.keys.sorted())
    else { return [] }
    var operations = begin + beginToo + [.existing(first, name), .existing(second, name)]
    let change = changing(first, name)
    operations += change
    // The same property on both sides, or random ones.
    if random.happens(60), case .set(_, _, let key, _)? = change.first,
      let kind = world.model.attribute(key, of: world.store.rows[name]?.entity ?? "")?.kind
    {
      operations.append(.set(second, name, key, to: random.below(kind.valueCount)))
    }
    operations += changing(second, name)
    if random.happens(50) { operations += changing(second, name) }
    if random.happens(15) { operations.append(.delete(random.happens(50) ? first : second, name)) }
    return operations + [.save(first), .save(second), .look(second)]
  }

  /// Contexts whose policy writes rows again that another context deleted, and that don't merge saves automatically.
  var lateHearers: [Int] {
    guard world.contexts.count > 1 else { return [] }
    return world.contexts.indices.filter {
      let plan = world.contexts[$0].plan
      return plan.parent == nil && !plan.isRemote && !plan.mergesAutomatically
        && (plan.policy == .objectTrump || plan.policy == .overwrite)
    }
  }

  /// A context merges a deletion only after its own save has written the row again.
  mutating func lateDeletion() -> [Operation] {
    // Only objects without related ones: what happens to relationships here is unspecified.
    let alone = world.store.rows.keys.sorted().filter { name in
      let entity = world.store.rows[name]?.entity ?? ""
      return world.model.relationships(of: entity).allSatisfy {
        world.destinations(name, $0).isEmpty
      }
    }
    guard let second = random.pick(lateHearers), let (first, beginToo) = saver(other: second),
      world.contexts[first].plan.coordinator == world.contexts[second].plan.coordinator,
      let name = random.pick(alone)
    else { return [] }
    let begin: [Operation] = world.contexts[second].hasChanges ? [.rollback(second)] : []
    var operations = begin + beginToo + [.existing(first, name), .existing(second, name)]
    operations += [.delete(first, name), .save(first)] + setting(second, name) + [.save(second)]
    operations += [.merge(from: first, into: second), .look(second)] + setting(second, name)
    return operations + [.save(second), .look(second)]
  }

  /// A change of an object's attribute or relationship.
  mutating func changing(_ c: Int, _ name: ObjectName) -> [Operation] {
    let entity = world.store.rows[name]?.entity ?? ""
    guard random.happens(45),
      let relationship = random.pick(world.model.relationships(of: entity))
    else { return setting(c, name) }
    let key = relationship.name
    let other = some(c, of: relationship.destination)
    guard relationship.isToMany else { return [.point(c, name, key, to: other)] }
    if random.happens(40), let member = random.pick(world.store.members(name, relationship)) {
      return [.remove(c, name, key, member: member)]
    }
    return other.map { [.add(c, name, key, member: $0)] } ?? setting(c, name)
  }

  /// Two objects get the same unique values, mostly in two contexts.
  mutating func twins() -> [Operation] {
    let unique = world.model.concreteEntities.filter { !world.model.constraints(of: $0).isEmpty }
    guard let entity = random.pick(unique), let (second, begin) = resolver(),
      let (first, beginToo) = random.happens(40) ? (second, []) : saver(other: second),
      case .insert(_, let one, _, var values) = insertion(first, of: entity),
      case .insert(_, let two, _, var others) = insertion(second, of: entity)
    else { return [] }
    for key in world.model.constraints(of: entity).flatMap(\.attributes) {
      let number = world.model.attribute(key, of: entity).map { random.below($0.kind.valueCount) }
      (values[key], others[key]) = (number, number)
    }
    // Sometimes two new objects of the same save clash.
    let between: [Operation] = first == second && random.happens(50) ? [] : [.save(first)]
    var operations = begin + beginToo + [.insert(first, one, entity: entity, values)] + between
    operations.append(.insert(second, two, entity: entity, others))
    // The losing object has relationships.
    for relationship in world.model.relationships(of: entity) {
      guard let other = some(second, of: relationship.destination) else { continue }
      operations.append(relate(second, two, relationship, other))
    }
    for owner in world.model.entities {
      for relationship in owner.relationships
      where !relationship.isToMany && relationship.inverse == nil
        && world.model.isKind(entity, of: relationship.destination)
      {
        guard let other = some(second, of: owner.name) else { continue }
        operations.append(.point(second, other, relationship.name, to: two))
      }
    }
    return operations + [.save(second), .look(second)]
  }
}
