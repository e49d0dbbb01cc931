/// Sequences of operations that produce situations which random ones rarely do.
extension ProgramGenerator {
  mutating func scene() -> [Operation] {
    // What few setups and models have is chosen more often where they have it.
    if world.contexts.contains(where: { $0.plan.parent != nil }), random.happens(20) {
      return random.happens(35) ? takenOut() : below()
    }
    if mayEvolveElsewhere, random.happens(15) { return evolutionElsewhere() }
    let hasFiles = world.model.entities.contains { $0.attributes.contains { $0.kind == .external } }
    if hasFiles, random.happens(15) { return replacedFile() }
    if !lateHearers.isEmpty, random.happens(12) { return lateDeletion() }
    if !siblings.isEmpty, random.happens(25) { return mixedRows() }
    if !world.model.lonelyToManys.isEmpty, random.happens(25) { return rivals() }
    let hasLimits = world.model.entities.contains { $0.relationships.contains { $0.maximum > 0 } }
    if hasLimits, random.happens(12) { return crowd() }
    if world.contexts.contains(where: \.plan.undoes), random.happens(15) {
      return random.happens(50) ? undoneBesideOthers() : undoing()
    }
    if mayMeet, random.happens(20) { return meeting() }
    return plainScene()
  }

  private mutating func plainScene() -> [Operation] {
    switch random.below(40) {
    case 0, 1, 16: duel()
    case 6: random.happens(50) ? below() : entangledBelow()
    case 7: refreshedMembers()
    case 8: changedMatches()
    case 9: orderedMembers()
    case 17: lookups()
    case 18: vanishing()
    case 19, 20: deletionThatWins()
    case 21, 22: stalePartner()
    case 23: ghost()
    case 24, 25: half()
    case 26: putBack()
    case 27, 28: fickle()
    case 29, 30: returning()
    case 31, 32, 33, 34: entangled()
    case 35, 36, 37, 38, 39: meeting()
    case 10, 11: undoing()
    case 12: random.happens(50) ? loneMembers() : crowd()
    case 2, 13: twins()
    case 14: mandatory()
    case 15: deletion()
    case 3: unreadMembers()
    case 4: droppedChanges()
    default: program.setup.isInMemory ? unreadMembers() : staleBatch()
    }
  }

  /// Pairs of to-one relationships of sibling entities whose destinations are in different hierarchies.
  private var siblings: [(one: RelationshipPlan, other: RelationshipPlan)] {
    let model = world.model
    func first(_ entity: EntityPlan) -> RelationshipPlan? {
      entity.relationships.first { !$0.isToMany }
    }
    return model.entities.flatMap { one in
      model.entities.compactMap { other in
        guard one.name < other.name, one.parent != nil, one.parent == other.parent,
          let (r, s) = first(one).flatMap({ r in first(other).map { (r, $0) } }),
          model.root(of: r.destination) != model.root(of: s.destination)
        else { return nil }
        return (r, s)
      }
    }
  }

  /// Rows of sibling entities follow one another in a fetch.
  private mutating func mixedRows() -> [Operation] {
    guard let (one, other) = random.pick(siblings), let (c, begin) = saver() else { return [] }
    let missing = goals(c, of: [one, other])
    guard missing.isEmpty else { return begin + missing + [.save(c)] }
    let rows = world.store.rows.sorted { $0.key < $1.key }
    var operations = begin
    var root: String?
    for key in [one, other, one, other] {
      guard
        let entity = world.model.entities.first(where: { $0.relationships.contains(key) })?.name,
        world.model.concreteEntities.contains(entity),
        case .insert(_, let name, _, let values)? = insertion(c, of: entity)
      else { return [] }
      root = world.model.root(of: entity)
      operations.append(.insert(c, name, entity: entity, values))
      // The first rows of each hierarchy most often have the same keys.
      let goals = rows.filter { world.model.isKind($0.value.entity, of: key.destination) }.prefix(2)
      guard let goal = random.happens(70) ? goals.first : goals.last else { continue }
      operations.append(.point(c, name, key.name, to: goal.key))
    }
    guard let root else { return [] }
    return operations + [.save(c), .reset(c), .fetch(c, FetchPlan(entity: root)), .look(c)]
  }

  /// Inserts possible destinations of relationships for which the store has no row yet.
  private mutating func goals(_ c: Int, of relationships: [RelationshipPlan]) -> [Operation] {
    relationships.compactMap { relationship in
      let destination = relationship.destination
      guard
        !world.store.rows.values.contains(where: { world.model.isKind($0.entity, of: destination) })
      else { return nil }
      let entities = world.model.concreteEntities.filter { world.model.isKind($0, of: destination) }
      return insertion(c, of: random.pick(entities))
    }
  }

  /// Stored objects of an entity and, where there are too few, new ones of a context.
  mutating func cast(
    _ count: Int, of entity: String, in c: Int
  ) -> (names: [ObjectName], insertions: [Operation]) {
    let stored = world.store.rows.filter { world.model.isKind($0.value.entity, of: entity) }
    var names = Array(stored.keys.sorted().shuffled(using: &random).prefix(count))
    var insertions: [Operation] = []
    let entities = world.model.concreteEntities.filter { world.model.isKind($0, of: entity) }
    while names.count < count, let insertion = insertion(c, of: random.pick(entities)),
      case .insert(_, let name, _, _) = insertion
    {
      names.append(name)
      insertions.append(insertion)
    }
    return (names, insertions)
  }

  /// A root context; if it has changes it is rolled back first.
  mutating func saver(other: Int? = nil) -> (c: Int, begin: [Operation])? {
    let fit = world.contexts.indices.filter { world.contexts[$0].plan.parent == nil && $0 != other }
    return random.pick(fit).map { ($0, world.contexts[$0].hasChanges ? [.rollback($0)] : []) }
  }

  /// Members are removed and added while a relationship isn't loaded.
  mutating func unreadMembers() -> [Operation] {
    let c = random.below(world.contexts.count)
    let begin: [Operation] = world.contexts[c].hasChanges ? [.rollback(c)] : []
    var owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter(\.isToMany).map { (name, $0) }
    }
    // A store in memory keeps lists of members where no other side does.
    let lonely = owners.filter { name, relationship in
      relationship.inverse == nil && !world.store.members(name, relationship).isEmpty
    }
    if program.setup.isInMemory, !lonely.isEmpty, random.happens(60) { owners = lonely }
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

  /// A changed object is refreshed after another context has changed its members.
  private mutating func refreshedMembers() -> [Operation] {
    let owners = world.store.rows.sorted { $0.key < $1.key }.flatMap { name, row in
      world.model.relationships(of: row.entity).filter(\.isToMany).map { (name, $0) }
    }
    guard let (c, begin) = saver(), let (other, beginToo) = saver(other: c),
      let (owner, relationship) = random.pick(owners)
    else { return [] }
    let key = relationship.name
    let members = world.store.members(owner, relationship)
    var operations = begin + beginToo + [.existing(c, owner), .look(c)] + setting(c, owner)
    if let member = random.pick(members), random.happens(50) {
      operations.append(.remove(other, owner, key, member: member))
    } else if let member = some(other, of: relationship.destination) {
      operations.append(.add(other, owner, key, member: member))
    }
    return operations + [.save(other), .refresh(c, owner, merging: true), .look(c), .save(c)]
  }

  /// A fetch looks for a value that objects have only temporarily, or no longer.
  private mutating func changedMatches() -> [Operation] {
    guard let (c, begin) = saver(), let name = random.pick(world.store.rows.keys.sorted()),
      let entity = world.store.rows[name]?.entity,
      case .set(_, _, let key, let number?)? = setting(c, name).first,
      let attribute = world.model.attribute(key, of: entity), !attribute.isTransient,
      attribute.kind.isEquatable
    else { return [] }
    var plan = FetchPlan(entity: entity, condition: .attribute(key, .equal, number))
    plan.limit = 1 + random.below(3)
    plan.result = random.pick(FetchPlan.Result.allCases) ?? .objects
    let former = world.store.rows[name]?.attributes[key]
    var operations = begin + [.existing(c, name), .set(c, name, key, to: number), .fetch(c, plan)]
    if let former {
      plan.condition = .attribute(key, .equal, former)
      operations.append(.fetch(c, plan))
    }
    return operations
  }

  /// A refresh drops changes, or keeps them.
  private mutating func droppedChanges() -> [Operation] {
    guard let (c, begin) = saver(), let name = random.pick(world.store.rows.keys.sorted()) else {
      return []
    }
    return begin + [.existing(c, name)] + setting(c, name)
      + [.refresh(c, name, merging: random.happens(30)), .look(c), .save(c)]
  }

  /// A batch changes or deletes an object that a context has registered.
  private mutating func staleBatch() -> [Operation] {
    let names = world.store.rows.keys.sorted()
    // Delete rules only matter for rows with relationships.
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

  /// Whether deleting a row also deletes others, or is denied.
  private func isHeld(_ name: ObjectName) -> Bool {
    world.model.relationships(of: world.store.rows[name]?.entity ?? "").contains { relationship in
      let isMandatory = world.model.inverse(of: relationship)?.isOptional == false
      return (relationship.rule == .cascade || relationship.rule == .deny || isMandatory)
        && !world.destinations(name, relationship).isEmpty
    }
  }

  /// Rows are deleted, and others with them by the delete rules.
  private mutating func deletion() -> [Operation] {
    guard let (c, begin) = saver() else { return [] }
    var names = world.store.rows.keys.sorted()
    // Rows with destinations in relationships without inverse are rare, so they are preferred.
    let lonely = names.filter { name in
      world.model.relationships(of: world.store.rows[name]?.entity ?? "").contains {
        $0.inverse == nil && !world.destinations(name, $0).isEmpty
      }
    }
    if !lonely.isEmpty, random.happens(50) { names = lonely }
    names.shuffle(using: &random)
    let deletions: [Operation] = names.prefix(1 + random.below(2)).flatMap {
      [.existing(c, $0), .delete(c, $0)]
    }
    return deletions.isEmpty ? [] : begin + deletions + [.save(c), .look(c)]
  }

  /// The destination of a mandatory relationship is deleted.
  private mutating func mandatory() -> [Operation] {
    let owners = world.model.concreteEntities.flatMap { entity in
      world.model.relationships(of: entity).filter {
        !$0.isToMany && !$0.isOptional && $0.inverse != nil
      }.map { (entity, $0) }
    }
    guard let (c, begin) = saver(), let (entity, relationship) = random.pick(owners) else {
      return []
    }
    let fit = world.model.concreteEntities.filter {
      world.model.isKind($0, of: relationship.destination)
    }
    guard let destination = random.pick(fit),
      case .insert(_, let target, _, let values)? = insertion(c, of: destination),
      case .insert(_, let owner, _, let others)? = insertion(c, of: entity)
    else { return [] }
    let operations =
      begin + [
        .insert(c, target, entity: destination, values), .insert(c, owner, entity: entity, others),
        .point(c, owner, relationship.name, to: target), .save(c),
      ]
    guard random.happens(60), !program.setup.isInMemory else {
      return operations + [.delete(c, target), .save(c), .look(c)]
    }
    let condition = Condition.object(target, byIdentity: random.happens(50))
    return operations + [
      .batchDelete(c, entity: destination, condition, merging: random.happens(50)), .look(c),
    ]
  }

  mutating func setting(_ c: Int, _ name: ObjectName) -> [Operation] {
    let attributes = world.model.attributes(of: world.store.rows[name]?.entity ?? "").filter {
      $0.name != ModelPlan.serial && $0.counted == nil
    }
    guard let attribute = random.pick(attributes) else { return [] }
    return [.set(c, name, attribute.name, to: random.below(attribute.kind.valueCount))]
  }
}
