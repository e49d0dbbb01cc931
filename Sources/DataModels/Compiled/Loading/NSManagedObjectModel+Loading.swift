import Foundation
import PropertyLists

extension NSManagedObjectModel {
  /// Loads a model, or throws an error that explains why it can't be loaded. A MomKit addition; ``init(contentsOf:)``
  /// is Core Data's variant.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(loading: "Shop.momd")
  /// let older = try NSManagedObjectModel(loading: "Shop.momd", version: "Shop 1")
  /// ```
  ///
  /// - Parameters:
  ///   - path: A compiled model (`.mom`), a bundle (`.momd`), an optimized model (`.omo`), or a folder, in which case
  ///     all models inside are merged. With the module ManagedObjects, also a store with a cached model.
  ///   - version: The version of a bundle to load. Default: the current one.
  ///   - limits: The limits above which a file is refused.
  /// - Throws: ``ModelFileError`` naming the file, the location in it, and what to do.
  @_disfavoredOverload
  public convenience init(
    loading path: String, version: String? = nil, limits: ArchiveLimits = .default
  ) throws(ModelFileError) {
    let file = try ModelFile(at: path)
    let loaded = try file.models(version.map { .named($0) } ?? .current, limits: limits)
    try self.init(merging: loaded, path: path)
  }

  /// Merges the models loaded from a path.
  package convenience init(merging loaded: [LoadedModel], path: String) throws(ModelFileError) {
    let model = try Self.merged(loaded, path: path)
    self.init()
    takeContents(of: model)
  }

  /// Loads a model from a file URL. To learn why a model can't be loaded, use ``init(loading:version:limits:)``.
  ///
  /// - Returns: `nil` when no model can be loaded.
  public convenience init?(contentsOf url: URL) {
    guard url.isFileURL,
      let model = try? NSManagedObjectModel(loading: url.path)
    else { return nil }
    self.init()
    takeContents(of: model)
  }

  /// Loads the version of a bundle with which a store was created.
  ///
  /// - Parameters:
  ///   - url: A bundle, or another model file, whose model then has to match.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` when there is no version whose entities are all in the store with the same hashes.
  public convenience init?(contentsOf url: URL, forStoreMetadata metadata: [String: Any]) {
    guard url.isFileURL, let recorded = metadata["NSStoreModelVersionHashes"] as? [String: Data],
      let file = try? ModelFile(at: url.path),
      let model = try? file.model(forEntityHashes: recorded)
    else { return nil }
    self.init()
    takeContents(of: model)
  }

  /// Returns the checksum of each version of a bundle, by version name.
  ///
  /// - Parameter modelURL: The bundle.
  /// - Throws: ``ModelFileError`` when it can't be read.
  public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    try ModelBundle(at: modelURL.path).checksums
  }

  /// Returns the loaded model or, if there are several, merges them.
  static func merged(
    _ loaded: [LoadedModel], path: String
  ) throws(ModelFileError) -> NSManagedObjectModel {
    if loaded.count == 1 { return loaded[0].model }
    do {
      return try merging(loaded.map(\.model))
    } catch {
      throw ModelFileError(.mergeConflict, "\(error)", path: path)
    }
  }

  /// Takes over the contents of a model that is not used elsewhere.
  private func takeContents(of model: NSManagedObjectModel) {
    setEntitiesUnchecked(model.storedEntities)
    storedConfigurations = model.storedConfigurations
    storedTemplates = model.storedTemplates
    storedVersionIdentifiers = model.storedVersionIdentifiers
    storedLocalizationDictionary = model.storedLocalizationDictionary
    compilerStamp = model.compilerStamp
    compilerVintage = model.compilerVintage
    listsIndexesOfAllEntities = model.listsIndexesOfAllEntities
    preserved = model.preserved
    origin = model.origin
    recording = model.recording
  }
}
