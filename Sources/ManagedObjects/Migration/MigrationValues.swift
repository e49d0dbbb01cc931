import Foundation
import ManagedModel
import PredicateFormat

import class PredicateFormat.NSExpression

/// The values of a mapping's expressions, and setting them.
enum MigrationValues {
  /// The value of an expression, with the variables of a migration.
  ///
  /// - Throws: what a policy throws, or ``NSMigrationError`` for an expression that has no value.
  static func value(
    of expression: NSExpression, in mapping: NSEntityMapping, manager: NSMigrationManager,
    policy: NSEntityMigrationPolicy? = nil, source: NSManagedObject? = nil,
    destination: NSManagedObject? = nil, property: NSPropertyMapping? = nil
  ) throws -> PredicateValue {
    let failure = CallFailure()
    var bindings: [String: Any] = [
      "manager": CallableManager(manager: manager, mapping: mapping, failure: failure),
      "entityMapping": mapping,
    ]
    bindings["entityPolicy"] = policy.map { CallablePolicy(policy: $0, failure: failure) }
    bindings["source"] = source
    bindings["destination"] = destination
    bindings["propertyMapping"] = property
    do {
      return try ExpressionProgram(expression.tree).value(for: source, bindings: bindings)
    } catch {
      if let thrown = failure.error { throw thrown }
      let place = property.map { ".\($0.name ?? "")" } ?? ""
      throw CoreDataError.make(
        NSMigrationError,
        "The mapping '\(mapping.name ?? "")\(place)' can't be evaluated: \(error), in: "
          + "\(expression)", ["reason": "\(error)", NSUnderlyingErrorKey: error])
    }
  }

  /// The objects a value holds.
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
  /// - Throws: ``NSMigrationError`` for a property that isn't there, or a value it can't have.
  static func set(
    _ value: PredicateValue, _ property: NSPropertyMapping, of object: NSManagedObject,
    _ mapping: NSEntityMapping
  ) throws {
    let name = property.name ?? ""
    guard let layout = object.layout.propertiesByName[name] else {
      throw failure(
        "the entity '\(object.layout.name)' has no property '\(name)'", mapping, name)
    }
    switch layout.kind {
    case .attribute(let type):
      guard let stored = AttributeCodec.stored(value.foundationValue, type: type) else {
        throw failure("'\(name)' can't be set to \(value)", mapping, name)
      }
      object.setAttribute(stored, at: layout.slot)
    case .toOne:
      let targets = try self.targets(in: value, for: layout, of: object, mapping)
      guard targets.count <= 1 else {
        throw failure("'\(name)' can't be set to \(targets.count) objects", mapping, name)
      }
      object.setToOne(targets.first, layout)
    case .toMany:
      object.setMembers(try targets(in: value, for: layout, of: object, mapping), layout)
    case .fetched: throw failure("'\(name)' is a fetched property", mapping, name)
    }
  }

  private static func targets(
    in value: PredicateValue, for property: PropertyLayout, of object: NSManagedObject,
    _ mapping: NSEntityMapping
  ) throws -> [NSManagedObject] {
    let targets = objects(in: value)
    for target in targets {
      guard target.context === object.context,
        property.destination.map({ target.layout.isKind(of: $0) }) ?? true
      else {
        throw failure(
          "'\(property.name)' can't lead to a \(target.layout.name) of "
            + "\(target.context === object.context ? "this" : "the other") store", mapping,
          property.name)
      }
    }
    return targets
  }

  private static func failure(
    _ problem: String, _ mapping: NSEntityMapping, _ property: String
  ) -> NSError {
    CoreDataError.make(
      NSMigrationError, "The mapping '\(mapping.name ?? "")' fails: \(problem).",
      ["entity": mapping.destinationEntityName ?? "", "property": property])
  }
}

/// What a policy or a store threw inside an expression, which can only throw errors of its own.
private final class CallFailure {
  var error: (any Error)?
}

/// A policy as expressions call it.
private struct CallablePolicy: SelectorCallable {
  let policy: NSEntityMigrationPolicy
  let failure: CallFailure

  func call(
    _ selector: String, arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    do {
      return PredicateValue(
        reading: try policy.value(of: selector, arguments: arguments.map(\.foundationValue)))
    } catch {
      failure.error = error
      throw PredicateFormatError(.unsupported, "\(error)")
    }
  }
}

/// A manager as expressions call it and read its keys.
private struct CallableManager: SelectorCallable, KeyValueReadable {
  let manager: NSMigrationManager
  let mapping: NSEntityMapping
  let failure: CallFailure

  func predicateValue(
    forKey key: String
  ) throws(PredicateFormatError) -> PredicateValue {
    switch key {
    case "sourceContext":
      .object(OpaqueObject(CallableContext(context: manager.sourceContext, failure: failure)))
    case "destinationContext":
      .object(OpaqueObject(CallableContext(context: manager.destinationContext, failure: failure)))
    case "userInfo": PredicateValue(reading: manager.userInfo)
    default: throw .undefinedKey(key, of: manager)
    }
  }

  func call(
    _ selector: String, arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    func text(_ index: Int) -> String {
      guard arguments.indices.contains(index), case .string(let text) = arguments[index] else {
        return ""
      }
      return text
    }
    func list(_ index: Int) -> [NSManagedObject]? {
      guard arguments.indices.contains(index) else { return nil }
      return MigrationValues.objects(in: arguments[index])
    }
    func result(_ objects: [NSManagedObject]) -> PredicateValue {
      .array(objects.map { .object(OpaqueObject($0)) })
    }
    switch selector {
    case "destinationInstancesForEntityMappingNamed:sourceInstances:":
      return result(
        manager.destinationInstances(forEntityMappingName: text(0), sourceInstances: list(1)))
    case "sourceInstancesForEntityMappingNamed:destinationInstances:":
      return result(
        manager.sourceInstances(forEntityMappingName: text(0), destinationInstances: list(1)))
    case "destinationInstancesForSourceRelationshipNamed:sourceInstances:":
      return result(manager.associations.destinations(of: list(1) ?? []))
    case "fetchRequestForSourceEntityNamed:predicateString:":
      return try request(text(0), text(1), includesSubentities: false)
    case "fetchRequestForSourceEntityNamed:predicateString:includesSubentities:":
      let includes = arguments.count > 2 && (arguments[2].foundationValue as? NSNumber) != 0
      return try request(text(0), text(1), includesSubentities: includes)
    case "sourceEntityForEntityMapping:":
      return PredicateValue(reading: manager.sourceEntity(for: mapping))
    case "destinationEntityForEntityMapping:":
      return PredicateValue(reading: manager.destinationEntity(for: mapping))
    case "valueForKey:": return try predicateValue(forKey: text(0))
    default:
      guard arguments.isEmpty else {
        throw PredicateFormatError(
          .unsupported, "a migration manager doesn't answer \"\(selector)\"")
      }
      return try predicateValue(forKey: selector)
    }
  }

  private func request(
    _ entity: String, _ predicate: String, includesSubentities: Bool
  ) throws(PredicateFormatError) -> PredicateValue {
    guard manager.sourceModel.entitiesByName[entity] != nil else {
      throw PredicateFormatError(.unsupported, "the source model has no entity '\(entity)'")
    }
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    do { request.predicate = try PredicateTree(parsing: predicate).predicate } catch {
      throw PredicateFormatError(.syntax, "\(error)")
    }
    request.includesSubentities = includesSubentities
    return .object(OpaqueObject(request))
  }
}

/// A context as `FETCH(request, context, countOnly)` calls it.
private struct CallableContext: SelectorCallable {
  let context: NSManagedObjectContext
  let failure: CallFailure

  func call(
    _ selector: String, arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    guard selector == "executeFetchRequest:countOnly:", case .object(let object)? = arguments.first,
      let request = object.base as? NSFetchRequest<NSManagedObject>
    else {
      throw PredicateFormatError(.unsupported, "a context doesn't answer \"\(selector)\"")
    }
    do {
      if arguments.count > 1, (arguments[1].foundationValue as? NSNumber)?.boolValue == true {
        return .integer(Int64(try context.count(for: request)))
      }
      return .array(try context.fetch(request).map { .object(OpaqueObject($0)) })
    } catch {
      failure.error = error
      throw PredicateFormatError(.unsupported, "\(error)")
    }
  }
}
