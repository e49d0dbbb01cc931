import Dispatch
import Foundation
import PropertyLists
import Synchronization

extension ModelFile {
  /// Reads the models at the path. Stores require the module ManagedObjects, whose method of the same name takes
  /// precedence where both are visible.
  ///
  /// - Parameters:
  ///   - selection: Which versions of a bundle to read.
  ///   - limits: The limits above which a file is refused.
  /// - Returns: The models, ordered by path and name. For a folder, those of all files inside; with a version name,
  ///   those of the bundles that have such a version.
  /// - Throws: ``ModelFileError`` naming the file.
  @_disfavoredOverload
  public func models(
    _ selection: Selection = .current, limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> [LoadedModel] {
    try modelsWithoutStores(selection, limits: limits)
  }

  /// The implementation of ``models(_:limits:)`` without support for stores.
  package func modelsWithoutStores(
    _ selection: Selection, limits: ArchiveLimits
  ) throws(ModelFileError) -> [LoadedModel] {
    switch kind {
    case .compiledModel:
      return [LoadedModel(path: path, model: try Self.readModel(at: path, limits: limits))]
    case .optimizedModel: return [try optimizedModel(limits)]
    case .bundle: return try bundleModels(selection, limits)
    case .folder: return try folderModels(selection, limits)
    case .store:
      throw ModelFileError(.unknownKind, "a store, whose model StoreFile reads", path: path)
    case .source:
      throw ModelFileError(
        .unknownKind, "a model's source, which has to be compiled first", path: path)
    }
  }

  /// Reads a model from bytes that don't come from a file, such as standard input.
  ///
  /// - Throws: ``ModelFileError`` when they aren't a model. Stores can't be read this way.
  public static func model(
    fromBytes bytes: [UInt8], limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> NSManagedObjectModel {
    switch kind(ofBytes: bytes) {
    case _ where bytes.isEmpty:
      throw ModelFileError(
        .unknownKind, "it is empty: expected a compiled model (.mom) or an optimized one (.omo)")
    case .optimizedModel: return try OptimizedModel.decode(bytes, limits: limits)
    case .store:
      throw ModelFileError(.unknownKind, "a store, which is read from its file only")
    default:
      do {
        return try ModelArchive.decode(bytes, limits: limits)
      } catch {
        throw ModelFileError(error, path: nil)
      }
    }
  }

  /// Reads the file of a compiled or optimised model.
  static func readModel(
    at path: String, limits: ArchiveLimits
  ) throws(ModelFileError) -> NSManagedObjectModel {
    let bytes: [UInt8]
    do {
      bytes = try FileBytes.read(path, limit: limits.byteCount)
    } catch {
      throw ModelFileError(error, path: path)
    }
    do {
      let model = try model(fromBytes: bytes, limits: limits)
      model.origin = path
      return model
    } catch {
      var error = error
      error.path = path
      throw error
    }
  }

  /// The model of an optimised image or, if that can't be read, of the archive beside it, as in Core Data.
  private func optimizedModel(_ limits: ArchiveLimits) throws(ModelFileError) -> LoadedModel {
    do {
      return LoadedModel(path: path, model: try Self.readModel(at: path, limits: limits))
    } catch {
      let archive = URL(fileURLWithPath: path).deletingPathExtension().path + ".mom"
      guard let model = try? Self.readModel(at: archive, limits: limits) else { throw error }
      return LoadedModel(path: archive, model: model)
    }
  }

  private func bundleModels(
    _ selection: Selection, _ limits: ArchiveLimits
  ) throws(ModelFileError) -> [LoadedModel] {
    let bundle = try ModelBundle(at: path)
    switch selection {
    case .current: return [try bundle.loadedModel(named: nil, limits: limits)]
    case .named(let name): return [try bundle.loadedModel(named: name, limits: limits)]
    case .all:
      guard !bundle.versionNames.isEmpty else {
        throw ModelFileError(.noModel, "the bundle contains no .mom file", path: path)
      }
      return try loadedModels(bundle, limits)
    }
  }

  /// All versions of a bundle, several of them read at once; of several errors the first version's is thrown.
  private func loadedModels(
    _ bundle: ModelBundle, _ limits: ArchiveLimits
  ) throws(ModelFileError) -> [LoadedModel] {
    let names = bundle.versionNames
    let results = Mutex([Result<LoadedModel, ModelFileError>?](repeating: nil, count: names.count))
    DispatchQueue.concurrentPerform(iterations: names.count) { place in
      let result = Result { () throws(ModelFileError) in
        try bundle.loadedModel(named: names[place], limits: limits)
      }
      results.withLock { $0[place] = result }
    }
    var models: [LoadedModel] = []
    for result in results.withLock({ $0 }) {
      if let result { models.append(try result.get()) }
    }
    return models
  }

  private func folderModels(
    _ selection: Selection, _ limits: ArchiveLimits
  ) throws(ModelFileError) -> [LoadedModel] {
    var models: [LoadedModel] = []
    var missing: ModelFileError?
    for file in try modelFiles() {
      do {
        models += try file.models(selection, limits: limits)
      } catch {
        guard case .named = selection, error.code == .noSuchVersion else { throw error }
        missing = missing ?? error
      }
    }
    if models.isEmpty, let missing { throw missing }
    return models
  }
}

extension ModelFile {
  /// Reads the version of a model with which a store was created: the one whose entities have the hashes that the store
  /// records. For a folder, all matching models are merged.
  ///
  /// - Parameters:
  ///   - entityHashes: The store's version hashes by entity name.
  ///   - limits: The limits above which a file is refused.
  /// - Throws: ``ModelFileError`` when the models can't be read, or none matches.
  public func model(
    forEntityHashes entityHashes: [String: Data], limits: ArchiveLimits = .default
  ) throws(ModelFileError) -> NSManagedObjectModel {
    var fitting: [LoadedModel] = []
    for file in try modelFiles() {
      fitting += try file.models(forEntityHashes: entityHashes, limits)
    }
    guard !fitting.isEmpty else {
      throw ModelFileError(
        .noMatchingVersion, "no version's entities have the hashes that the store records",
        path: path)
    }
    return try NSManagedObjectModel.merged(fitting, path: path)
  }

  /// The matching version of a file or bundle; empty or one element.
  private func models(
    forEntityHashes entityHashes: [String: Data], _ limits: ArchiveLimits
  ) throws(ModelFileError) -> [LoadedModel] {
    if kind == .bundle {
      let bundle = try ModelBundle(at: path)
      guard let name = bundle.versionName(forEntityHashes: entityHashes) else { return [] }
      return [try bundle.loadedModel(named: name, limits: limits)]
    }
    return try models(limits: limits).filter { loaded in
      let hashes = loaded.model.entityVersionHashesByName
      return !hashes.isEmpty && hashes.allSatisfy { entityHashes[$0.key] == $0.value }
    }
  }
}
