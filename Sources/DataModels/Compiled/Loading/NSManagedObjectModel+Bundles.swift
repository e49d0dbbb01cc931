import Foundation

extension NSManagedObjectModel {
  /// Merges all models in bundles: the current version of every `.momd`, and every `.mom`.
  ///
  /// Models are taken from a bundle's own resources. With SwiftPM on Linux, those of the main bundle are also in resource
  /// folders beside the program, as are those of every other package that was built: they are taken from the folders of the
  /// program's target, `PACKAGE_PROGRAM.resources`, or if these have none from those of its package,
  /// `PROGRAM_TARGET.resources`, or else from all. Two different entities with the same name are a programmer error and
  /// trap, as described at ``init(byMerging:)``.
  ///
  /// - Parameter bundles: The bundles; `nil` for the program's main bundle.
  /// - Returns: `nil` when there is no model.
  public class func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    let files = distinct((bundles ?? [.main]).flatMap { ownModelFiles(in: $0) })
    let models = files.compactMap { try? $0.models() }.joined().map(\.model)
    return models.isEmpty ? nil : NSManagedObjectModel(byMerging: Array(models))
  }

  /// Merges the model versions in bundles that match a store.
  ///
  /// Models are searched among a bundle's resources and, with SwiftPM on Linux, also in all resource folders beside the
  /// program: the store's version decides which of them belong to it.
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
    let files = (bundles ?? [.main]).flatMap { bundle in
      ModelFile.modelFiles(amongResources: bundle.resourcePath ?? bundle.bundlePath)
    }
    return distinct(files)
  }

  /// The model files of a bundle itself.
  private static func ownModelFiles(in bundle: Bundle) -> [ModelFile] {
    let main = Bundle.main
    let folder = bundle.resourcePath ?? bundle.bundlePath
    // The bundle of a class is another one in the same folder.
    guard folder == main.resourcePath ?? main.bundlePath else {
      return ModelFile.modelFiles(directlyIn: folder)
    }
    return ModelFile.modelFiles(
      ofProgram: main.executableURL?.lastPathComponent ?? "", in: folder)
  }

  private static func distinct(_ files: [ModelFile]) -> [ModelFile] {
    var seen = Set<String>()
    return files.filter { seen.insert($0.path).inserted }
  }
}
