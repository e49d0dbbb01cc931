import Foundation

extension NSManagedObjectModel {
  /// Merges all models in bundles: the current version of every `.momd`, and every `.mom`.
  ///
  /// Models are searched among a bundle's resources and, with SwiftPM on Linux, also in the resource folders beside the
  /// executable. Two different entities with the same name are a programmer error and trap, as described at
  /// ``init(byMerging:)``.
  ///
  /// - Parameter bundles: The bundles; `nil` for the program's main bundle.
  /// - Returns: `nil` when there is no model.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = modelFiles(in: bundles).compactMap { try? $0.models() }.joined().map(\.model)
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: Array(models))
  }

  /// Merges the model versions in bundles that match a store.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; `nil` for the program's main bundle.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` unless the bundles have every entity of the store in the recorded version.
  public class func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    guard let recorded = metadata["NSStoreModelVersionHashes"] as? [String: Data] else {
      return nil
    }
    let models = modelFiles(in: bundles).compactMap { try? $0.model(forEntityHashes: recorded) }
    return models.isEmpty
      ? nil : NSManagedObjectModel(byMerging: models, forStoreMetadata: metadata)
  }

  /// All versions of the models in bundles, those of a model in its order.
  ///
  /// - Parameter bundles: The bundles; `nil` for the program's main bundle.
  package class func versions(in bundles: [Bundle]?) -> [NSManagedObjectModel] {
    modelFiles(in: bundles).compactMap { try? $0.models() }.joined().map(\.model)
  }

  /// The distinct model files among the bundles' resources, in order.
  private static func modelFiles(in bundles: [Bundle]?) -> [ModelFile] {
    var seen = Set<String>()
    return (bundles ?? [.main]).flatMap { bundle in
      ModelFile.modelFiles(amongResources: bundle.resourcePath ?? bundle.bundlePath)
    }.filter { seen.insert($0.path).inserted }
  }
}
