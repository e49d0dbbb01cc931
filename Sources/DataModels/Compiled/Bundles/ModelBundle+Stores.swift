import Foundation
import PropertyLists

extension ModelBundle {
  /// The version with which a store was made, by the hashes that bundle and store record.
  ///
  /// A version fits when the store has each of the version's entities with the same hash; the store
  /// may have others, of a model that was merged. Of several that fit, the one with the most entities
  /// is meant, and of those with as many the current one, else the first by name.
  ///
  /// - Parameter entityHashes: The store's version hashes by entity name.
  /// - Returns: The version's name; `nil` when none fits.
  public func versionName(forEntityHashes entityHashes: [String: Data]) -> String? {
    let fitting = recordedVersions.filter { version in
      !version.entityHashes.isEmpty
        && version.entityHashes.allSatisfy { entityHashes[$0.key] == $0.value }
    }
    let most = fitting.map(\.entityHashes.count).max()
    let best = fitting.filter { $0.entityHashes.count == most }
    let current = best.first { $0.name == versionInfo?.currentVersionName }
    return current?.name ?? best.first?.name
  }

  /// The versions that have a file, with their hashes: recorded ones, or where none are recorded
  /// those of the model itself.
  private var recordedVersions: [VersionInfo.Version] {
    let recorded = Dictionary(
      (versionInfo?.versions ?? []).map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return versionNames.compactMap { name in
      if let recorded = recorded[name], !recorded.entityHashes.isEmpty {
        return recorded
      }
      guard let hashes = try? model(named: name).versionHashes() else { return nil }
      return VersionInfo.Version(name: name, entityHashes: hashes)
    }
  }

  /// Each version's checksum: as recorded, or where it isn't, computed from the recorded hashes.
  public var checksums: [String: String] {
    Dictionary(
      (versionInfo?.versions ?? []).map { version in
        (version.name, version.checksum ?? VersionHashes.checksum(of: version.entityHashes))
      }, uniquingKeysWith: { first, _ in first })
  }
}
