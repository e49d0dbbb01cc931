import DataModels
import Foundation
import StoreSupport
import TestSupport

@_spi(Engines) @testable import ManagedObjects

/// Models with a few entities, composed where they are used, and stores for them.
enum SmallModel {
  static func entity(
    _ name: String, _ properties: [NSPropertyDescription], unique: [[String]] = []
  ) -> NSEntityDescription {
    let entity = NSEntityDescription()
    entity.name = name
    entity.properties = properties
    entity.uniquenessConstraints = unique
    return entity
  }

  static func text(_ name: String) -> NSAttributeDescription {
    attribute(name, .stringAttributeType)
  }

  static func number(_ name: String) -> NSAttributeDescription {
    attribute(name, .integer64AttributeType)
  }

  /// A relationship whose destination is set by ``link(_:_:)`` or ``lead(_:to:)``.
  static func relationship(
    _ name: String, many: Bool = false, ordered: Bool = false, optional: Bool = true,
    rule: NSDeleteRule = .nullifyDeleteRule
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.maxCount = many ? 0 : 1
    relationship.isOrdered = ordered
    relationship.isOptional = optional
    relationship.deleteRule = rule
    return relationship
  }

  /// Makes two relationships inverse to each other.
  static func link(
    _ one: (NSRelationshipDescription, of: NSEntityDescription),
    _ other: (NSRelationshipDescription, of: NSEntityDescription)
  ) {
    one.0.destinationEntity = other.of
    other.0.destinationEntity = one.of
    one.0.inverseRelationship = other.0
    other.0.inverseRelationship = one.0
  }

  static func model(_ entities: NSEntityDescription...) -> NSManagedObjectModel {
    let model = NSManagedObjectModel()
    model.entities = entities
    return model
  }

  static func coordinator(
    _ model: NSManagedObjectModel, _ url: URL, options: [AnyHashable: Any]? = nil
  ) throws -> NSPersistentStoreCoordinator {
    return try TestStore.coordinator(model, at: url, options: options)
  }

  static func context(
    _ coordinator: NSPersistentStoreCoordinator,
    _ policy: NSMergePolicyType = .errorMergePolicyType
  ) -> NSManagedObjectContext {
    let context = TestStore.context(coordinator)
    context.mergePolicy = NSMergePolicy(merge: policy)
    return context
  }

  @discardableResult
  static func new(
    _ entity: String, _ values: [String: Any] = [:], in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    for (key, value) in values.sorted(by: { $0.key < $1.key }) {
      object.setValue(value, forKey: key)
    }
    return object
  }

  /// All objects of an entity, ordered by key.
  static func all(_ entity: String, _ context: NSManagedObjectContext) throws -> [NSManagedObject] {
    try context.fetch(NSFetchRequest<NSManagedObject>(entityName: entity))
      .sorted { $0.objectID.key < $1.objectID.key }
  }

  /// The names of a to-many relationship's members, sorted unless the relationship is ordered.
  static func names(_ object: NSManagedObject?, _ key: String) -> [String] {
    switch object?.value(forKey: key) {
    case let set as NSOrderedSet:
      set.array.compactMap { ($0 as? NSManagedObject)?["name"] as? String }
    case let set as NSSet:
      set.allObjects.compactMap { ($0 as? NSManagedObject)?["name"] as? String }.sorted()
    default: []
    }
  }
}
