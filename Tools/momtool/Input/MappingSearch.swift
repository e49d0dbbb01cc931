import DataModels
import Foundation
import ModelSource

/// Finds the mapping models beside a model: in its folder, and in the folder of its bundle.
struct MappingSearch {
  /// A mapping model and its path.
  struct Found {
    let path: String
    let mapping: NSMappingModel
  }

  private let found: [Found]

  /// - Parameter model: The path of a model or bundle, as given to commands; for one in git, nothing is searched.
  init(beside model: String) {
    guard let location = try? InputLocation(model), location.revision == nil,
      location.path != InputFile.standardInput
    else {
      found = []
      return
    }
    var folder = URL(fileURLWithPath: location.path).deletingLastPathComponent()
    while ["xcdatamodeld", "momd"].contains(folder.pathExtension) {
      folder.deleteLastPathComponent()
    }
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    found = names.sorted().filter(MappingInput.isMapping).compactMap { name in
      let path = folder.appendingPathComponent(name).relativePath
      return (try? Self.mapping(at: path)).map { Found(path: path, mapping: $0) }
    }
  }

  /// Reads a mapping model without reporting warnings.
  private static func mapping(at path: String) throws -> NSMappingModel {
    MappingInput.isSource(path)
      ? try MappingCompiler(source: URL(fileURLWithPath: path), path: path).compile().mapping
      : try MappingArchive.decode(InputFile.bytes(at: path))
  }

  /// The first mapping model whose entity hashes match those of two models.
  func mapping(from source: NSManagedObjectModel, to target: NSManagedObjectModel) -> Found? {
    let hashes = (source.entityVersionHashesByName, target.entityVersionHashesByName)
    return found.first { found in
      !found.mapping.entityMappings.isEmpty
        && found.mapping.entityMappings.allSatisfy { entity in
          Self.fits(entity.sourceEntityName, entity.sourceEntityVersionHash, in: hashes.0)
            && Self.fits(
              entity.destinationEntityName, entity.destinationEntityVersionHash, in: hashes.1)
        }
    }
  }

  private static func fits(_ name: String?, _ hash: Data?, in hashes: [String: Data]) -> Bool {
    guard let name else { return true }
    return hash != nil && hashes[name] == hash
  }
}
