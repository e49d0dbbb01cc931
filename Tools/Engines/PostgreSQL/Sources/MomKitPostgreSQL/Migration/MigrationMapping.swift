import Foundation
import MomKit
import RelationalSchemas

/// Where the entities and properties of a new model come from, as the inferred mapping model says.
struct MigrationMapping {
  /// An entity, the one it comes from, and the names its properties had.
  struct Pair {
    let new: RelationalEntity
    let old: RelationalEntity
    let properties: [String: String]
  }

  let oldModel: NSManagedObjectModel
  let newModel: NSManagedObjectModel
  let old: RelationalSchema
  let new: RelationalSchema
  private(set) var pairs: [Pair] = []

  /// - Throws: ``NSMigrationMissingMappingModelError`` over the reason where no mapping can be inferred.
  init(
    from oldModel: NSManagedObjectModel, _ old: RelationalSchema,
    to newModel: NSManagedObjectModel, _ new: RelationalSchema
  ) throws {
    (self.oldModel, self.newModel, self.old, self.new) = (oldModel, newModel, old, new)
    let mapping: NSMappingModel
    do {
      mapping = try NSMappingModel.inferredMappingModel(
        forSourceModel: oldModel, destinationModel: newModel)
    } catch {
      throw PostgreSQLStore.error(
        NSMigrationMissingMappingModelError,
        "No mapping model can be inferred between the store's model and the present one.",
        [
          "reason": "Can't find or automatically infer mapping model for migration",
          NSUnderlyingErrorKey: error,
        ])
    }
    for entity in mapping.entityMappings ?? [] {
      guard let source = entity.sourceEntityName, let destination = entity.destinationEntityName,
        let oldEntity = old.entities[source], let newEntity = new.entities[destination]
      else { continue }
      var properties: [String: String] = [:]
      for property in (entity.attributeMappings ?? []) + (entity.relationshipMappings ?? []) {
        guard let name = property.name, let expression = property.valueExpression,
          let origin = Self.propertyName(in: expression.tree)
        else { continue }
        properties[name] = origin
      }
      pairs.append(Pair(new: newEntity, old: oldEntity, properties: properties))
    }
    pairs.sort { $0.new.name < $1.new.name }
  }

  /// The pair of a new entity.
  func pair(_ name: String) -> Pair? { pairs.first { $0.new.name == name } }

  /// The name of the source's property in the expression of an inferred mapping: its first text.
  private static func propertyName(in tree: ExpressionTree) -> String? {
    guard case .function(let function) = tree else { return nil }
    for argument in function.arguments {
      if case .constant(.string(let name)) = argument { return name }
    }
    return nil
  }
}
