import Foundation

extension NSManagedObjectModel {
  /// One model of all models in bundles: of every `.momd` the current version, and every `.mom`.
  ///
  /// Looked for among a bundle's resources, and with SwiftPM on Linux also in the resource folders
  /// that lie beside the executable. Two different entities of one name are a programmer's error and
  /// trap, as ``init(byMerging:)`` says.
  ///
  /// - Parameter bundles: The bundles; `nil` for the program's own.
  /// - Returns: `nil` when there is no model.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let models = modelFiles(in: bundles).compactMap { try? $0.models() }.joined().map(\.model)
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: Array(models))
  }

  /// The model in bundles that a store was made with, merged of those versions that fit.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; `nil` for the program's own.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` when the bundles don't have every entity of the store in the version recorded.
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

  /// The model files among the bundles' resources, each once, in order.
  private static func modelFiles(in bundles: [Bundle]?) -> [ModelFile] {
    var seen = Set<String>()
    return (bundles ?? [.main]).flatMap { bundle in
      ModelFile.modelFiles(amongResources: bundle.resourcePath ?? bundle.bundlePath)
    }.filter { seen.insert($0.path).inserted }
  }
}
