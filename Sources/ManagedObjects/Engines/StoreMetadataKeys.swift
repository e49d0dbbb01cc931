import Foundation

/// The metadata keys that belong to a store of any type rather than to the program.
enum StoreMetadataKeys {
  static let type = "NSStoreType"
  static let uuid = "NSStoreUUID"
  static let hashes = "NSStoreModelVersionHashes"
  static let hashesVersion = "NSStoreModelVersionHashesVersion"
  static let identifiers = "NSStoreModelVersionIdentifiers"
  static let digest = "NSStoreModelVersionHashesDigest"
  static let checksum = "NSStoreModelVersionChecksumKey"
  static let frameworkVersion = "NSPersistenceFrameworkVersion"
  static let maximumFrameworkVersion = "NSPersistenceMaximumFrameworkVersion"
  static let autoVacuumLevel = "_NSAutoVacuumLevel"

  /// All of them.
  static let own = [
    type, uuid, hashes, hashesVersion, identifiers, digest, checksum, frameworkVersion,
    maximumFrameworkVersion, autoVacuumLevel,
  ]

  /// The keys that record a store's model version.
  static let modelVersion = [hashes, identifiers, digest, checksum]

  /// A program's new metadata, together with the store's own entries of the current metadata.
  static func keepingOwn(
    of present: [String: Any], in metadata: [String: Any]
  ) -> [String: Any] {
    let own = Set(own)
    return metadata.filter { !own.contains($0.key) }
      .merging(present.filter { own.contains($0.key) }) { _, kept in kept }
  }

  /// The version hashes in metadata; empty if there are none.
  static func versionHashes(in metadata: [String: Any]) -> [String: Data] {
    (metadata[hashes] as? [String: Any] ?? [:]).compactMapValues { $0 as? Data }
  }

  /// The framework version that metadata records; the current one if none is recorded.
  static func framework(in metadata: [String: Any]) -> FrameworkVersion {
    FrameworkVersion(recorded: metadata[frameworkVersion] as? Int)
  }
}
