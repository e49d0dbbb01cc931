import DataModels
import ManagedObjects

/// What a migration with a mapping model leaves behind, though it was hardly meant to: the objects of entities that no
/// mapping names, and the values of attributes and relationships that the destination still has.
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

  /// The entity's attributes that no mapping refers to although a destination has an attribute of that name, which
  /// gets its default. Sorted by name.
  func attributes(of entity: SchemaEntity) -> [String] {
    let mappings = mappings(of: entity)
    var kept: Set<String> = []
    for destination in destinations(of: mappings) {
      for attribute in destination.attributesByName.values where Self.isGiven(attribute) {
        kept.insert(attribute.name)
      }
    }
    kept.subtract(Self.keys(readBy: mappings.flatMap(Self.properties(of:))))
    // Another value is meant to be set.
    for mapping in mappings { kept.subtract(Self.properties(setBy: mapping)) }
    return entity.description.attributesByName.values
      .filter { !$0.isTransient && kept.contains($0.name) }.map(\.name)
      .sorted(by: NameOrder.precedes)
  }

  /// The entity's relationships that no mapping sets, neither from their other side, nor makes another relationship
  /// of, although a destination has a relationship of that name, which stays empty. Sorted by name.
  func relationships(of entity: SchemaEntity) -> [String] {
    let mappings = mappings(of: entity)
    let destinations = destinations(of: mappings)
    let read = Self.keys(readBy: mappings.flatMap { $0.relationshipMappings ?? [] })
    return entity.description.relationshipsByName.values.filter { old in
      guard !old.isTransient, !read.contains(old.name), !isInverseRead(of: old) else {
        return false
      }
      let new = destinations.compactMap { $0.relationshipsByName[old.name] }
        .filter { !$0.isTransient }
      return !new.isEmpty
        && !mappings.contains { Self.properties(setBy: $0).contains(old.name) }
        && !new.contains { isInverseSet(of: $0) }
    }.map(\.name).sorted(by: NameOrder.precedes)
  }

  /// Whether a mapping makes a relationship of the source's other side.
  private func isInverseRead(of relationship: NSRelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseRelationship else { return false }
    let names = Self.names(of: relationship.destinationEntity)
    let others = mappings.filter { $0.sourceEntityName.map(names.contains) ?? false }
    return Self.keys(readBy: others.flatMap { $0.relationshipMappings ?? [] })
      .contains(inverse.name)
  }

  /// Whether a mapping sets a relationship of the destination from its other side.
  private func isInverseSet(of relationship: NSRelationshipDescription) -> Bool {
    guard let inverse = relationship.inverseRelationship else { return false }
    let names = Self.names(of: relationship.destinationEntity)
    return mappings.contains { mapping in
      mapping.destinationEntityName.map(names.contains) ?? false
        && Self.properties(setBy: mapping).contains(inverse.name)
    }
  }

  /// The names of an entity and its subentities.
  private static func names(of entity: NSEntityDescription?) -> Set<String> {
    guard let entity else { return [] }
    return entity.subentities.reduce(into: [entity.name ?? ""]) { $0.formUnion(names(of: $1)) }
  }

  private func destinations(of mappings: [NSEntityMapping]) -> [NSEntityDescription] {
    mappings.compactMap { $0.destinationEntityName.flatMap { target.entitiesByName[$0] } }
  }

  private static func properties(of mapping: NSEntityMapping) -> [NSPropertyMapping] {
    (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
  }

  /// The names of the properties that a mapping gives a value.
  private static func properties(setBy mapping: NSEntityMapping) -> Set<String> {
    Set(properties(of: mapping).filter { $0.valueExpression != nil }.compactMap(\.name))
  }

  /// The keys of the source objects that the expressions of mappings read.
  private static func keys(readBy mappings: [NSPropertyMapping]) -> Set<String> {
    mappings.compactMap(\.valueExpression).reduce(into: []) {
      $0.formUnion(SourceKeys(in: $1.tree).names)
    }
  }

  /// Whether an attribute's values are set, rather than computed by the store or never kept.
  private static func isGiven(_ attribute: NSAttributeDescription) -> Bool {
    !attribute.isTransient && !(attribute is NSDerivedAttributeDescription)
  }
}
