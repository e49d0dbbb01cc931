import Foundation
import PropertyLists

extension ModelBundle {
  /// The version with which a store was created, according to the hashes recorded by the bundle and the store.
  ///
  /// A version matches if the store has each of the version's entities with the same hash; the store may have more
  /// entities, from a merged model. Of several matching versions, the one with the most entities is returned; among
  /// equals, the current version, or else the first by name.
  ///
  /// - Parameter entityHashes: The store's version hashes by entity name.
  /// - Returns: The version's name; `nil` if none matches.
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

  /// The versions that have a file, with their recorded hashes or, where none are recorded, those computed from the
  /// model.
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

  /// Each version's checksum: as recorded, or else computed from the recorded hashes.
  public var checksums: [String: String] {
    Dictionary(
      (versionInfo?.versions ?? []).map { version in
        (version.name, version.checksum ?? VersionHashes.checksum(of: version.entityHashes))
      }, uniquingKeysWith: { first, _ in first })
  }
}
