import DataModels
import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

/// Evaluation of a mapping's expressions, and assignment of their values.
enum MigrationValues {
  /// Sets an attribute of a new object to the value of its mapping's expression.
  ///
  /// - Throws: errors of a policy, or ``NSMigrationError`` for an unknown property, an expression that can't be
  ///   evaluated, or a value that isn't valid for the attribute.
  static func setAttribute(
    _ expression: NSExpression, for subject: MappedExpression.Subject, of object: NSManagedObject
  ) throws {
    guard let property = subject.property else { return }
    let mapped = subject.manager.mapped(expression)
    if case .property(let key) = mapped.form, let source = subject.source,
      try copy(key, of: source, to: property, of: object, subject.mapping)
    {
      return
    }
    try set(mapped.value(for: subject), for: property, of: object, mapping: subject.mapping)
  }

  /// Relates a new object to the objects returned by its mapping's expression.
  ///
  /// - Throws: the same errors as ``setAttribute(_:for:of:)``.
  static func relate(
    _ expression: NSExpression, for subject: MappedExpression.Subject, of object: NSManagedObject
  ) throws {
    guard let property = subject.property else { return }
    let mapped = subject.manager.mapped(expression)
    if case .made(let name, of: let key) = mapped.form, let source = subject.source,
      let from = source.layout.property(key), from.isRelationship,
      let to = object.layout.propertiesByName[property.name ?? ""], to.isRelationship
    {
      let sources =
        from.isToMany
        ? source.loadedMembers(from).objects : source.toOne(from).map { [$0] } ?? []
      let made =
        if let name {
          subject.manager.destinationInstances(
            forEntityMappingName: name, sourceInstances: sources)
        } else {
          subject.manager.associations.destinations(of: sources)
        }
      return try relate(
        object, to: name == nil ? members(made, of: to) : made, by: to, subject.mapping)
    }
    try set(mapped.value(for: subject), for: property, of: object, mapping: subject.mapping)
  }

  /// Copies the stored value of a source object's attribute, without decoding it; returns false unless both
  /// properties are attributes.
  private static func copy(
    _ key: String, of source: NSManagedObject, to property: NSPropertyMapping,
    of object: NSManagedObject, _ mapping: NSEntityMapping
  ) throws -> Bool {
    let name = property.name ?? ""
    guard let from = source.layout.property(key), let to = object.layout.propertiesByName[name],
      let before = from.description as? NSAttributeDescription,
      let after = to.description as? NSAttributeDescription
    else { return false }
    do {
      let value = try MigrationConversion.value(
        source.storedValue(at: from.slot), from: before, to: after)
      object.setAttribute(value, at: to.slot)
      return true
    } catch let problem as MigrationConversion.Failure {
      throw failure(problem.description, in: mapping, property: name)
    }
  }

  /// The objects contained in a value.
  static func objects(in value: PredicateValue) -> [NSManagedObject] {
    switch value {
    case .object(let object): (object.base as? NSManagedObject).map { [$0] } ?? []
    case .array(let members), .set(let members), .orderedSet(let members):
      members.flatMap { objects(in: $0) }
    default: []
    }
  }

  /// Sets a property of a new object.
  ///
  /// - Throws: ``NSMigrationError`` for an unknown property, or an invalid value.
  static func set(
    _ value: PredicateValue, for property: NSPropertyMapping, of object: NSManagedObject,
    mapping: NSEntityMapping
  ) throws {
    let name = property.name ?? ""
    guard let layout = object.layout.propertiesByName[name] else {
      throw failure(
        "the entity '\(object.layout.name)' has no property '\(name)'", in: mapping, property: name)
    }
    switch layout.kind {
    case .attribute(let type):
      let given = value.foundationValue
      if given is UntransformedBytes {
        throw failure(
          "a value for '\(name)' can't be read by its transformer", in: mapping, property: name)
      }
      guard let stored = AttributeCodec.stored(given, type: type) else {
        throw failure("'\(name)' can't be set to \(value)", in: mapping, property: name)
      }
      let attribute = layout.description as? NSAttributeDescription
      let standard = stored.isNull ? attribute.flatMap { MigrationConversion.standard($0) } : nil
      object.setAttribute(standard ?? stored, at: layout.slot)
    case .toOne, .toMany: try relate(object, to: objects(in: value), by: layout, mapping)
    case .fetched: throw failure("'\(name)' is a fetched property", in: mapping, property: name)
    }
  }

  /// The objects that a relationship of an inferred mapping leads to: those of a to-many relationship whose values are
  /// its inverse's are lost with them, if they aren't its destination's any more.
  private static func members(
    _ targets: [NSManagedObject], of property: PropertyLayout
  ) -> [NSManagedObject] {
    guard property.isToMany, let destination = property.destination,
      let relationship = property.description as? NSRelationshipDescription,
      let inverse = relationship.inverseRelationship, !inverse.isToMany
    else { return targets }
    return targets.filter { $0.layout.isKind(of: destination) }
  }

  private static func relate(
    _ object: NSManagedObject, to targets: [NSManagedObject], by property: PropertyLayout,
    _ mapping: NSEntityMapping
  ) throws {
    for target in targets {
      guard target.context === object.context,
        property.destination.map({ target.layout.isKind(of: $0) }) ?? true
      else {
        throw failure(
          "'\(property.name)' can't lead to an object of \(target.layout.name) in "
            + "\(target.context === object.context ? "this" : "the other") store", in: mapping,
          property: property.name)
      }
    }
    guard property.kind == .toOne else { return object.setMembers(targets, property) }
    guard targets.count <= 1 else {
      throw failure(
        "'\(property.name)' can't be set to \(targets.count) objects", in: mapping,
        property: property.name)
    }
    object.setToOne(targets.first, property)
  }

  private static func failure(
    _ problem: String, in mapping: NSEntityMapping, property: String
  ) -> NSError {
    CoreDataError.make(
      NSMigrationError, "The mapping '\(mapping.name ?? "")' fails: \(problem).",
      userInfo: ["entity": mapping.destinationEntityName ?? "", "property": property])
  }
}
