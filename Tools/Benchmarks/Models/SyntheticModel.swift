import DataModels
import Foundation

/// Models of any size, whose entities have ten attributes and three pairs of relationships each.
enum SyntheticModel {
  private static let types: [NSAttributeType] = [
    .stringAttributeType, .integer64AttributeType, .doubleAttributeType, .booleanAttributeType,
    .dateAttributeType, .stringAttributeType, .integer16AttributeType, .UUIDAttributeType,
    .binaryDataAttributeType, .floatAttributeType,
  ]

  static func make(entities count: Int) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    let entities = (0..<count).map { index in
      let entity = NSEntityDescription()
      entity.name = "Entity\(index)"
      entity.managedObjectClassName = "Entity\(index)MO"
      return entity
    }
    var properties: [[NSPropertyDescription]] = entities.indices.map { _ in
      types.enumerated().map { position, type in
        let attribute = NSAttributeDescription()
        attribute.name = "attribute\(position)"
        attribute.attributeType = type
        attribute.isOptional = position % 2 == 0
        if type == .integer64AttributeType { attribute.defaultValue = 0 }
        return attribute
      }
    }
    for index in entities.indices {
      for pair in 0..<3 {
        let other = (index + pair + 1) % count
        let toOne = NSRelationshipDescription()
        toOne.name = "target\(pair)"
        toOne.destinationEntity = entities[other]
        toOne.maxCount = 1
        let toMany = NSRelationshipDescription()
        toMany.name = "sources\(pair)"
        toMany.destinationEntity = entities[index]
        toMany.deleteRule = .cascadeDeleteRule
        toOne.inverseRelationship = toMany
        toMany.inverseRelationship = toOne
        properties[index].append(toOne)
        properties[other].append(toMany)
      }
    }
    for (entity, properties) in zip(entities, properties) { entity.properties = properties }
    model.entities = entities
    return model
  }
}
