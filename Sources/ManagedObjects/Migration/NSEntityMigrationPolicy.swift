import DataModels
import Foundation
import PredicateFormat

/// How the objects of an entity mapping are migrated. This class does what the mapping says; a
/// subclass does more or other.
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
/// A mapping names the class, with or without its module. A class in the program is found by
/// `Module.Class`; by its short name once it was registered.
open class NSEntityMigrationPolicy: NSObject {
  /// Makes a policy; one is made for each mapping that names its class.
  public required override init() { super.init() }

  /// Makes the class known under its full and its short name, for mappings that name it.
  public static func register() { MigrationPolicies.shared.register(self) }

  /// Called before anything is done for the mapping.
  open func begin(_ mapping: NSEntityMapping, with manager: NSMigrationManager) throws {}

  /// Makes the destination object or objects of a source object, sets their attributes, and tells the
  /// manager which came of which.
  ///
  /// This one makes one object of the mapping's destination entity and sets what the attribute
  /// mappings give. A mandatory attribute that is given no value gets its default. Where a mapping hands
  /// on a transformable attribute as it is, a value whose transformer or class the program doesn't have
  /// is handed on as the bytes it is kept as, if both attributes name the same transformer.
  ///
  /// - Throws: ``NSMigrationError`` for a value that can't be read or that the attribute can't have, and
  ///   for an object of an entity that is abstract now: rows are never dropped without being told.
  open func createDestinationInstances(
    forSource sInstance: NSManagedObject, in mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {
    guard let entity = manager.destinationEntity(for: mapping) else { return }
    guard !entity.isAbstract else {
      throw CoreDataError.make(
        NSMigrationError,
        "The mapping '\(mapping.name ?? "")' makes objects of '\(entity.name ?? "")', which is "
          + "abstract: the store's objects of '\(mapping.sourceEntityName ?? "")' would be lost.",
        ["entity": entity.name ?? ""])
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

  /// Called when all objects of the mapping were made.
  open func endInstanceCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Relates a destination object to others; all are there by now.
  ///
  /// This one sets what the relationship mappings give.
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

  /// Called when all objects of the mapping were related.
  open func endRelationshipCreation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Throws what makes the migration fail.
  open func performCustomValidation(
    forMapping mapping: NSEntityMapping, manager: NSMigrationManager
  ) throws {}

  /// Called when all is done for the mapping.
  open func end(_ mapping: NSEntityMapping, manager: NSMigrationManager) throws {}

  /// The value of `FUNCTION($entityPolicy, "selector:", …)` in a mapping's expressions.
  ///
  /// A subclass answers the selectors its mappings call; the rest goes to `super`, which throws.
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
      "The policy \(type(of: self)) doesn't answer '\(selector)': override "
        + "value(of:arguments:) in it.")
  }
}
