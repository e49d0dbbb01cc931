import Foundation
import PropertyLists

extension NSManagedObjectModel {
  /// Reads a model, and says why when it can't. MomKit's own addition; ``init(contentsOf:)`` is Core
  /// Data's spelling.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(loading: "Shop.momd")
  /// let older = try NSManagedObjectModel(loading: "Shop.momd", version: "Shop 1")
  /// ```
  ///
  /// - Parameters:
  ///   - path: A compiled model (`.mom`), a bundle (`.momd`), an optimised model (`.omo`), or a folder:
  ///     then all models inside, merged. With the module ManagedObjects a store with a cached model too.
  ///   - version: Which of a bundle's versions. Default: the current one.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: ``ModelFileError`` that names the file, the place in it, and what to do.
  @_disfavoredOverload
  public convenience init(
    loading path: String, version: String? = nil, limits: ArchiveLimits = .default
  ) throws(ModelFileError) {
    let file = try ModelFile(at: path)
    let loaded = try file.models(version.map { .named($0) } ?? .current, limits: limits)
    try self.init(merging: loaded, path: path)
  }

  /// The model of what was loaded from a path.
  package convenience init(merging loaded: [LoadedModel], path: String) throws(ModelFileError) {
    let model = try Self.merged(loaded, path: path)
    self.init()
    takeContents(of: model)
  }

  /// Reads a model from a file of this URL: see ``init(loading:version:limits:)``, which says why
  /// when it can't.
  ///
  /// - Returns: `nil` when there is no model that can be read.
  public convenience init?(contentsOf url: URL) {
    guard url.isFileURL,
      let model = try? NSManagedObjectModel(loading: url.path)
    else { return nil }
    self.init()
    takeContents(of: model)
  }

  /// Reads the version of a bundle that a store was made with.
  ///
  /// - Parameters:
  ///   - url: A bundle, or another model file, whose model then has to fit.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  /// - Returns: `nil` when no version has entities that are all in the store with the same hashes.
  public convenience init?(contentsOf url: URL, forStoreMetadata metadata: [String: Any]) {
    guard url.isFileURL, let recorded = metadata["NSStoreModelVersionHashes"] as? [String: Data],
      let file = try? ModelFile(at: url.path),
      let model = try? file.model(forEntityHashes: recorded)
    else { return nil }
    self.init()
    takeContents(of: model)
  }

  /// The checksum of each version of a bundle, by the version's name.
  ///
  /// - Parameter modelURL: The bundle.
  /// - Throws: ``ModelFileError`` when it can't be read.
  public class func checksumsForVersionedModel(at modelURL: URL) throws -> [String: String] {
    try ModelBundle(at: modelURL.path).checksums
  }

  /// One model of what was loaded: the model itself, or all of them merged.
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

  /// Takes everything over from a model that nobody uses any more.
  private func takeContents(of model: NSManagedObjectModel) {
    setEntitiesUnchecked(model.storedEntities)
    storedConfigurations = model.storedConfigurations
    storedTemplates = model.storedTemplates
    storedVersionIdentifiers = model.storedVersionIdentifiers
    storedLocalizationDictionary = model.storedLocalizationDictionary
    compilerStamp = model.compilerStamp
    compilerVintage = model.compilerVintage
    preserved = model.preserved
    origin = model.origin
  }
}
