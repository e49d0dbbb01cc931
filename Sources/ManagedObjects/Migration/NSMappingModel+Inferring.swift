import DataModels
import ModelEvolution

extension NSMappingModel {
  /// The inferred mapping model between two models: what lightweight migration does, as an object that can be
  /// inspected, modified and written.
  ///
  /// Whether stores can actually be migrated depends on their data too: see `MigrationVerdict` in the module
  /// ModelEvolution.
  ///
  /// - Parameters:
  ///   - sourceModel: the model of existing stores.
  ///   - destinationModel: the model to migrate to.
  /// - Returns: a mapping for every entity that isn't abstract in both models, and for every removed entity; sorted
  ///   by name, the latter last. A mapping to an entity that has become abstract fails if the store contains objects
  ///   of it.
  /// - Throws: an `NSError` in the Cocoa error domain with code 134190 if the models differ in a way that can't be
  ///   inferred; its `reason` explains the difference.
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try InferredMapping.mappingModel(from: sourceModel, to: destinationModel)
  }
}
