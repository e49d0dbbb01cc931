import Foundation

/// Values that summarize the version hashes of a whole model, computed from a dictionary of entity names and hashes as
/// found in VersionInfo.plist and store metadata.
///
/// ```swift
/// let hashes = model.entityVersionHashesByName
/// print(VersionHashes.checksum(of: hashes))  // equal to model.versionChecksum
/// print(VersionHashes.digest(of: hashes))
/// ```
public enum VersionHashes {
  /// The model's checksum: the base64-encoded SHA-256 of the hashes, sorted by entity name.
  ///
  /// VersionInfo.plist (since Xcode 15) and staged migration use it to identify versions.
  public static func checksum(of hashes: [String: Data]) -> String {
    var input = SHA256()
    for (_, hash) in sorted(hashes) { input.update(hash) }
    return Data(input.finalize().bytes).base64EncodedString()
  }

  /// The digest in a store's metadata, `NSStoreModelVersionHashesDigest`: the base64-encoded SHA-512 of names and
  /// hashes, sorted by entity name.
  public static func digest(of hashes: [String: Data]) -> String {
    var input = SHA512()
    for (name, hash) in sorted(hashes) {
      input.update(name.utf8.prefix { $0 != 0 })
      input.update(hash)
    }
    return Data(input.finalize().bytes).base64EncodedString()
  }

  /// The base64-encoded SHA-256 of bytes, used to detect changes to a text.
  package static func contentDigest(of bytes: [UInt8]) -> String {
    Data(SHA256.hash(bytes).bytes).base64EncodedString()
  }

  private static func sorted(_ hashes: [String: Data]) -> [(String, Data)] {
    hashes.map { ($0.key, $0.value) }.sorted { NameOrder.precedes($0.0, $1.0) }
  }
}

extension NSPropertyDescription {
  /// The hash of the settings of the property that change the layout of a store: 32 bytes.
  public final var versionHash: Data {
    guard self is NSRelationshipDescription, let owner else {
      return Data(PropertyHash.digest(of: self).bytes)
    }
    let topmost = owner.ancestry.dropFirst().reversed().lazy.compactMap { entity in
      entity.ownPropertyList.first { $0.storedName == self.storedName }
    }.first
    return Data(PropertyHash.digest(of: self, topmost: topmost).bytes)
  }
}

extension NSEntityDescription {
  /// The hash of the settings that determine the entity's rows in a store: 32 bytes.
  ///
  /// Two versions of an entity with the same hash need no migration. The hash covers the name, the properties
  /// (including inherited ones), the superentity, the hash modifier and the uniqueness constraints, but not the class,
  /// user info, indexes and renaming identifier.
  ///
  /// Empty when the hierarchy is cyclic, which ``NSManagedObjectModel/validate()`` reports.
  public final var versionHash: Data {
    guard isFrozen else { return computedVersionHash }
    return table(\.versionHash) { computedVersionHash }
  }

  private var computedVersionHash: Data {
    var hasher = EntityHasher()
    return (try? hasher.digest(of: self)).map { Data($0.bytes) } ?? Data()
  }
}
