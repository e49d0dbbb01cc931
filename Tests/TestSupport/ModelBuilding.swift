import DataModels

// Short forms in which tests write models.

/// An attribute, by Core Data's newer names of types.
public func attribute(
  _ name: String, _ type: NSAttributeDescription.AttributeType = .string, optional: Bool = true,
  default value: Any? = nil
) -> NSAttributeDescription {
  attribute(name, type.rawValue, optional: optional, default: value)
}

/// An attribute, by Core Data's older names of types.
public func attribute(
  _ name: String, _ type: NSAttributeType, optional: Bool = true, default value: Any? = nil
) -> NSAttributeDescription {
  let attribute = NSAttributeDescription()
  attribute.name = name
  attribute.attributeType = type
  attribute.isOptional = optional
  attribute.defaultValue = value
  return attribute
}

/// A relationship, to many where nothing is said.
public func relationship(
  _ name: String, to destination: NSEntityDescription? = nil, max: Int = 0, min: Int = 0,
  rule: NSDeleteRule = .nullifyDeleteRule, ordered: Bool = false, optional: Bool = true
) -> NSRelationshipDescription {
  let relationship = NSRelationshipDescription()
  relationship.name = name
  relationship.destinationEntity = destination
  (relationship.maxCount, relationship.minCount) = (max, min)
  relationship.deleteRule = rule
  relationship.isOrdered = ordered
  relationship.isOptional = optional
  return relationship
}

/// An entity with properties of its own.
public func entity(
  _ name: String, class className: String? = nil, _ properties: [NSPropertyDescription] = []
) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  if let className { entity.managedObjectClassName = className }
  entity.properties = properties
  return entity
}

/// A model of entities.
public func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

/// Makes two relationships each other's inverse.
public func link(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
  one.inverseRelationship = other
  other.inverseRelationship = one
}

extension NSManagedObjectModel {
  /// A model of entities, for tests that have a `model` of their own.
  public convenience init(of entities: [NSEntityDescription]) {
    self.init()
    self.entities = entities
  }
}
