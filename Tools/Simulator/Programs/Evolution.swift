/// A change of the model in the middle of a program, after which the stores are migrated.
enum Evolution: Codable, Sendable, Hashable {
  case attribute(AttributePlan, of: String)
  case withoutAttribute(String, of: String)
  case relationship(RelationshipPlan, of: String, inverse: RelationshipPlan?)
  case entity(EntityPlan)
}

extension ModelPlan {
  /// The names of all properties.
  private var propertyNames: Set<String> {
    Set(entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
  }

  /// The changed model; nil if the change isn't possible.
  func evolved(by evolution: Evolution) -> ModelPlan? {
    var model = self
    func index(_ name: String) -> Int? { entities.firstIndex { $0.name == name } }
    switch evolution {
    case .attribute(let attribute, let entity):
      guard let index = index(entity), !propertyNames.contains(attribute.name),
        attribute.isOptional || attribute.defaultValue != nil
      else { return nil }
      model.entities[index].attributes.append(attribute)
    case .withoutAttribute(let name, let entity):
      guard let index = index(entity), name != Self.serial, !isUsed(name),
        entities[index].attributes.contains(where: { $0.name == name })
      else { return nil }
      model.entities[index].attributes.removeAll { $0.name == name }
    case .relationship(let there, let entity, let back):
      guard let from = index(entity), let to = index(there.destination),
        propertyNames.isDisjoint(with: [there.name] + (back.map { [$0.name] } ?? [])),
        there.isOptional, back?.isOptional != false
      else { return nil }
      model.entities[from].relationships.append(there)
      if let back { model.entities[to].relationships.append(back) }
    case .entity(let entity):
      let names = Set(entity.attributes.map(\.name) + entity.relationships.map(\.name))
      guard index(entity.name) == nil, entity.parent.map({ index($0) != nil }) != false,
        propertyNames.isDisjoint(with: names.subtracting([Self.serial]))
      else { return nil }
      model.entities.append(entity)
    }
    return model
  }

  /// Whether a class or a constraint uses an attribute.
  private func isUsed(_ attribute: String) -> Bool {
    entities.contains { entity in
      entity.stamp == attribute || entity.constraints.contains { $0.contains(attribute) }
    }
  }
}

extension Evolution {
  var text: String {
    switch self {
    case .attribute(let attribute, let entity):
      return "\(entity) gains \(attribute.text)"
    case .withoutAttribute(let name, let entity): return "\(entity) loses \(name)"
    case .relationship(let there, let entity, let back):
      return "\(entity) gains \(there.text)" + (back.map { ", and \($0.text)" } ?? "")
    case .entity(let entity): return entity.text
    }
  }

  /// The entity that the change affects.
  var entity: String {
    switch self {
    case .attribute(_, let entity), .withoutAttribute(_, let entity),
      .relationship(_, let entity, _):
      entity
    case .entity(let entity): entity.name
    }
  }
}
