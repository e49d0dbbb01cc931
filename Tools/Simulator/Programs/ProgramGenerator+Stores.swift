/// Sequences of operations on other parts of stores than rows: external files and entity numbers.
extension ProgramGenerator {
  /// Whether the entities are in several stores and all contexts are in this process.
  var mayEvolveElsewhere: Bool {
    world.model.storeCount > 1 && !program.setup.isInMemory
      && !world.contexts.contains(where: \.plan.isRemote)
  }

  /// A value in an external file is replaced in a save with a fault: the old file is needed until the save has
  /// succeeded.
  mutating func replacedFile() -> [Operation] {
    func external(_ entity: String) -> [AttributePlan] {
      world.model.attributes(of: entity).filter { $0.kind == .external }
    }
    let entities = world.model.concreteEntities.filter { !external($0).isEmpty }
    guard !program.setup.isInMemory, let (c, begin) = saver(), let entity = random.pick(entities),
      let key = random.pick(external(entity))?.name,
      case .insert(_, let name, _, var values)? = insertion(c, of: entity)
    else { return [] }
    values[key] = 1
    var fault = Fault.random(&random)
    fault.kind = random.pick([.full, .writeError, .syncError, .kill, .tear]) ?? .full
    if !fault.isKill { fault.call = 1 + random.below(2) }
    return begin + [
      .insert(c, name, entity: entity, values), .save(c),
      .set(c, name, key, to: random.happens(50) ? 2 : 0), .under(fault, .save(c)), .reset(c),
      .existing(c, name), .look(c),
    ]
  }

  /// Entities of another store are added, which changes the entity numbers of this store's rows.
  mutating func evolutionElsewhere() -> [Operation] {
    let entities = world.model.concreteEntities.filter { world.model.store(of: $0) > 0 }
    guard mayEvolveElsewhere, let (c, begin) = saver(), let entity = random.pick(entities),
      let before = insertion(c, of: entity), let after = insertion(c, of: entity)
    else { return [] }
    let fetch = Operation.fetch(c, FetchPlan(entity: entity))
    return begin + [
      before, .save(c), .evolve(c, .entity(newEntity(isRoot: true))), fetch, after, .save(c), fetch,
    ]
  }
}
