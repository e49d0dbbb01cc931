import DataModels
import PropertyLists

// These have the names and signatures of the methods that read files alone, which DataModels has without
// SQLite. Those are disfavoured, so that a program which sees both calls these.

extension ModelFile {
  /// Reads the models at the path; of a store, the copy that it keeps of its model.
  ///
  /// - Parameters:
  ///   - selection: Which versions of a bundle.
  ///   - limits: What to refuse as too large or too deep.
  /// - Returns: The models in the order of paths and names. Of a folder those of all files inside;
  ///   with a version's name, those of the bundles that have such a version.
  /// - Throws: `ModelFileError` that names the file.
  public func models(
    _ selection: Selection = .current, limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [LoadedModel] {
    guard kind == .store else { return try modelsWithoutStores(selection, limits: limits) }
    guard let model = try StoreFile(at: path).cachedModel(limits: limits) else {
      throw ModelFileError(
        .noModel, "the store keeps no copy of its model; name the model's own file", path: path)
    }
    model.origin = path
    return [LoadedModel(path: path, model: model)]
  }
}

extension NSManagedObjectModel {
  /// Reads a model, and says why when it can't. MomKit's own addition; `init(contentsOf:)` is Core
  /// Data's spelling.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(loading: "Shop.momd")
  /// let kept = try NSManagedObjectModel(loading: "Shop.sqlite")
  /// ```
  ///
  /// - Parameters:
  ///   - path: A compiled model (`.mom`), a bundle (`.momd`), an optimised model (`.omo`), a store
  ///     with a cached model, or a folder: then all models inside, merged.
  ///   - version: Which of a bundle's versions. Default: the current one.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: `ModelFileError` that names the file, the place in it, and what to do.
  public convenience init(
    loading path: String, version: String? = nil, limits: ArchiveLimits = .default
  ) throws(ModelFileError) {
    let file = try ModelFile(at: path)
    let loaded = try file.models(version.map { .named($0) } ?? .current, limits: limits)
    try self.init(merging: loaded, path: path)
  }
}
