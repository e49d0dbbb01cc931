/// Random requests for dictionaries.
extension ProgramGenerator {
  mutating func selection(_ c: Int) -> Operation? {
    guard let entity = random.pick(world.model.entities)?.name else { return nil }
    let attributes = world.model.attributes(of: entity).filter {
      !$0.isTransient && $0.counted == nil && $0.kind.isEquatable
    }
    var plan = SelectPlan(entity: entity, condition: conditionOf(entity, c))
    plan.includesSubentities = random.happens(85)
    let plain = attributes.map(\.name)
    switch random.below(4) {
    case 0:
      plan.attributes = random.some(plain, atMost: 2) + [ModelPlan.serial]
      if random.happens(50) { plan.limit = 1 + random.below(3) }
      if random.happens(30) { plan.offset = random.below(3) }
    case 1:
      plan.attributes = random.some(plain, atMost: 2)
      plan.isDistinct = true
    case 2: plan.aggregates = aggregates(attributes)
    default:
      plan.attributes = random.some(plain.filter { $0 != ModelPlan.serial }, atMost: 2)
      plan.isGrouped = !plan.attributes.isEmpty
      plan.aggregates = aggregates(attributes)
      if plan.isGrouped, random.happens(40) {
        plan.least = 1 + random.below(2)
        if !plan.aggregates.contains(SelectPlan.rows) { plan.aggregates.append(SelectPlan.rows) }
      }
    }
    plan.attributes = Array(Set(plan.attributes)).sorted()
    return .select(c, plan)
  }

  private mutating func aggregates(_ attributes: [AttributePlan]) -> [SelectPlan.Aggregate] {
    let made = (0...random.below(2)).compactMap { _ -> SelectPlan.Aggregate? in
      guard let attribute = random.pick(attributes),
        let function = random.pick(SelectPlan.Aggregate.Function.allCases)
      else { return nil }
      let isNumber = [.integer16, .integer32, .integer64].contains(attribute.kind)
      let isOrdered = attribute.kind.isOrdered && attribute.kind != .string
      let isSerial = attribute.name == ModelPlan.serial
      let fits =
        switch function {
        case .count: true
        case .sum: isNumber && !isSerial
        case .min, .max: isOrdered
        }
      return SelectPlan.Aggregate(function: fits ? function : .count, attribute: attribute.name)
    }
    return made.reduce(into: []) { list, aggregate in
      if !list.contains(aggregate) { list.append(aggregate) }
    }
  }
}
