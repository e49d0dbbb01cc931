import Foundation
import PropertyLists

/// Mapping models in files and bundles.
extension NSMappingModel {
  /// Reads a compiled mapping model, a `.cdm` file.
  ///
  /// - Returns: `nil` when there is none that can be read; ``MappingArchive/decode(_:limits:)`` says
  ///   why.
  public convenience init?(contentsOf url: URL?) {
    guard let url, url.isFileURL,
      let mapping = try? MappingArchive.decode(FileBytes.read(url.path))
    else { return nil }
    self.init()
    entityMappings = mapping.entityMappings
    preserved = mapping.preserved
  }

  /// Finds the mapping model between two models among the `.cdm` files of bundles.
  ///
  /// One fits when ``maps(_:to:)`` says so. As Core Data does, this takes one that names only some of
  /// the entities, and objects of the others are then left out. Among several that fit, the one that
  /// leaves the fewest entities out wins, then the first in the order of the bundles and paths; which
  /// one Core Data would take is not known.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; `nil` for the program's own.
  ///   - sourceModel: The model to come from.
  ///   - destinationModel: The model to get to.
  /// - Returns: `nil` when none fits.
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

  /// Whether this mapping model is one between two models: every entity that it names is there, and
  /// the version hashes it records are theirs. Entities that it doesn't name don't stand in its way;
  /// one that names none is a mapping between no models.
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

  /// How many entities of two models that may have objects no mapping names.
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

  /// The `.cdm` files of a folder, and of folders of resources inside it, in the order of their paths.
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
