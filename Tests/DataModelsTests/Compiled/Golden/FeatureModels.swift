import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

@testable import DataModels

/// Small models that demonstrate one feature each, for the files in `TestArchives/features`.
enum FeatureModels {
  /// A feature: the name of its files, and a function that creates its model.
  struct Feature: Sendable {
    var name: String
    var make: @Sendable () -> NSManagedObjectModel
  }

  static let all: [Feature] =
    attributeTypes + attributes + relationships + requests + indexes + entities + models

  // MARK: Building

  static func entity(
    _ name: String, _ properties: NSPropertyDescription...
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.managedObjectClassName = name
    entity.properties = properties
    return entity
  }

  static func attribute(
    _ name: String, _ type: NSAttributeDescription.AttributeType = .string,
    default value: Any? = nil, _ change: (NSAttributeDescription) -> Void = { _ in }
  ) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.type = type
    attribute.defaultValue = value
    change(attribute)
    return attribute
  }

  static func derived(
    _ name: String, _ type: NSAttributeDescription.AttributeType, _ format: String
  ) -> NSDerivedAttributeDescription {
    let derived = NSDerivedAttributeDescription()
    derived.name = name
    derived.type = type
    derived.derivationExpression = NSExpression(format: format)
    return derived
  }

  static func composite(
    _ name: String, _ elements: NSAttributeDescription...
  ) -> NSCompositeAttributeDescription {
    let composite = NSCompositeAttributeDescription()
    composite.name = name
    composite.elements = elements
    return composite
  }

  static func relationship(
    _ name: String, to destination: NSEntityDescription, min: Int = 0, max: Int = 1,
    _ change: (NSRelationshipDescription) -> Void = { _ in }
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.minCount = min
    relationship.maxCount = max
    change(relationship)
    return relationship
  }

  /// Adds two relationships that are inverses of each other.
  static func relate(
    _ one: (NSEntityDescription, NSRelationshipDescription),
    _ other: (NSEntityDescription, NSRelationshipDescription)
  ) {
    one.1.inverseRelationship = other.1
    other.1.inverseRelationship = one.1
    one.0.properties += [one.1]
    other.0.properties += [other.1]
  }

  static func request(
    of entity: NSEntityDescription, _ format: String? = nil,
    _ change: (NSFetchRequest<NSFetchRequestResult>) -> Void = { _ in }
  ) -> NSFetchRequest<NSFetchRequestResult> {
    let request = NSFetchRequest<NSFetchRequestResult>()
    request.entity = entity
    request.predicate = format.map { NSPredicate(format: $0) }
    change(request)
    return request
  }

  static func index(
    _ name: String, on entity: NSEntityDescription, _ properties: [NSPropertyDescription],
    type: NSFetchIndexElementType = .binary, isAscending: Bool = true, where format: String? = nil
  ) {
    let elements = properties.map { property in
      let element = NSFetchIndexElementDescription(property: property, collationType: type)
      element.isAscending = isAscending
      return element
    }
    let index = NSFetchIndexDescription(name: name, elements: elements)
    index.partialIndexPredicate = format.map { NSPredicate(format: $0) }
    entity.indexes += [index]
  }

  /// A model with the newest compiler's stamp.
  static func model(
    _ entities: NSEntityDescription..., change: (NSManagedObjectModel) -> Void = { _ in }
  ) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    model.versionIdentifiers = [""]
    model.compilerStamp = CompilerStamp(toolVersion: 24512, xcodeVersion: 260_200)
    change(model)
    return model
  }
}
