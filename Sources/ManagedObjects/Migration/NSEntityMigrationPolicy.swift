import DataModels
import Foundation
import PredicateFormat

/// The policy for migrating the objects of an entity mapping. This class follows the mapping; subclasses customize
/// the migration.
///
/// ```swift
/// final class NotePolicy: NSEntityMigrationPolicy {
///   override func createDestinationInstances(
///     forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
///   ) throws {
///     try super.createDestinationInstances(forSource: sInstance, in: mapping, manager: manager)
///     …
///   }
/// }
/// NotePolicy.register()
/// ```
///
/// A mapping names the class, with or without its module. A class in the program is found by `Module.Class`, or by
/// its short name once it was registered.
open class NSEntityMigrationPolicy: NSObject {
  /// Creates a policy; one is created for each mapping that names the class.
  public required override init() { super.init() }

  /// Registers the class under its full and its short name, for mappings that name it.
  public static func register() { MigrationPolicies.shared.register(self) }

  /// Called before the mapping is processed.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Creates the destination object or objects of a source object, sets their attributes, and associates them with
  /// the source object in the manager.
  ///
  /// The default implementation creates one object of the mapping's destination entity and sets the values of the
  /// attribute mappings. A mandatory attribute without a value gets its default. If a mapping copies a transformable
  /// attribute, a value whose transformer or class isn't available in the program is copied as stored bytes, provided
  /// both attributes name the same transformer.
  ///
  /// - Throws: ``NSMigrationError`` for a value that can't be decoded or isn't valid for the attribute, and for an
  ///   object of an entity that is now abstract: rows are never dropped silently.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let entity = manager.destinationEntity(for: mapping) else { return }
    guard !entity.isAbstract else {
      throw CoreDataError.make(
        NSMigrationError,
        "The mapping '\(mapping.name ?? "")' makes objects of '\(entity.name ?? "")', which is "
          + "abstract: the store's objects of '\(mapping.sourceEntityName ?? "")' would be lost.",
        userInfo: ["entity": entity.name ?? ""])
    }
    let object = NSEntityDescription.insertNewObject(
      forEntityName: entity.name ?? "", into: manager.destinationContext)
    for property in mapping.attributeMappings ?? [] {
      guard let expression = property.valueExpression else { continue }
      try MigrationValues.setAttribute(
        expression,
        for: .init(
          mapping: mapping, manager: manager, policy: self, source: sInstance, destination: object,
          property: property), of: object)
    }
    manager.associate(sourceInstance: sInstance, withDestinationInstance: object, for: mapping)
  }

  /// Called after all objects of the mapping were created.
  open func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Relates a destination object to others; all destination objects have been created by then.
  ///
  /// The default implementation sets the values of the relationship mappings.
  open func createRelationships(
    forDestination dInstance: NSManagedObject, in mapping: NSEntityMapping,
    manager: NSMigrationManager
  ) throws {
    let source =
      manager.sourceInstances(
        forEntityMappingName: mapping.name ?? "", destinationInstances: [dInstance]
      ).first
    for property in mapping.relationshipMappings ?? [] {
      guard let expression = property.valueExpression else { continue }
      try MigrationValues.relate(
        expression,
        for: .init(
          mapping: mapping, manager: manager, policy: self, source: source, destination: dInstance,
          property: property), of: dInstance)
    }
  }

  /// Called after all objects of the mapping were related.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Validates the migrated objects; throwing fails the migration.
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called after the mapping was processed.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// The value of `FUNCTION($entityPolicy, "selector:", …)` in a mapping's expressions.
  ///
  /// A subclass implements the selectors that its mappings call, and passes all others to `super`, which throws.
  ///
  /// ```swift
  /// override func value(of selector: String, arguments: [Any?]) throws -> Any? {
  ///   switch selector {
  ///   case "shout:": (arguments.first as? String)?.uppercased()
  ///   default: try super.value(of: selector, arguments: arguments)
  ///   }
  /// }
  /// ```
  open func value(of selector: String, arguments: [Any?]) throws -> Any? {
    throw CoreDataError.make(
      NSEntityMigrationPolicyError,
      "The policy \(type(of: self)) doesn't respond to '\(selector)': override "
        + "value(of:arguments:) in it.")
  }
}
