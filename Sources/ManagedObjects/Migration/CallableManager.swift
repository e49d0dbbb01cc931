import DataModels
import Foundation
import PredicateFormat

/// A manager as the target of calls and key paths in expressions.
struct CallableManager: SelectorCallable, KeyValueReadable {
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
    case "currentEntityMapping": .object(OpaqueObject(mapping))
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
          .unsupported, "a migration manager doesn't respond to \"\(selector)\"")
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

/// A context as the target of `FETCH(request, context, countOnly)`.
private struct CallableContext: SelectorCallable {
  let context: NSManagedObjectContext
  let failure: CallFailure

  func call(
    _ selector: String, arguments: [PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    guard selector == "executeFetchRequest:countOnly:", case .object(let object)? = arguments.first,
      let request = object.base as? NSFetchRequest<NSManagedObject>
    else {
      throw PredicateFormatError(.unsupported, "a context doesn't respond to \"\(selector)\"")
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
