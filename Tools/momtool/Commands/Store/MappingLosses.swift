import DataModels
import ManagedObjects

/// What a migration with a mapping model leaves behind, though it was hardly meant to: the objects of entities that no
/// mapping names, and the values of attributes that the destination still has.
///
/// A mapping model decides itself on what the destination doesn't have any more.
struct MappingLosses {
  private let mappings: [NSEntityMapping]
  private let target: NSManagedObjectModel

  /// The losses by a mapping model in a migration to a model.
  init(_ mapping: NSMappingModel, to target: NSManagedObjectModel) {
    mappings = (mapping.entityMappings ?? []).filter {
      $0.mappingType != .removeEntityMappingType && $0.sourceEntityName != nil
    }
    self.target = target
  }

  private func mappings(of entity: SchemaEntity) -> [NSEntityMapping] {
    mappings.filter { $0.sourceEntityName == entity.name }
  }

  /// Whether a mapping makes something of the entity's objects.
  func isNamed(_ entity: SchemaEntity) -> Bool { !mappings(of: entity).isEmpty }

  /// The entity's attributes that no mapping refers to although a destination has an attribute of that name, which gets
  /// its default. Sorted by name.
  func attributes(of entity: SchemaEntity) -> [String] {
    let mappings = mappings(of: entity)
    var kept: Set<String> = []
    for mapping in mappings {
      guard let name = mapping.destinationEntityName,
        let destination = target.entitiesByName[name]
      else { continue }
      for attribute in destination.attributesByName.values where Self.isGiven(attribute) {
        kept.insert(attribute.name)
      }
    }
    let properties = mappings.flatMap { mapping in
      (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
    }
    for property in properties {
      guard let expression = property.valueExpression else { continue }
      // Another value is meant to be set.
      if let name = property.name { kept.remove(name) }
      let words = expression.description.split { !($0.isLetter || $0.isNumber || $0 == "_") }
      for word in words { kept.remove(String(word)) }
    }
    return entity.description.attributesByName.values
      .filter { !$0.isTransient && kept.contains($0.name) }.map(\.name)
      .sorted(by: NameOrder.precedes)
  }

  /// Whether an attribute's values are set, rather than computed by the store or never kept.
  private static func isGiven(_ attribute: NSAttributeDescription) -> Bool {
    !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
  }
}
