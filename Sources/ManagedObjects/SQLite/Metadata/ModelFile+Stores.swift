import DataModels
import PropertyLists

// These methods have the names and signatures of those in DataModels, which read only files because that module
// doesn't use SQLite. Those are disfavored, so that a program that sees both calls these.

extension ModelFile {
  /// Reads the models at the path; for a store, its copy of the model.
  ///
  /// - Parameters:
  ///   - selection: the versions of a bundle to read.
  ///   - limits: the limits above which input is rejected.
  /// - Returns: the models, sorted by path and name. For a folder, the models of all files in it; with a version
  ///   name, those of the bundles that have such a version.
  /// - Throws: `ModelFileError` that names the file.
  public func models(
    _ selection: Selection = .current, limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [LoadedModel] {
    guard kind == .store else { return try modelsWithoutStores(selection, limits: limits) }
    guard let model = try StoreFile(at: path).cachedModel(limits: limits) else {
      throw ModelFileError(
        .noModel, "the store has no copy of its model; give the model's own file", path: path)
    }
    model.origin = path
    return [LoadedModel(path: path, model: model)]
  }
}

extension NSManagedObjectModel {
  /// Reads a model, and throws an error that explains a failure. An addition of MomKit's; Core Data's initializer is
  /// `init(contentsOf:)`.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(loading: "Shop.momd")
  /// let kept = try NSManagedObjectModel(loading: "Shop.sqlite")
  /// ```
  ///
  /// - Parameters:
  ///   - path: a compiled model (`.mom`), a bundle (`.momd`), an optimized model (`.omo`), a store with a cached
  ///     model, or a folder, whose models are merged.
  ///   - version: the version of a bundle; nil for the current one.
  ///   - limits: the limits above which input is rejected.
  /// - Throws: `ModelFileError` that names the file, the position in it, and a remedy.
  public convenience init(
    loading path: String, version: String? = nil, limits: ArchiveLimits = .default
  ) throws(ModelFileError) {
    let file = try ModelFile(at: path)
    let loaded = try file.models(version.map { .named($0) } ?? .current, limits: limits)
    try self.init(merging: loaded, path: path)
  }
}
