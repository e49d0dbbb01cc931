import BinaryPlist
import Foundation
import ManagedModel

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
  /// - Parameters:
  ///   - bundles: The bundles; `nil` for the program's own.
  ///   - sourceModel: The model to come from.
  ///   - destinationModel: The model to get to.
  /// - Returns: The first, in the order of their paths, whose entities have the models' version
  ///   hashes and that maps every entity that may have objects; `nil` when there is none.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: NSManagedObjectModel?,
    destinationModel: NSManagedObjectModel?
  ) {
    guard let sourceModel, let destinationModel else { return nil }
    let files = (bundles ?? [.main]).flatMap { bundle in
      Self.mappingFiles(in: URL(fileURLWithPath: bundle.resourcePath ?? bundle.bundlePath))
    }
    for file in files {
      guard let mapping = NSMappingModel(contentsOf: file),
        mapping.maps(sourceModel, to: destinationModel)
      else { continue }
      self.init()
      entityMappings = mapping.entityMappings
      preserved = mapping.preserved
      return
    }
    return nil
  }

  /// Whether this mapping model is one between two models: the hashes it records are theirs, and
  /// every entity with objects takes part.
  public final func maps(
    _ sourceModel: NSManagedObjectModel, to destinationModel: NSManagedObjectModel
  ) -> Bool {
    let (before, after) = (
      sourceModel.entityVersionHashesByName, destinationModel.entityVersionHashesByName
    )
    var missing = (
      Set(sourceModel.entities.filter { !$0.isAbstract }.compactMap(\.name)),
      Set(destinationModel.entities.filter { !$0.isAbstract }.compactMap(\.name))
    )
    for mapping in entityMappings ?? [] {
      if let name = mapping.sourceEntityName {
        guard let hash = before[name], mapping.sourceEntityVersionHash ?? hash == hash else {
          return false
        }
        missing.0.remove(name)
      }
      if let name = mapping.destinationEntityName {
        guard let hash = after[name], mapping.destinationEntityVersionHash ?? hash == hash else {
          return false
        }
        missing.1.remove(name)
      }
    }
    return missing.0.isEmpty && missing.1.isEmpty
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
