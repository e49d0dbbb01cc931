/// Random fetches.
extension ProgramGenerator {
  mutating func fetchPlan(_ c: Int) -> FetchPlan {
    let entity = random.pick(world.model.entities)?.name ?? ""
    var plan = FetchPlan(entity: entity)
    plan.includesSubentities = random.happens(85)
    if random.happens(80) { plan.condition = condition(c, entity, depth: 0) }
    let sortable = world.model.attributes(of: entity).filter {
      $0.isComparable && $0.counted == nil && $0.kind != .string
    }
    plan.sorts = random.some(sortable, atMost: 2).map { attribute in
      Sort(attribute: attribute.name, isAscending: random.happens(60))
    }
    if random.happens(25) { plan.limit = 1 + random.below(3) }
    if random.happens(10) { plan.offset = random.below(3) }
    plan.includesPending = random.happens(90)
    plan.result = random.pick(FetchPlan.Result.allCases) ?? .objects
    if plan.result == .objects {
      if random.happens(15) { plan.batchSize = 1 + random.below(3) }
      if random.happens(20) { plan.areFaults = random.happens(50) }
      let relationships = world.model.relationships(of: entity).map(\.name)
      if random.happens(20) {
        let some = random.some(relationships, atMost: 2)
        if !some.isEmpty { plan.prefetches = some }
      }
    }
    if world.contexts[c].plan.isPrivate, plan.result == .objects {
      plan.isAsynchronous = random.happens(10)
    }
    return plan
  }

  /// Several unsaved objects are looked up by a value, before and after some of them get it or lose it.
  mutating func lookups() -> [Operation] {
    let c = random.below(world.contexts.count)
    guard let entity = random.pick(world.model.concreteEntities),
      let attribute = random.pick(
        comparable(entity).filter { [.string, .integer32, .integer64].contains($0.kind) })
    else { return [] }
    var operations: [Operation] = []
    var names: [ObjectName] = []
    for _ in 0..<4 {
      guard case .insert(_, let name, _, let values)? = insertion(c, of: entity) else { return [] }
      names.append(name)
      operations.append(.insert(c, name, entity: entity, values))
    }
    for _ in 0..<3 {
      let number = random.below(attribute.kind.valueCount)
      let plan = FetchPlan(entity: entity, condition: .attribute(attribute.name, .equal, number))
      guard let name = random.pick(names) else { continue }
      operations += [.fetch(c, plan), .set(c, name, attribute.name, to: number), .fetch(c, plan)]
      if random.happens(40) { operations.append(.settle(c)) }
    }
    return operations
  }

  /// Mostly a random predicate, otherwise nil.
  mutating func conditionOf(_ entity: String, _ c: Int) -> Condition? {
    random.happens(85) ? condition(c, entity, depth: 1) : nil
  }

  private mutating func condition(_ c: Int, _ entity: String, depth: Int) -> Condition? {
    if depth < 2, random.happens(25) {
      let parts = (0...random.below(2)).compactMap { _ in
        condition(c, entity, depth: depth + 1)
      }
      switch random.below(3) {
      case 0: return parts.first.map { .not($0) }
      case 1: return .all(parts)
      default: return .any(parts)
      }
    }
    switch random.below(10) {
    case 0..<4: return attributeCondition(entity)
    case 4: return objectCondition(c, entity)
    default: return relationshipCondition(c, entity)
    }
  }

  private func comparable(_ entity: String) -> [AttributePlan] {
    world.model.attributes(of: entity).filter {
      !$0.isTransient && $0.kind.isEquatable && $0.counted == nil && $0.name != ModelPlan.serial
    }
  }

  private mutating func comparison(_ attribute: AttributePlan) -> Condition.Comparison {
    let isOrdered = attribute.kind.isOrdered && attribute.kind != .string
    return random.pick(isOrdered ? Condition.Comparison.allCases : [.equal, .unequal]) ?? .equal
  }

  private mutating func attributeCondition(_ entity: String) -> Condition? {
    guard let attribute = random.pick(comparable(entity)) else { return nil }
    let number = random.below(attribute.kind.valueCount)
    switch random.below(10) {
    case 0: return .attribute(attribute.name, random.happens(50) ? .equal : .unequal, nil)
    case 9 where attribute.kind.isOrdered && attribute.kind != .string:
      return .extreme(
        attribute.name, random.happens(70) ? .equal : .less, isGreatest: random.happens(60))
    case 1..<3: return .oneOf(attribute.name, [number, random.below(attribute.kind.valueCount)])
    default: return .attribute(attribute.name, comparison(attribute), number)
    }
  }

  private mutating func objectCondition(_ c: Int, _ entity: String) -> Condition? {
    let names = (0...random.below(3)).compactMap { _ in some(c, of: entity) }
    let byIdentity = random.happens(50)
    guard let first = names.first else { return nil }
    return names.count == 1
      ? .object(first, byIdentity: byIdentity) : .objects(names, byIdentity: byIdentity)
  }

  private mutating func relationshipCondition(_ c: Int, _ entity: String) -> Condition? {
    let store = world.model.store(of: entity)
    let relationships = world.model.relationships(of: entity).filter {
      world.model.store(of: $0.destination) == store
    }
    guard let relationship = random.pick(relationships) else {
      return attributeCondition(entity)
    }
    let (key, destination) = (relationship.name, relationship.destination)
    let byIdentity = random.happens(50)
    let attribute = random.pick(comparable(destination))
    if relationship.isToMany {
      switch random.below(3) {
      case 0: return .memberCount(key, random.happens(50) ? .equal : .less, random.below(3))
      case 1:
        guard let attribute else { return nil }
        let number = random.below(attribute.kind.valueCount)
        return .anyMemberAttribute(key, attribute.name, comparison(attribute), number)
      default:
        return some(c, of: destination).map { .anyMember(key, $0, byIdentity: byIdentity) }
      }
    }
    if random.happens(30), let attribute {
      let number = random.below(attribute.kind.valueCount)
      return .through(key, attribute.name, comparison(attribute), number)
    }
    if random.happens(20) { return .destination(key, nil, byIdentity: false) }
    return some(c, of: destination).map { .destination(key, $0, byIdentity: byIdentity) }
  }
}
