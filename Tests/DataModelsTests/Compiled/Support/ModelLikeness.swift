import Foundation
import PredicateFormat

@testable import DataModels

/// Compares two models more strictly than their own equality does.
enum ModelLikeness {
  /// Describes a difference, or returns nil if there is none.
  static func difference(_ left: NSManagedObjectModel, _ right: NSManagedObjectModel) -> String? {
    if let difference = ModelComparison.difference(left, right) { return difference }
    if left.entityVersionHashesByName != right.entityVersionHashesByName { return "hashes" }
    if left.versionChecksum != right.versionChecksum { return "checksum" }
    let names = Set(left.entitiesByName.keys)
    if names != Set(right.entitiesByName.keys) { return "names of entities" }
    for name in names.sorted() {
      guard let one = left.entitiesByName[name], let other = right.entitiesByName[name] else {
        return name
      }
      if let difference = difference(one, other) { return "\(name).\(difference)" }
    }
    let configurations = Set(left.namedConfigurations)
    if configurations != Set(right.namedConfigurations) { return "configurations" }
    let templates = Set(left.fetchRequestTemplatesByName.keys)
    if templates != Set(right.fetchRequestTemplatesByName.keys) { return "templates" }
    return nil
  }

  private static func difference(
    _ left: NSEntityDescription, _ right: NSEntityDescription
  ) -> String? {
    if left.isAbstract != right.isAbstract { return "isAbstract" }
    if left.managedObjectClassName != right.managedObjectClassName { return "class" }
    if left.superentity?.name != right.superentity?.name { return "superentity" }
    if left.renamingIdentifier != right.renamingIdentifier { return "renamingIdentifier" }
    if left.indexes.map(\.name) != right.indexes.map(\.name) { return "indexes" }
    if Set(left.subentities.map(\.name)) != Set(right.subentities.map(\.name)) {
      return "subentities"
    }
    for property in left.ownProperties {
      guard let other = right.propertiesByName[property.name] else { return property.name }
      if let difference = difference(property, other) { return "\(property.name).\(difference)" }
    }
    return nil
  }

  private static func difference(
    _ left: NSPropertyDescription, _ right: NSPropertyDescription
  ) -> String? {
    if type(of: left) != type(of: right) { return "kind" }
    if left.isOptional != right.isOptional { return "isOptional" }
    if left.isTransient != right.isTransient { return "isTransient" }
    if left.isIndexedBySpotlight != right.isIndexedBySpotlight { return "isIndexedBySpotlight" }
    if left.versionHash != right.versionHash { return "versionHash" }
    if left.validationPredicates.map(\.tree) != right.validationPredicates.map(\.tree) {
      return "validationPredicates"
    }
    switch (left, right) {
    case (let left as NSDerivedAttributeDescription, let right as NSDerivedAttributeDescription):
      return left.derivationExpression == right.derivationExpression
        ? nil : "derivationExpression"
    case (let left as NSAttributeDescription, let right as NSAttributeDescription):
      if "\(left.defaultValue ?? "none")" != "\(right.defaultValue ?? "none")" {
        return "default: \(left.defaultValue ?? "none"), \(right.defaultValue ?? "none")"
      }
      if left.isIndexed != right.isIndexed { return "isIndexed" }
      return left.valueTransformerName == right.valueTransformerName
        ? nil : "valueTransformerName"
    case (let left as NSRelationshipDescription, let right as NSRelationshipDescription):
      if left.destinationEntity?.name != right.destinationEntity?.name { return "destination" }
      if left.inverseRelationship?.name != right.inverseRelationship?.name { return "inverse" }
      return left.deleteRule == right.deleteRule ? nil : "deleteRule"
    default: return nil
    }
  }

  /// Whether everything that a model's parts refer to is in the model, and inverses are mutual.
  static func isCoherent(_ model: NSManagedObjectModel) -> Bool {
    let entities = Set(model.entities.map(ObjectIdentifier.init))
    func isInside(_ entity: NSEntityDescription?) -> Bool {
      entity.map { entities.contains(ObjectIdentifier($0)) } ?? true
    }
    for entity in model.entities {
      guard entity.owningModel === model, isInside(entity.superentity),
        entity.subentities.allSatisfy({ $0.superentity === entity && isInside($0) })
      else { return false }
      for property in entity.ownProperties where property.entity !== entity { return false }
      for relationship in entity.relationshipsByName.values {
        guard isInside(relationship.destinationEntity) else { return false }
        if let inverse = relationship.inverseRelationship,
          inverse.inverseRelationship?.name != relationship.name || !isInside(inverse.entity)
        {
          return false
        }
      }
    }
    return model.fetchRequestTemplatesByName.values.allSatisfy { isInside($0.entity) }
  }
}
