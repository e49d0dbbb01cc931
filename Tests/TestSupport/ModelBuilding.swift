import DataModels

// Abbreviations for building models in tests.

/// Creates an attribute, with Core Data's newer type names.
public func attribute(
  _ name: String, _ type: NSAttributeDescription.AttributeType = .string, optional: Bool = true,
  default value: Any? = nil
) -> NSAttributeDescription {
  attribute(name, type.rawValue, optional: optional, default: value)
}

/// Creates an attribute, with Core Data's older type names.
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

/// Creates a relationship, to-many by default.
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

/// Creates an entity with its own properties.
public func entity(
  _ name: String, class className: String? = nil, _ properties: [NSPropertyDescription] = []
) -> NSEntityDescription {
  let entity = NSEntityDescription()
  entity.name = name
  if let className { entity.managedObjectClassName = className }
  entity.properties = properties
  return entity
}

/// Creates a model of entities.
public func model(_ entities: [NSEntityDescription]) -> NSManagedObjectModel {
  let model = NSManagedObjectModel()
  model.entities = entities
  return model
}

/// Makes two relationships inverse to each other.
public func link(_ one: NSRelationshipDescription, _ other: NSRelationshipDescription) {
  one.inverseRelationship = other
  other.inverseRelationship = one
}

extension NSManagedObjectModel {
  /// Creates a model of entities, for tests with another `model` function or property.
  public convenience init(of entities: [NSEntityDescription]) {
    self.init()
    self.entities = entities
  }
}
