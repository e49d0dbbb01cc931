import Foundation
import KeyedArchive
import ManagedModel

extension ModelFile {
  /// Reads the version of a model that a store was made with: the one whose entities the store
  /// records with the same hashes. In a folder, all that fit, merged.
  ///
  /// - Parameters:
  ///   - entityHashes: The store's version hashes by entity name.
  ///   - limits: What to refuse as too large or too deep.
  /// - Throws: ``ModelFileError`` when the models can't be read, or none fits.
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

  /// The version of a file or bundle that fits; none or one.
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
