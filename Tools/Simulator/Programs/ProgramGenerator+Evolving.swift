/// Random changes of the model.
extension ProgramGenerator {
  mutating func evolution(_ c: Int) -> Operation? {
    guard !program.setup.isInMemory, let entity = random.pick(world.model.entities) else {
      return nil
    }
    switch random.below(8) {
    case 0..<3: return .evolve(c, .attribute(newAttribute(), of: entity.name))
    case 3:
      // Controllers may use the attribute.
      guard world.contexts.allSatisfy(\.plan.watches.isEmpty),
        let attribute = random.pick(entity.attributes)
      else { return nil }
      return .evolve(c, .withoutAttribute(attribute.name, of: entity.name))
    case 4..<7: return newRelationship(entity).map { .evolve(c, $0) }
    default: return .evolve(c, .entity(newEntity()))
    }
  }

  private mutating func newAttribute() -> AttributePlan {
    var attribute = AttributePlan(name: newName("y"), kind: random.pick(Self.kinds) ?? .string)
    if random.happens(50) { attribute.defaultValue = random.below(attribute.kind.valueCount) }
    attribute.isOptional = attribute.defaultValue == nil || random.happens(60)
    return attribute
  }

  private static let kinds = AttributeKind.allCases.filter {
    $0 != .external && $0 != .transformable
  }

  private mutating func newRelationship(_ entity: EntityPlan) -> Evolution? {
    let store = world.model.store(of: entity.name)
    let others = world.model.entities.filter { world.model.store(of: $0.name) == store }
    guard let destination = random.pick(others)?.name else { return nil }
    var there = RelationshipPlan(name: newName("s"), destination: destination)
    there.isToMany = random.happens(50)
    there.isOrdered = there.isToMany && random.happens(30)
    guard random.happens(75) else {
      return .relationship(there, of: entity.name, inverse: nil)
    }
    var back = RelationshipPlan(name: newName("s"), destination: entity.name)
    back.isToMany = random.happens(50)
    back.isOrdered = back.isToMany && random.happens(30)
    (there.inverse, back.inverse) = (back.name, there.name)
    return .relationship(there, of: entity.name, inverse: back)
  }

  mutating func newEntity(isRoot: Bool = false) -> EntityPlan {
    let used = Set(world.model.entities.map(\.name))
    let name = ["AB", "E", "BB", "F", "CC", "G"].first { !used.contains($0) } ?? "Z\(used.count)"
    var entity = EntityPlan(name: name)
    if !isRoot, random.happens(60) { entity.parent = random.pick(world.model.entities)?.name }
    entity.store = entity.parent.map(world.model.store) ?? 0
    if entity.parent == nil {
      entity.attributes.append(
        AttributePlan(name: ModelPlan.serial, kind: .integer64, isOptional: false, defaultValue: 2))
    }
    entity.attributes.append(newAttribute())
    return entity
  }
}
