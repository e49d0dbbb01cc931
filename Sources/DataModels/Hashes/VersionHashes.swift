import Foundation

/// Values that sum up the version hashes of a whole model, from a dictionary of entity names and
/// hashes such as VersionInfo.plist and store metadata hold.
public enum VersionHashes {
  /// The model's checksum: base64 of the SHA-256 over the hashes in the order of the names.
  ///
  /// VersionInfo.plist (since Xcode 15) and staged migration name versions by it.
  public static func checksum(of hashes: [String: Data]) -> String {
    var input = SHA256()
    for (_, hash) in sorted(hashes) { input.update(hash) }
    return Data(input.finalize().bytes).base64EncodedString()
  }

  /// The digest in a store's metadata, `NSStoreModelVersionHashesDigest`: base64 of the SHA-512 over
  /// names and hashes in the order of the names.
  public static func digest(of hashes: [String: Data]) -> String {
    var input = SHA512()
    for (name, hash) in sorted(hashes) {
      input.update(name.utf8.prefix { $0 != 0 })
      input.update(hash)
    }
    return Data(input.finalize().bytes).base64EncodedString()
  }

  /// The SHA-256 of bytes, in base64: what names a text that mustn't change.
  package static func contentDigest(of bytes: [UInt8]) -> String {
    Data(SHA256.hash(bytes).bytes).base64EncodedString()
  }

  private static func sorted(_ hashes: [String: Data]) -> [(String, Data)] {
    hashes.map { ($0.key, $0.value) }.sorted { NameOrder.precedes($0.0, $1.0) }
  }
}

extension NSPropertyDescription {
  /// The hash of those settings of the property that change the layout of a store: 32 bytes.
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
  /// The hash of what makes up the entity's rows in a store: 32 bytes.
  ///
  /// Two versions of an entity with the same hash need no migration. The name, the properties
  /// (inherited ones too), the superentity, the hash modifier and the uniqueness constraints are
  /// part of it; the class, user info, indexes and renaming identifier are not.
  ///
  /// Empty when the hierarchy is a circle, which ``NSManagedObjectModel/validate()`` reports.
  public final var versionHash: Data {
    guard isFrozen else { return computedVersionHash }
    return table(\.versionHash) { computedVersionHash }
  }

  private var computedVersionHash: Data {
    var hasher = EntityHasher()
    return (try? hasher.digest(of: self)).map { Data($0.bytes) } ?? Data()
  }
}
