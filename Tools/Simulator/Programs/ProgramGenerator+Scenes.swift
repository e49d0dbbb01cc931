/// A few operations in a row that bring about what random ones rarely do.
extension ProgramGenerator {
  mutating func scene() -> [Operation] {
    switch random.below(7) {
    case 0, 1: duel()
    case 6: below()
    case 2: twins()
    case 3: unreadMembers()
    case 4: droppedChanges()
    default: program.setup.isInMemory ? unreadMembers() : staleBatch()
    }
  }

  /// A context that saves into the stores, begun anew as far as it had changes.
  private mutating func saver(other: Int? = nil) -> (c: Int, begin: [Operation])? {
    let fit = world.contexts.indices.filter { world.contexts[$0].plan.parent == nil && $0 != other }
    return random.pick(fit).map { ($0, world.contexts[$0].hasChanges ? [.rollback($0)] : []) }
  }

  /// A context that saves into the stores, mostly one whose policy resolves conflicts.
  private mutating func resolver(other: Int? = nil) -> (c: Int, begin: [Operation])? {
    let fit = world.contexts.indices.filter {
      world.contexts[$0].plan.parent == nil && $0 != other
        && world.contexts[$0].plan.policy != .error
    }
    guard random.happens(70), let c = random.pick(fit) else { return saver(other: other) }
    return (c, world.contexts[c].hasChanges ? [.rollback(c)] : [])
  }

  /// Two contexts change one object, or one deletes it; the later meets a conflict.
  private mutating func duel() -> [Operation] {
    guard let (second, begin) = resolver(), let (first, beginToo) = saver(other: second),
      let name = random.pick(world.store.rows.keys.sorted())
    else { return [] }
    var operations = begin + beginToo + [.existing(first, name), .existing(second, name)]
    let change = changing(first, name)
    operations += change
    // The same property on both sides, or others.
    if random.happens(40), case .set(_, _, let key, _)? = change.first,
      let kind = world.model.attribute(key, of: world.store.rows[name]?.entity ?? "")?.kind
    {
      operations.append(.set(second, name, key, to: random.below(kind.valueCount)))
    }
    operations += changing(second, name)
    if random.happens(50) { operations += changing(second, name) }
    if random.happens(15) { operations.append(.delete(random.happens(50) ? first : second, name)) }
    return operations + [.save(first), .save(second), .look(second)]
  }

  /// A change of an object's attribute, or of a relationship.
  private mutating func changing(_ c: Int, _ name: ObjectName) -> [Operation] {
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
  private mutating func twins() -> [Operation] {
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
    var operations =
      begin + beginToo + [
        .insert(first, one, entity: entity, values), .save(first),
        .insert(second, two, entity: entity, others),
      ]
    // Somebody leads to the one that won't stay, and it leads to somebody.
    for relationship in world.model.relationships(of: entity) {
      guard let other = some(second, of: relationship.destination) else { continue }
      operations.append(
        relationship.isToMany
          ? .add(second, two, relationship.name, member: other)
          : .point(second, two, relationship.name, to: other))
    }
    return operations + [.save(second), .look(second)]
  }

  /// Members are taken out and put in while a relationship isn't here.
  private mutating func unreadMembers() -> [Operation] {
    let c = random.below(world.contexts.count)
    let begin: [Operation] = world.contexts[c].hasChanges ? [.rollback(c)] : []
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter(\.isToMany).map { (name, $0) }
    }
    guard let (owner, relationship) = random.pick(owners) else { return [] }
    let members = world.store.members(owner, relationship)
    let others = world.store.rows.filter {
      !members.contains($0.key) && world.model.isKind($0.value.entity, of: relationship.destination)
    }.keys.sorted()
    var operations: [Operation] = begin + [.reset(c), .existing(c, owner)]
    let key = relationship.name
    if let member = random.pick(members) {
      operations.append(.remove(c, owner, key, member: member))
      if random.happens(50) { operations.append(.add(c, owner, key, member: member)) }
    }
    if let other = random.pick(others), random.happens(60) {
      operations.append(.add(c, owner, key, member: other))
      if random.happens(30) { operations.append(.remove(c, owner, key, member: other)) }
    }
    if random.happens(40) { operations.append(.look(c)) }
    operations += [.save(c), .look(c)]
    guard let parent = world.contexts[c].plan.parent else { return operations }
    return operations + [.look(parent), .save(parent), .look(parent)]
  }

  /// A child takes members out of a relationship, or adds some, which its parent saves.
  private mutating func below() -> [Operation] {
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
    if random.happens(50) { operations.append(.look(c)) }
    if let member = random.pick(world.store.members(owner, relationship)) {
      operations.append(.remove(c, owner, relationship.name, member: member))
    }
    if let other = some(c, of: relationship.destination), random.happens(40) {
      operations.append(.add(c, owner, relationship.name, member: other))
    }
    return operations + [.save(c), .look(parent), .save(parent), .look(c)]
  }

  /// Changes that a refresh drops, or keeps.
  private mutating func droppedChanges() -> [Operation] {
    guard let (c, begin) = saver(), let name = random.pick(world.store.rows.keys.sorted()) else {
      return []
    }
    return begin + [.existing(c, name)] + setting(c, name)
      + [.refresh(c, name, merging: random.happens(30)), .look(c), .save(c)]
  }

  /// A batch changes or deletes one object that a context has.
  private mutating func staleBatch() -> [Operation] {
    let names = world.store.rows.keys.sorted()
    // Rows that others lead to are those whose deletion rules are about.
    let related = names.filter { name in
      world.model.relationships(of: world.store.rows[name]?.entity ?? "").contains {
        $0.isToMany
          ? !world.store.members(name, $0).isEmpty
          : world.store.rows[name]?.toOnes[$0.name] != nil
      }
    }
    let kinds = [names, related, related.filter(isHeld), related.filter(isHeld)]
    guard let (c, begin) = saver(), let list = random.pick(kinds), let name = random.pick(list),
      let entity = world.store.rows[name]?.entity
    else { return [] }
    let target = Condition.object(name, byIdentity: random.happens(50))
    if random.happens(60) {
      return begin + [
        .batchDelete(c, entity: entity, target, merging: random.happens(50)), .look(c),
      ]
    }
    guard case .set(_, _, let key, let number) = setting(c, name).first else { return [] }
    return begin + [
      .existing(c, name), .batchUpdate(c, entity: entity, target, key, to: number, merging: false),
    ] + setting(c, name) + [.save(c), .look(c)]
  }

  /// Whether a row's deletion takes others along, or is refused.
  private func isHeld(_ name: ObjectName) -> Bool {
    world.model.relationships(of: world.store.rows[name]?.entity ?? "").contains { relationship in
      let isMandatory = world.model.inverse(of: relationship)?.isOptional == false
      return (relationship.rule == .cascade || relationship.rule == .deny || isMandatory)
        && !world.destinations(name, relationship).isEmpty
    }
  }

  private mutating func setting(_ c: Int, _ name: ObjectName) -> [Operation] {
    let attributes = world.model.attributes(of: world.store.rows[name]?.entity ?? "").filter {
      $0.name != ModelPlan.serial && $0.counted == nil
    }
    guard let attribute = random.pick(attributes) else { return [] }
    return [.set(c, name, attribute.name, to: random.below(attribute.kind.valueCount))]
  }
}
