import MomKit

/// Builds the library's model.
extension ModelPlan {
  /// The name of a store's configuration.
  static func configuration(_ store: Int) -> String { "Store\(store)" }

  /// - Parameter handlers: what the objects do when they are told of something, but those with a stamp.
  func makeModel(_ handlers: [Customs.Handler] = []) -> NSManagedObjectModel {
    var made: [String: NSEntityDescription] = [:]
    for plan in entities {
      let entity = NSEntityDescription()
      entity.name = plan.name
      entity.isAbstract = plan.isAbstract
      if let stamp = stamp(of: plan.name), let kind = attribute(stamp, of: plan.name)?.kind {
        entity.managedObjectClassName = NSStringFromClass(StampedObject.self)
        entity.userInfo = [StampedObject.attributeKey: stamp, stamp: kind.rawValue]
      } else if !handlers.isEmpty {
        entity.managedObjectClassName = NSStringFromClass(HandlingObject.self)
        entity.userInfo = [
          HandlingObject.handlersKey: handlers.map(\.rawValue).joined(separator: ",")
        ]
        if let attribute = attributes(of: plan.name).first(where: isChangeable) {
          entity.userInfo?[HandlingObject.attributeKey] = attribute.name
          entity.userInfo?[attribute.name] = attribute.kind.rawValue
        }
      }
      made[plan.name] = entity
    }
    var relationships: [String: NSRelationshipDescription] = [:]
    for plan in entities {
      guard let entity = made[plan.name] else { continue }
      entity.subentities = entities.filter { $0.parent == plan.name }.compactMap { made[$0.name] }
      var properties: [NSPropertyDescription] = plan.attributes.map(Self.makeAttribute)
      for relationship in plan.relationships {
        guard let destination = made[relationship.destination] else { continue }
        let description = Self.makeRelationship(relationship, to: destination)
        relationships[relationship.name] = description
        properties.append(description)
      }
      entity.properties = properties
    }
    for plan in entities.flatMap(\.relationships) {
      guard let inverse = plan.inverse.flatMap({ relationships[$0] }) else { continue }
      relationships[plan.name]?.inverseRelationship = inverse
    }
    for plan in entities where !plan.constraints.isEmpty {
      made[plan.name]?.uniquenessConstraints = plan.constraints
    }
    let model = NSManagedObjectModel()
    model.entities = entities.compactMap { made[$0.name] }
    if storeCount > 1 {
      for store in 0..<storeCount {
        model.setEntities(
          entities.filter { self.store(of: $0.name) == store }.compactMap { made[$0.name] },
          forConfigurationName: Self.configuration(store))
      }
    }
    return model
  }

  private func isChangeable(_ attribute: AttributePlan) -> Bool {
    attribute.name != ModelPlan.serial && attribute.counted == nil && attribute.kind.isEquatable
      && !entities.contains { $0.constraints.contains { $0.contains(attribute.name) } }
  }

  private static func makeAttribute(_ plan: AttributePlan) -> NSAttributeDescription {
    if let counted = plan.counted {
      let derived = NSDerivedAttributeDescription()
      derived.name = plan.name
      derived.attributeType = .integer64AttributeType
      derived.isOptional = true
      derived.derivationExpression = NSExpression(format: "\(counted).@count")
      return derived
    }
    let attribute = NSAttributeDescription()
    attribute.name = plan.name
    attribute.attributeType = plan.kind.attributeType
    attribute.isOptional = plan.isOptional
    attribute.isTransient = plan.isTransient
    attribute.allowsExternalBinaryDataStorage = plan.kind == .external
    if let most = plan.most {
      let isMeant = NSPredicate(format: "SELF <= %@", argumentArray: [plan.kind.value(most)])
      attribute.setValidationPredicates([isMeant], withValidationWarnings: ["too much"])
    }
    if let number = plan.defaultValue { attribute.defaultValue = plan.kind.value(number) }
    return attribute
  }

  private static func makeRelationship(
    _ plan: RelationshipPlan, to destination: NSEntityDescription
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = plan.name
    relationship.destinationEntity = destination
    relationship.minCount = plan.minimum
    relationship.maxCount = plan.isToMany ? plan.maximum : 1
    relationship.isOrdered = plan.isOrdered
    relationship.isOptional = plan.isOptional
    relationship.deleteRule =
      switch plan.rule {
      case .nullify: .nullifyDeleteRule
      case .cascade: .cascadeDeleteRule
      case .deny: .denyDeleteRule
      case .noAction: .noActionDeleteRule
      }
    return relationship
  }
}

extension AttributeKind {
  var attributeType: NSAttributeType {
    switch self {
    case .string: .stringAttributeType
    case .integer16: .integer16AttributeType
    case .integer32: .integer32AttributeType
    case .integer64: .integer64AttributeType
    case .bool: .booleanAttributeType
    case .double: .doubleAttributeType
    case .float: .floatAttributeType
    case .date: .dateAttributeType
    case .uuid: .UUIDAttributeType
    case .decimal: .decimalAttributeType
    case .data, .external: .binaryDataAttributeType
    case .transformable: .transformableAttributeType
    }
  }
}
