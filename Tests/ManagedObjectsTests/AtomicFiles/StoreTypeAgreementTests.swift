import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Random models and data: all store types return the same.
///
/// `MOMKIT_STORE_TYPES` sets the number of models (default 12), `MOMKIT_STORE_TYPES_FROM` the first seed (default 0).
@Suite struct StoreTypeAgreementTests {
  private static let seeds: Range<Int> = {
    let environment = ProcessInfo.processInfo.environment
    let start = environment["MOMKIT_STORE_TYPES_FROM"].flatMap { Int($0) } ?? 0
    return start..<start + (environment["MOMKIT_STORE_TYPES"].flatMap { Int($0) } ?? 12)
  }()
  private static let types = [NSSQLiteStoreType, NSInMemoryStoreType] + AtomicFiles.types

  /// The contents of a store: objects by their index among those of their entity.
  private struct Contents: Equatable {
    var objects: [String: [[String: String]]] = [:]
    var error: Int?

    /// The first difference.
    func difference(from other: Contents) -> String? {
      if error != other.error { return "error \(error ?? 0), not \(other.error ?? 0)" }
      for (entity, rows) in objects.sorted(by: { $0.key < $1.key }) {
        let others = other.objects[entity] ?? []
        guard rows.count == others.count else {
          return "\(rows.count) \(entity), not \(others.count)"
        }
        for (place, (row, expected)) in zip(rows, others).enumerated() where row != expected {
          let name = Set(row.keys).union(expected.keys).sorted().first { row[$0] != expected[$0] }
          return "\(entity)#\(place).\(name ?? ""): \(row[name ?? ""] ?? "nil"), not "
            + (expected[name ?? ""] ?? "nil")
        }
      }
      return objects.count == other.objects.count ? nil : "entities"
    }
  }

  @Test(arguments: seeds) func allTypesAgree(seed: Int) throws {
    let folder = try TemporaryFolder()
    var found: [String: [Contents]] = [:]
    var isOneWay = false
    for type in Self.types {
      let model = RandomModel(
        seed: UInt64(seed), entities: 1...6, features: [.inheritance, .composites, .rareDefaults]
      ).model()
      isOneWay = model.entities.contains { entity in
        entity.relationshipsByName.values.contains {
          $0.isToMany && $0.inverseRelationship == nil && !$0.isTransient
        }
      }
      let url = folder.file(type)
      var context = try AtomicFiles.context(type, url, model)
      /// Reads the store again, if it is in a file.
      func reopen() throws {
        guard let coordinator = context.persistentStoreCoordinator else { return }
        if type == NSInMemoryStoreType {
          context = AtomicFiles.context(coordinator)
        } else {
          try TestStore.close(context)
          context = try AtomicFiles.context(type, url, model)
        }
      }
      var states: [Contents] = []
      var error: Int?
      do { try StoreFiller.fill(context, model) } catch let failure as NSError {
        error = failure.code
      }
      try reopen()
      states.append(try contents(context, model, error))
      for round in 0..<4 {
        var random = SeededGenerator(seed: UInt64(seed * 10 + round))
        error = nil
        do {
          try change(context, model, &random)
          try context.save()
        } catch let failure as NSError { error = failure.code }
        try reopen()
        states.append(try contents(context, model, error))
      }
      found[type] = states
    }
    let expected = try #require(found[NSInMemoryStoreType])
    for type in Self.types {
      // In a SQLite store a member of a to-many relationship without an inverse has only one owner.
      if type == NSSQLiteStoreType, isOneWay { continue }
      for (round, state) in (found[type] ?? []).enumerated() {
        let difference = state.difference(from: expected[round])
        #expect(difference == nil, "seed \(seed), \(type), round \(round)")
      }
    }
  }

  private func objects(
    _ entity: NSEntityDescription, _ context: NSManagedObjectContext
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity.name ?? "")
    request.includesSubentities = false
    return try context.fetch(request).sorted { $0.objectID.key < $1.objectID.key }
  }

  private func entities(_ model: NSManagedObjectModel) -> [NSEntityDescription] {
    model.entities.filter { !$0.isAbstract }.sorted { ($0.name ?? "") < ($1.name ?? "") }
  }

  // MARK: Changes

  /// Changes values, relates and deletes objects, and creates one.
  private func change(
    _ context: NSManagedObjectContext, _ model: NSManagedObjectModel,
    _ random: inout SeededGenerator
  ) throws {
    let entities = entities(model)
    var all: [NSManagedObject] = []
    for entity in entities { all += try objects(entity, context) }
    if let entity = random.pick(entities) {
      all.append(
        NSEntityDescription.insertNewObject(forEntityName: entity.name ?? "", into: context))
    }
    for object in all where random.chance(40) {
      let properties = object.entity.properties.filter { !$0.isTransient }.sorted {
        $0.name < $1.name
      }
      switch random.pick(properties) {
      case let attribute as NSAttributeDescription:
        let donor = random.pick(all.filter { $0.entity === object.entity })
        let isNil = attribute.isOptional && random.chance(30)
        object.setValue(isNil ? nil : donor?.value(forKey: attribute.name), forKey: attribute.name)
      case let relationship as NSRelationshipDescription:
        let targets = all.filter { other in
          relationship.destinationEntity.map { other.entity.isKindOf(entity: $0) } ?? false
        }
        guard !targets.isEmpty else { continue }
        if relationship.isToMany {
          let members = targets.filter { _ in random.chance(30) }
          object.setValue(
            relationship.isOrdered ? NSOrderedSet(array: members) : NSSet(array: members),
            forKey: relationship.name)
        } else {
          object.setValue(random.pick(targets), forKey: relationship.name)
        }
      default: continue
      }
    }
    for object in all where random.chance(6) && !object.isDeleted { context.delete(object) }
  }

  // MARK: Contents

  private func contents(
    _ context: NSManagedObjectContext, _ model: NSManagedObjectModel, _ error: Int?
  ) throws -> Contents {
    var contents = Contents(error: error)
    var places: [NSManagedObjectID: String] = [:]
    var all: [NSManagedObject] = []
    for entity in entities(model) {
      for (place, object) in try objects(entity, context).enumerated() {
        places[object.objectID] = "\(entity.name ?? "")#\(place)"
        all.append(object)
      }
    }
    for object in all {
      var row: [String: String] = [:]
      for property in object.entity.properties where !property.isTransient {
        switch property {
        case is NSAttributeDescription:
          row[property.name] = object.value(forKey: property.name).map(text)
        case let relationship as NSRelationshipDescription:
          let names = object.objectIDs(forRelationshipNamed: property.name).map {
            places[$0] ?? "gone"
          }
          row[property.name] = (relationship.isOrdered ? names : names.sorted())
            .joined(separator: " ")
        default: continue
        }
      }
      contents.objects[object.entity.name ?? "", default: []].append(row)
    }
    return contents
  }

  private func text(_ value: Any) -> String {
    switch value {
    case let number as NSDecimalNumber: number.stringValue
    case let number as NSNumber: "\(number.doubleValue)"
    case let data as Data: data.base64EncodedString()
    case let date as Date: "\(date.timeIntervalSinceReferenceDate)"
    case let values as [String: Any]:
      "{" + values.keys.sorted().map { "\($0)=\(text(values[$0] ?? ""))" }.joined(separator: ";")
        + "}"
    case let members as [Any]: "[" + members.map(text).joined(separator: ",") + "]"
    default: "\(value)"
    }
  }
}
