/// Simplified versions of programs.
extension Program {
  func without(entity name: String) -> Program {
    var smaller = self
    let parent = model.entity(name)?.parent
    smaller.model.entities.removeAll { $0.name == name }
    for index in smaller.model.entities.indices {
      if smaller.model.entities[index].parent == name {
        // Adds what the subentity inherited from the removed entity.
        guard let own = model.entity(name) else { continue }
        smaller.model.entities[index].parent = parent
        if parent == nil { smaller.model.entities[index].attributes += own.attributes }
      }
    }
    for relationship in model.entities.flatMap(\.relationships)
    where relationship.destination == name
      || model.entity(name)?.relationships.contains(relationship) == true
    {
      smaller = smaller.without(relationship: relationship.name)
    }
    let names = Set(
      operations.compactMap { operation -> ObjectName? in
        guard case .insert(_, let object, let entity, _) = operation, entity == name else {
          return nil
        }
        return object
      })
    smaller.operations.removeAll { !names.isDisjoint(with: $0.objects) }
    smaller.operations.removeAll { $0.entity == name }
    for index in smaller.setup.contexts.indices {
      smaller.setup.contexts[index].watches.removeAll { $0.entity == name }
    }
    return smaller
  }

  func without(relationship name: String) -> Program {
    var smaller = self
    for index in smaller.model.entities.indices {
      smaller.model.entities[index].relationships.removeAll { $0.name == name }
      smaller.model.entities[index].attributes.removeAll { $0.counted == name }
      for position in smaller.model.entities[index].relationships.indices
      where smaller.model.entities[index].relationships[position].inverse == name {
        smaller.model.entities[index].relationships[position].inverse = nil
      }
    }
    // Requests that name a removed property would raise an exception.
    smaller.operations.removeAll { $0.keys.contains(name) }
    return smaller
  }

  func changing(_ entity: String, _ body: (inout EntityPlan) -> Void) -> Program {
    var smaller = self
    for index in smaller.model.entities.indices where smaller.model.entities[index].name == entity {
      body(&smaller.model.entities[index])
    }
    let kept = Set(smaller.model.entities.flatMap(\.attributes).map(\.name))
    let gone = Set(model.entities.flatMap(\.attributes).map(\.name)).subtracting(kept)
    guard !gone.isEmpty else { return smaller }
    for index in smaller.model.entities.indices {
      smaller.model.entities[index].constraints.removeAll { !gone.isDisjoint(with: $0) }
    }
    for index in smaller.setup.contexts.indices {
      smaller.setup.contexts[index].watches.removeAll { plan in
        let keys = (plan.condition?.keys ?? []) + plan.sorts.map(\.attribute)
        return !gone.isDisjoint(with: keys)
      }
    }
    smaller.operations = smaller.operations.compactMap { operation in
      switch operation {
      case .fetch(let c, var plan):
        guard gone.isDisjoint(with: plan.condition?.keys ?? []) else { return nil }
        plan.sorts.removeAll { gone.contains($0.attribute) }
        return .fetch(c, plan)
      case .select(_, let plan):
        return gone.isDisjoint(with: plan.keys) ? operation : nil
      case .insert(let c, let name, let entity, let values):
        return .insert(c, name, entity: entity, values.filter { !gone.contains($0.key) })
      case .batchInsert(let c, let entity, let rows, let merging):
        return .batchInsert(
          c, entity: entity, rows.map { $0.filter { !gone.contains($0.key) } }, merging: merging)
      default:
        return gone.isDisjoint(with: operation.condition?.keys ?? []) ? operation : nil
      }
    }
    return smaller
  }

  func changing(_ relationship: String, _ body: (inout RelationshipPlan) -> Void) -> Program {
    var smaller = self
    for index in smaller.model.entities.indices {
      for position in smaller.model.entities[index].relationships.indices
      where smaller.model.entities[index].relationships[position].name == relationship {
        body(&smaller.model.entities[index].relationships[position])
      }
    }
    return smaller
  }
}

extension Condition {
  /// The properties that the condition names.
  var keys: [String] {
    switch self {
    case .attribute(let key, _, _), .oneOf(let key, _), .destination(let key, _, _),
      .anyMember(let key, _, _), .memberCount(let key, _, _), .extreme(let key, _, _):
      [key]
    case .through(let key, let other, _, _), .anyMemberAttribute(let key, let other, _, _):
      [key, other]
    case .object, .objects: []
    case .not(let condition): condition.keys
    case .all(let conditions), .any(let conditions): conditions.flatMap(\.keys)
    }
  }
}

extension Operation {
  /// The entity that the operation requests.
  fileprivate var entity: String? {
    switch self {
    case .fetch(_, let plan): plan.entity
    case .select(_, let plan): plan.entity
    case .evolve(_, let evolution): evolution.entity
    case .batchInsert(_, let entity, _, _), .batchUpdate(_, let entity, _, _, _, _),
      .batchDelete(_, let entity, _, _):
      entity
    default: nil
    }
  }

  /// The operation's predicate.
  fileprivate var condition: Condition? {
    switch self {
    case .fetch(_, let plan): plan.condition
    case .select(_, let plan): plan.condition
    case .batchUpdate(_, _, let condition, _, _, _), .batchDelete(_, _, let condition, _): condition
    default: nil
    }
  }

  /// The objects that the operation names.
  var objects: [ObjectName] {
    switch self {
    case .insert(_, let name, _, _), .set(_, let name, _, _), .delete(_, let name),
      .refresh(_, let name, _), .existing(_, let name):
      [name]
    case .point(_, let name, _, let target): [name] + (target.map { [$0] } ?? [])
    case .add(_, let name, _, let member), .remove(_, let name, _, let member): [name, member]
    case .replace(_, let name, _, let members): [name] + members
    case .fetch(_, let plan): plan.condition?.constants ?? []
    case .select(_, let plan): plan.condition?.constants ?? []
    case .rare(_, let step): step.objects
    case .under(_, let operation): operation.objects
    default: []
    }
  }

  /// Simpler versions of the operation.
  var simpler: [Operation] {
    switch self {
    case .insert(let c, let name, let entity, let values):
      return values.keys.sorted().map { key in
        .insert(c, name, entity: entity, values.filter { $0.key != key })
      }
    case .replace(let c, let name, let key, let members):
      return members.map { member in
        .replace(c, name, key, members: members.filter { $0 != member })
      }
    case .fetch(let c, let plan):
      return plan.simpler.map { .fetch(c, $0) }
    case .select(let c, let plan):
      return plan.simpler.map { .select(c, $0) }
    case .batchUpdate(let c, let entity, _?, let key, let value, let merging):
      return [.batchUpdate(c, entity: entity, nil, key, to: value, merging: merging)]
    case .batchDelete(let c, let entity, _?, let merging):
      return [.batchDelete(c, entity: entity, nil, merging: merging)]
    case .batchInsert(let c, let entity, let rows, let merging):
      return rows.indices.dropFirst().map { index in
        var fewer = rows
        fewer.remove(at: index)
        return .batchInsert(c, entity: entity, fewer, merging: merging)
      }
    case .rare(let c, .deleteRows(let names, let merging)):
      return names.map { name in
        .rare(c, .deleteRows(names.filter { $0 != name }, merging: merging))
      }
    case .under(_, let operation): return [operation]
    default: return []
    }
  }
}

extension FetchPlan {
  fileprivate var simpler: [FetchPlan] {
    let changes: [(inout FetchPlan) -> Void] = [
      { $0.condition = nil }, { $0.sorts = [] }, { $0.limit = 0 }, { $0.offset = 0 },
      { $0.isAsynchronous = false }, { $0.includesPending = true },
      { $0.includesSubentities = true }, { $0.result = .objects },
      { $0.batchSize = nil }, { $0.prefetches = nil }, { $0.areFaults = nil },
    ]
    let conditions: [Condition] =
      switch condition {
      case .not(let inner): [inner]
      case .all(let parts), .any(let parts): parts
      default: []
      }
    return changes.map { change in
      var plan = self
      change(&plan)
      return plan
    }
      + conditions.map { condition in
        var plan = self
        plan.condition = condition
        return plan
      }
  }
}
