/// Variations of known programs: what is near to a bug that was found is worth more trials than the rest.
extension ProgramGenerator {
  /// A known program with other policies here and there, random operations between its own, and some left out.
  init(varying known: Program, _ source: RandomSource) {
    var random = source
    var program = known
    program.operations = []
    for index in program.setup.contexts.indices where random.happens(15) {
      program.setup.contexts[index].policy =
        random.pick(ContextPlan.Policy.allCases) ?? .error
    }
    if program.setup.contexts.count == 1, random.happens(15) {
      program.setup.contexts[0].undoes.toggle()
    }
    if !program.setup.isInMemory, random.happens(15) { program.setup.keepsHistory.toggle() }
    if random.happens(30) { program.open(&random) }
    self.init(random, program)
    let (less, more) = (self.random.below(15), self.random.below(40))
    // Objects are numbered in the order in which they are inserted: there must be room for others between them.
    for operation in known.operations.map({ $0.renaming { $0 * 100 } }) {
      if self.random.happens(more) { appendOperation() }
      // What a scene inserts has its names already.
      if operation.lastName > 0 { finishScene() }
      guard !self.random.happens(less), append(operation) else { continue }
      skipNames(to: operation.lastName)
    }
    for _ in 0..<self.random.below(12) { appendOperation() }
    lookEverywhere()
  }
}

extension Operation {
  /// The operation with other names for the objects.
  func renaming(_ new: (ObjectName) -> ObjectName) -> Operation {
    switch self {
    case .insert(let c, let name, let entity, let values):
      .insert(c, new(name), entity: entity, values)
    case .set(let c, let name, let key, let value): .set(c, new(name), key, to: value)
    case .point(let c, let name, let key, let target):
      .point(c, new(name), key, to: target.map(new))
    case .add(let c, let name, let key, let member): .add(c, new(name), key, member: new(member))
    case .remove(let c, let name, let key, let member):
      .remove(c, new(name), key, member: new(member))
    case .replace(let c, let name, let key, let members):
      .replace(c, new(name), key, members: members.map(new))
    case .delete(let c, let name): .delete(c, new(name))
    case .refresh(let c, let name, let merging): .refresh(c, new(name), merging: merging)
    case .existing(let c, let name): .existing(c, new(name))
    case .fetch(let c, var plan):
      {
        plan.condition = plan.condition?.renaming(new)
        return .fetch(c, plan)
      }()
    case .select(let c, var plan):
      {
        plan.condition = plan.condition?.renaming(new)
        return .select(c, plan)
      }()
    case .batchInsert(let c, let entity, let rows, let merging):
      .batchInsert(
        c, entity: entity,
        rows.map { row in
          row.merging(row[ModelPlan.serial].map { [ModelPlan.serial: new($0)] } ?? [:]) { $1 }
        }, merging: merging)
    case .batchUpdate(let c, let entity, let condition, let key, let value, let merging):
      .batchUpdate(
        c, entity: entity, condition?.renaming(new), key, to: value, merging: merging)
    case .batchDelete(let c, let entity, let condition, let merging):
      .batchDelete(c, entity: entity, condition?.renaming(new), merging: merging)
    case .rare(let c, let step): .rare(c, step.renaming(new))
    case .under(let fault, let operation): .under(fault, operation.renaming(new))
    case .settle, .save, .rollback, .reset, .refreshAll, .undo, .redo, .obtainIDs, .merge, .pin,
      .unpin, .reopen, .setMetadata, .evolve, .look:
      self
    }
  }
}

extension Condition {
  fileprivate func renaming(_ new: (ObjectName) -> ObjectName) -> Condition {
    switch self {
    case .destination(let key, let name, let byIdentity):
      .destination(key, name.map(new), byIdentity: byIdentity)
    case .anyMember(let key, let name, let byIdentity):
      .anyMember(key, new(name), byIdentity: byIdentity)
    case .object(let name, let byIdentity): .object(new(name), byIdentity: byIdentity)
    case .objects(let names, let byIdentity): .objects(names.map(new), byIdentity: byIdentity)
    case .not(let condition): .not(condition.renaming(new))
    case .all(let conditions): .all(conditions.map { $0.renaming(new) })
    case .any(let conditions): .any(conditions.map { $0.renaming(new) })
    case .attribute, .oneOf, .extreme, .through, .anyMemberAttribute, .memberCount: self
    }
  }
}
