import Foundation
import MomKit
import RelationalSchemas

/// The sources of a new model's entities and properties, taken from the inferred mapping model.
struct MigrationMapping {
  /// An entity, its source entity, and the former names of its properties.
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

  /// - Throws: ``NSMigrationMissingMappingModelError``, with the reason as the underlying error, if no mapping can be
  ///   inferred.
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
        "No mapping model can be inferred between the store's model and the current one.",
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

  /// Returns the pair for a destination entity.
  func pair(_ name: String) -> Pair? { pairs.first { $0.new.name == name } }

  /// Returns the name of the source property in an inferred mapping's expression: its first string constant.
  private static func propertyName(in tree: ExpressionTree) -> String? {
    guard case .function(let function) = tree else { return nil }
    for argument in function.arguments {
      if case .constant(.string(let name)) = argument { return name }
    }
    return nil
  }
}
