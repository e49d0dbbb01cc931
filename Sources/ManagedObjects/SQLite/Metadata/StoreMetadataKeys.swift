/// The metadata's keys that belong to the store, not to the program.
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
}
