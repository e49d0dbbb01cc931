import DataModels
import ModelEvolution

extension NSMappingModel {
  /// The mapping model that inference makes of two models: what lightweight migration does, as an
  /// object that can be looked at, changed and written.
  ///
  /// Whether stores really migrate depends on their data too: `MigrationVerdict`, in the module
  /// ModelEvolution, says.
  ///
  /// - Parameters:
  ///   - sourceModel: the model stores were made with.
  ///   - destinationModel: the model they shall have.
  /// - Returns: a mapping for every entity that is not abstract in both models, and for every entity
  ///   that is gone; by name, the latter last. One to an entity that became abstract fails where the
  ///   store has objects of it.
  /// - Throws: an `NSError` of Cocoa's domain with code 134190 when the models differ in a way that
  ///   can't be inferred; its `reason` says why.
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel, destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    try InferredMapping.mappingModel(from: sourceModel, to: destinationModel)
  }
}
