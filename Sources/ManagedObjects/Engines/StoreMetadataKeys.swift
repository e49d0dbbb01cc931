import Foundation

/// The metadata's keys that belong to a store, of whatever type, not to the program.
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

  /// Those that tell which version of a model a store is of.
  static let modelVersion = [hashes, identifiers, digest, checksum]

  /// A program's new metadata, with those of the present ones that are the store's own.
  static func keepingOwn(
    of present: [String: Any], in metadata: [String: Any]
  ) -> [String: Any] {
    let own = Set(own)
    return metadata.filter { !own.contains($0.key) }
      .merging(present.filter { own.contains($0.key) }) { _, kept in kept }
  }

  /// The version hashes in metadata; none where they record none.
  static func versionHashes(in metadata: [String: Any]) -> [String: Data] {
    (metadata[hashes] as? [String: Any] ?? [:]).compactMapValues { $0 as? Data }
  }

  /// The version of the framework that metadata record; today's where they record none.
  static func framework(in metadata: [String: Any]) -> FrameworkVersion {
    FrameworkVersion(recorded: metadata[frameworkVersion] as? Int)
  }
}
