/// Generates random stacks of coordinators and contexts.
enum SetupGenerator {
  static func make(_ random: inout RandomSource, _ model: ModelPlan) -> Setup {
    var setup = Setup()
    setup.keepsHistory = random.happens(25)
    setup.coordinatorCount = random.happens(20) ? 2 : 1
    setup.contexts = []
    let count = random.happens(40) ? 1 : 2 + random.below(2)
    for index in 0..<count {
      var context = ContextPlan()
      context.isPrivate = random.happens(40)
      context.policy =
        random.happens(50) ? .error : random.pick(ContextPlan.Policy.allCases) ?? .error
      context.ownsPolicy = random.happens(15)
      let parents = (0..<index).filter { setup.contexts[$0].isPrivate }
      if random.happens(35), let parent = random.pick(parents) {
        context.parent = parent
        context.coordinator = setup.contexts[parent].coordinator
      } else {
        context.coordinator = random.below(setup.coordinatorCount)
        context.mergesAutomatically = random.happens(30)
      }
      setup.contexts.append(context)
    }
    // Without files, other coordinators can't conflict, and stores don't handle constraints and derived attributes.
    let isPlain = !model.entities.contains { entity in
      !entity.constraints.isEmpty || entity.attributes.contains { $0.counted != nil }
    }
    if isPlain, setup.coordinatorCount == 1, random.happens(40) {
      setup.isInMemory = true
      setup.keepsHistory = false
      if random.happens(50) { setup.wholeFile = random.pick(Setup.WholeFile.allCases) }
      return setup
    }
    setup.hasReaders = random.happens(50)
    // Another process has a coordinator of its own, and tells nobody what it saves.
    let free = setup.contexts.indices.filter { index in
      setup.contexts[index].parent == nil && !setup.contexts.contains { $0.parent == index }
    }
    if count > 1, random.happens(20), let remote = random.pick(free) {
      setup.contexts[remote].coordinator = setup.coordinatorCount
      setup.contexts[remote].mergesAutomatically = false
      setup.contexts[remote].isRemote = true
      setup.coordinatorCount += 1
    }
    if count == 1, random.happens(40) { setup.contexts[0].undoes = true }
    // The reference doesn't model when a controller reads others' changes.
    for index in setup.contexts.indices where count == 1 && random.happens(40) {
      setup.contexts[index].watches = [watch(&random, model)]
    }
    return setup
  }

  /// A request for a controller. Its predicate only uses attributes, so that an object appears or disappears only by
  /// its own change.
  private static func watch(_ random: inout RandomSource, _ model: ModelPlan) -> FetchPlan {
    let entity = random.pick(model.entities)?.name ?? ""
    var plan = FetchPlan(entity: entity)
    let attributes = model.attributes(of: entity).filter {
      $0.isComparable && $0.counted == nil && $0.kind != .string && $0.name != ModelPlan.serial
    }
    if random.happens(60), let attribute = random.pick(attributes) {
      let number = random.below(attribute.kind.valueCount)
      plan.condition = .attribute(attribute.name, random.happens(50) ? .equal : .less, number)
    }
    if let attribute = random.pick(attributes) {
      plan.sorts = [Sort(attribute: attribute.name, isAscending: random.happens(60))]
      if random.happens(40) { plan.section = attribute.name }
    }
    return plan
  }
}
