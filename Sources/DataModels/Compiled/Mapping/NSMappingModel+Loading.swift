import Foundation
import PropertyLists

/// Loading mapping models from files and bundles.
extension NSMappingModel {
  /// Loads a compiled mapping model, a `.cdm` file.
  ///
  /// - Returns: `nil` when it can't be loaded; ``MappingArchive/decode(_:limits:)`` reports the reason.
  public convenience init?(contentsOf url: URL?) {
    guard let url, url.isFileURL,
      let mapping = try? MappingArchive.decode(FileBytes.read(url.path))
    else { return nil }
    self.init()
    entityMappings = mapping.entityMappings
    preserved = mapping.preserved
    compilerVintage = mapping.compilerVintage
  }

  /// Finds the mapping model between two models among the `.cdm` files of bundles.
  ///
  /// Whether one matches is decided by ``maps(_:to:)``. As in Core Data, a mapping model that names only some of the
  /// entities matches; objects of the other entities are omitted. If several match, the one that omits the fewest
  /// entities is used, and among equals the first in the order of bundles and paths; which one Core Data would use is
  /// not known.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; `nil` for the program's main bundle.
  ///   - sourceModel: The source model.
  ///   - destinationModel: The destination model.
  /// - Returns: `nil` when none matches.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let files = (bundles ?? [.main]).flatMap { bundle in
      Self.mappingFiles(in: URL(fileURLWithPath: bundle.resourcePath ?? bundle.bundlePath))
    }
    var best: (mapping: NSMappingModel, missing: Int)?
    for file in files {
      guard let mapping = NSMappingModel(contentsOf: file),
        mapping.maps(sourceModel, to: destinationModel)
      else { continue }
      let missing = mapping.countOfEntitiesLeftOut(sourceModel, destinationModel)
      if missing < best?.missing ?? .max { best = (mapping, missing) }
      if missing == 0 { break }
    }
    guard let best else { return nil }
    self.init()
    entityMappings = best.mapping.entityMappings
    preserved = best.mapping.preserved
    compilerVintage = best.mapping.compilerVintage
  }

  /// Whether this mapping model maps between two models: every entity that it names exists, and has the recorded
  /// version hash. Entities that it doesn't name are ignored. A mapping model that names no entity doesn't match any
  /// models.
  public final func maps(
    _ sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel
  ) -> Bool {
    let (before, after) = (
      sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName
    )
    var namesAny = false
    for mapping in entityMappings ?? [] {
      if let name = mapping.sourceEntityName {
        guard let hash = before[name], mapping.sourceEntityVersionHash ?? hash == hash else {
          return false
        }
        namesAny = true
      }
      if let name = mapping.destinationEntityName {
        guard let hash = after[name], mapping.destinationEntityVersionHash ?? hash == hash else {
          return false
        }
        namesAny = true
      }
    }
    return namesAny
  }

  /// The number of concrete entities in two models that no mapping names.
  private func countOfEntitiesLeftOut(
    _ sourceModel: NSManagedObjectModel, _ destinationModel: NSManagedObjectModel
  ) -> Int {
    func concrete(_ model: NSManagedObjectModel) -> Set<String> {
      Set(model.entities.filter { !$0.isAbstract }.compactMap(\.name))
    }
    let mappings: [NSEntityMapping] = entityMappings ?? []
    return concrete(sourceModel).subtracting(mappings.compactMap(\.sourceEntityName)).count
      + concrete(destinationModel).subtracting(mappings.compactMap(\.destinationEntityName)).count
  }

  /// The `.cdm` files in a folder and in resource folders inside it, sorted by path.
  private static func mappingFiles(in folder: URL) -> [URL] {
    let files = FileManager.default
    func contents(_ folder: URL) -> [URL] {
      ((try? files.contentsOfDirectory(atPath: folder.path)) ?? []).sorted().map {
        folder.appendingPathComponent($0)
      }
    }
    return contents(folder).flatMap { item -> [URL] in
      switch item.pathExtension {
      case "cdm": [item]
      case "resources", "bundle": contents(item).filter { $0.pathExtension == "cdm" }
      default: []
      }
    }
  }
}
