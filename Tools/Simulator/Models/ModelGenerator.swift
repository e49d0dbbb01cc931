/// Makes small random models that use every feature of models.
struct ModelGenerator {
  private var random: RandomSource
  private var model = ModelPlan(entities: [])
  private var propertyCount = 0
  /// Whether the model has sibling entities whose relationships have destinations in different hierarchies.
  private var hasSiblings = false

  private init(_ random: RandomSource) { self.random = random }

  static func make(_ random: inout RandomSource) -> ModelPlan {
    var generator = ModelGenerator(RandomSource(seed: random.next()))
    generator.hasSiblings = generator.random.happens(10)
    if generator.hasSiblings { generator.addSiblings() } else { generator.addEntities() }
    generator.addAttributes()
    if generator.hasSiblings { generator.parallelize() }
    generator.addRelationships()
    generator.addConstraints()
    generator.addStamps()
    return generator.model
  }

  /// Makes a model of one relationship with its inverse, and little else: programs with it come to meet themselves more
  /// often.
  static func makeNarrow(_ random: inout RandomSource) -> ModelPlan {
    var generator = ModelGenerator(RandomSource(seed: random.next()))
    generator.addNarrowEntities()
    return generator.model
  }

  private mutating func addNarrowEntities() {
    let isReflexive = random.happens(40)
    for entity in isReflexive ? ["A"] : ["A", "B"] {
      let serial = AttributePlan(
        name: ModelPlan.serial, kind: .integer64, isOptional: false, defaultValue: 2)
      let value = AttributePlan(name: name("x"), kind: .integer64)
      var plan = EntityPlan(name: entity)
      plan.attributes = [serial, value]
      if random.happens(20) { plan.constraints = [[value.name]] }
      model.entities.append(plan)
    }
    addPair(0, model.entities.count - 1)
  }

  private mutating func name(_ prefix: String) -> String {
    propertyCount += 1
    return "\(prefix)\(propertyCount)"
  }

  private mutating func addEntities() {
    let storeCount = random.happens(15) ? 2 : 1
    for index in 0...random.below(4) {
      var entity = EntityPlan(name: ["A", "B", "C", "D"][index])
      if index > 0, random.happens(45) { entity.parent = model.entities[random.below(index)].name }
      entity.store = entity.parent.map(model.store) ?? (index == 0 ? 0 : random.below(storeCount))
      model.entities.append(entity)
    }
    for index in model.entities.indices {
      let hasSubentities = model.entities.contains { $0.parent == model.entities[index].name }
      model.entities[index].isAbstract = hasSubentities && random.happens(30)
    }
  }

  // MARK: Siblings

  /// Adds an entity with two subentities, and another root entity.
  private mutating func addSiblings() {
    for (name, parent) in [("A", nil), ("B", "A"), ("C", "A"), ("D", nil)] {
      model.entities.append(EntityPlan(name: name, parent: parent))
    }
    model.entities[0].isAbstract = random.happens(30)
  }

  /// Gives the siblings relationships in the same columns with destinations in different hierarchies, so that equal
  /// keys refer to different objects.
  private mutating func parallelize() {
    for (index, destination) in [(1, "A"), (2, "D")] {
      model.entities[index].attributes.removeLast(model.entities[index].attributes.count - 1)
      model.entities[index].relationships = [
        RelationshipPlan(name: name("r"), destination: destination)
      ]
    }
  }

  // MARK: Attributes

  private mutating func addAttributes() {
    for index in model.entities.indices {
      var attributes: [AttributePlan] = []
      if model.entities[index].parent == nil {
        attributes.append(
          AttributePlan(
            name: ModelPlan.serial, kind: .integer64, isOptional: false, defaultValue: 2))
      }
      for _ in 0..<(1 + random.below(3)) { attributes.append(makeAttribute()) }
      model.entities[index].attributes = attributes
    }
  }

  private mutating func makeAttribute() -> AttributePlan {
    var attribute = AttributePlan(
      name: name("x"), kind: random.pick(AttributeKind.allCases) ?? .string)
    if attribute.kind == .external, random.happens(50) { attribute.kind = .string }
    if random.happens(15), attribute.kind != .external { attribute.isTransient = true }
    if random.happens(30), attribute.kind != .transformable, attribute.kind != .external {
      attribute.defaultValue = random.below(attribute.kind.valueCount)
    }
    if !attribute.isTransient, random.happens(15) { attribute.isOptional = false }
    if attribute.mayBeLimited, random.happens(8) { attribute.most = attribute.kind.valueCount - 2 }
    return attribute
  }

  // MARK: Relationships

  private mutating func addRelationships() {
    for _ in 0..<(1 + random.below(4)) {
      let (from, to) = (random.below(model.entities.count), random.below(model.entities.count))
      let isWithin = model.entities[from].store == model.entities[to].store
      guard isWithin || random.happens(25) else { continue }
      addPair(from, to)
    }
    for index in model.entities.indices where random.happens(15) {
      guard let counted = model.entities[index].relationships.first(where: \.isToMany) else {
        continue
      }
      var derived = AttributePlan(name: name("count"), kind: .integer64)
      derived.counted = counted.name
      model.entities[index].attributes.append(derived)
    }
  }

  private mutating func addPair(_ from: Int, _ to: Int) {
    var there = RelationshipPlan(name: name("r"), destination: model.entities[to].name)
    (there.isToMany, there.rule) = (random.happens(50), rule())
    there.isOrdered = there.isToMany && random.happens(30)
    if random.happens(20) {
      // Without inverse, or its own inverse.
      if from == to, random.happens(65) { there.inverse = there.name }
      model.entities[from].relationships.append(there)
      return
    }
    var back = RelationshipPlan(name: name("r"), destination: model.entities[from].name)
    (back.isToMany, back.rule) = (random.happens(60), rule())
    back.isOrdered = back.isToMany && random.happens(30)
    (there.inverse, back.inverse) = (back.name, there.name)
    if random.happens(15) { require(&there) }
    if random.happens(12) { require(&back) }
    model.entities[from].relationships.append(there)
    model.entities[to].relationships.append(back)
  }

  private mutating func require(_ relationship: inout RelationshipPlan) {
    relationship.isOptional = false
    guard relationship.isToMany else { return }
    relationship.minimum = random.below(2)
    relationship.maximum = random.happens(60) ? 2 + random.below(2) : 0
  }

  private mutating func rule() -> RelationshipPlan.Rule {
    let number = random.below(100)
    return number < 50 ? .nullify : number < 75 ? .cascade : number < 90 ? .deny : .noAction
  }

  // MARK: Classes

  /// Gives some entities a class that sets an attribute by itself.
  private mutating func addStamps() {
    for index in model.entities.indices where random.happens(6) {
      let constrained = Set(model.entities.flatMap(\.constraints).joined())
      let fit = model.entities[index].attributes.filter {
        $0.name != ModelPlan.serial && $0.counted == nil && $0.kind.isEquatable
          && !constrained.contains($0.name)
      }
      model.entities[index].stamp = random.pick(fit)?.name
    }
  }

  // MARK: Constraints

  private mutating func addConstraints() {
    for index in model.entities.indices where random.happens(20) {
      let fit = model.entities[index].attributes.filter {
        $0.name != ModelPlan.serial && $0.kind.isEquatable && !$0.isTransient && $0.counted == nil
          && $0.kind != .bool
      }
      guard let first = random.pick(fit) else { continue }
      var constraint = [first.name]
      if random.happens(35), let second = random.pick(fit), second.name != first.name {
        constraint.append(second.name)
      }
      model.entities[index].constraints = [constraint]
      if random.happens(40) { addReference(to: index) }
    }
  }

  /// Adds a relationship to an entity, without inverse, from a random entity of the same store.
  private mutating func addReference(to index: Int) {
    let neighbours = model.entities.indices.filter {
      model.entities[$0].store == model.entities[index].store
    }
    guard let from = random.pick(neighbours) else { return }
    var reference = RelationshipPlan(name: name("r"), destination: model.entities[index].name)
    reference.rule = rule()
    model.entities[from].relationships.append(reference)
  }
}

extension AttributePlan {
  /// Whether a validation predicate may limit the attribute's values.
  fileprivate var mayBeLimited: Bool {
    kind.isOrdered && kind != .string && kind != .bool && counted == nil
      && defaultValue.map { $0 <= kind.valueCount - 2 } != false
  }
}
