import DataModels
import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

/// Object-by-object migration.
extension NSMigrationManager {
  final func migrateObjects() throws {
    let mappings: [NSEntityMapping] = mappingModel.entityMappings ?? []
    let work = try mappings.map { mapping in
      let policy = try MigrationPolicies.shared.policy(for: mapping)
      return (mapping: mapping, policy: policy, sources: try sources(of: mapping))
    }
    progress.totalUnitCount = Int64(work.reduce(1) { $0 + 2 * max($1.sources.count, 1) })
    progress.completedUnitCount = 0
    for (mapping, policy, sources) in work {
      currentEntityMapping = mapping
      try step(by: 0)
      try policy.begin(mapping, with: self)
      if [
        .copyEntityMappingType, .transformEntityMappingType, .customEntityMappingType,
        .undefinedEntityMappingType,
      ].contains(mapping.mappingType) {
        for source in sources {
          try policy.createDestinationInstances(forSource: source, in: mapping, manager: self)
          try step()
        }
      }
      try policy.endInstanceCreation(forMapping: mapping, manager: self)
    }
    for (mapping, policy, _) in work {
      currentEntityMapping = mapping
      for destination in associations.destinations(mapping: mapping.name ?? "", of: nil) {
        try policy.createRelationships(forDestination: destination, in: mapping, manager: self)
        try step()
      }
      try policy.endRelationshipCreation(forMapping: mapping, manager: self)
    }
    for (mapping, policy, _) in work {
      currentEntityMapping = mapping
      try step(by: 0)
      try policy.performCustomValidation(forMapping: mapping, manager: self)
      try policy.end(mapping, manager: self)
    }
    try step(by: 0)
  }

  /// Checks that a mapping model belongs to the two models, and that all names in it exist there. Later steps rely on
  /// this.
  ///
  /// - Parameter isAll: whether these are all mappings of the migration, rather than those of one of several passes.
  /// - Throws: ``NSMigrationError``, with Core Data's reason if version hashes differ.
  final func check(_ mappings: [NSEntityMapping], isAll: Bool) throws {
    let (before, after) = (
      sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName
    )
    for mapping in mappings {
      for (name, hash, known, which) in [
        (mapping.sourceEntityName, mapping.sourceEntityVersionHash, before, "source"),
        (mapping.destinationEntityName, mapping.destinationEntityVersionHash, after, "destination"),
      ] {
        guard let name else { continue }
        guard let expected = known[name] else {
          throw CoreDataError.make(
            NSMigrationError,
            "The mapping '\(mapping.name ?? "")' names the \(which) entity '\(name)', which the "
              + "\(which) model doesn't have.", userInfo: ["entity": name])
        }
        guard hash == nil || hash == expected else {
          let reason = "Mismatch between mapping and source/destination models"
          throw CoreDataError.make(
            NSMigrationError,
            "\(reason): '\(mapping.name ?? "")' was made for another version of the \(which) entity "
              + "'\(name)'.", userInfo: ["entity": name, "reason": reason])
        }
      }
    }
    // Mappings of other passes aren't known.
    if isAll { try checkReferences(among: mappings) }
  }

  /// Checks that the mappings whose objects an expression asks for exist: of another name it would get none, and all
  /// relationships would end.
  private final func checkReferences(among mappings: [NSEntityMapping]) throws {
    let names = Set(mappings.compactMap(\.name))
    for mapping in mappings {
      for property in (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? []) {
        guard let tree = property.valueExpression?.tree,
          let named = MappedExpression.mappingName(in: tree), !names.contains(named)
        else { continue }
        throw CoreDataError.make(
          NSMigrationError,
          "The mapping '\(mapping.name ?? "").\(property.name ?? "")' names the entity mapping "
            + "'\(named)', which the mapping model doesn't have.")
      }
    }
  }

  final func step(by count: Int64 = 1) throws {
    if let error = cancellation.error { throw error }
    if progress.isCancelled {
      throw CoreDataError.make(NSMigrationCancelledError, "The migration was cancelled.")
    }
    let key = "migrationProgress"
    willChangeValue(forKey: key)
    progress.completedUnitCount = min(
      progress.completedUnitCount + count, progress.totalUnitCount)
    didChangeValue(forKey: key)
  }

  /// The source objects of a mapping: those returned by its expression, or all objects of its entity.
  final func sources(of mapping: NSEntityMapping) throws -> [NSManagedObject] {
    guard let name = mapping.sourceEntityName,
      ![.addEntityMappingType, .removeEntityMappingType].contains(mapping.mappingType)
    else { return [] }
    guard let expression = mapping.sourceExpression else {
      let request = NSFetchRequest<NSManagedObject>(entityName: name)
      request.includesSubentities = false
      return try sourceContext.fetch(request)
    }
    let value = try mapped(expression).value(for: .init(mapping: mapping, manager: self))
    return MigrationValues.objects(in: value)
  }

  /// A prepared expression, cached for the duration of a migration.
  final func mapped(_ expression: NSExpression) -> MappedExpression {
    let id = ObjectIdentifier(expression)
    if let known = expressions[id] { return known }
    let made = MappedExpression(expression)
    expressions[id] = made
    return made
  }
}
