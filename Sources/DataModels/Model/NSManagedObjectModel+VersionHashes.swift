import Foundation

extension NSManagedObjectModel {
  /// The version hashes of the model's entities by name: what a store's metadata records.
  ///
  /// Entities whose hierarchy is a circle are left out; ``versionHashes()`` throws for them.
  public final var entityVersionHashesByName: [String: Data] {
    var hasher = EntityHasher()
    return entitiesByName.compactMapValues { entity in
      (try? hasher.digest(of: entity)).map { Data($0.bytes) }
    }
  }

  /// The version hashes of the model's entities by name. MomKit's own addition: the form for models
  /// from outside.
  ///
  /// - Throws: ``ModelError`` when the hierarchy is a circle, or too large to be hashed.
  public final func versionHashes() throws -> [String: Data] {
    var hasher = EntityHasher()
    return try entitiesByName.mapValues { Data(try hasher.digest(of: $0).bytes) }
  }

  /// The model's checksum: what VersionInfo.plist and staged migration name a version by. 44
  /// characters of base64.
  public final var versionChecksum: String {
    VersionHashes.checksum(of: entityVersionHashesByName)
  }

  /// The digest that a store's metadata records as `NSStoreModelVersionHashesDigest`: 88 characters
  /// of base64. MomKit's own addition.
  public final var versionHashesDigest: String {
    VersionHashes.digest(of: entityVersionHashesByName)
  }

  /// Whether a store with this metadata fits a configuration of the model: whether the hashes it
  /// recorded are those of the configuration's entities.
  ///
  /// A store lists every entity of the model it was made with, also when it has a configuration; so
  /// for a named configuration other entities of the model may be listed too.
  ///
  /// - Parameters:
  ///   - configuration: A configuration's name; `nil` for all entities.
  ///   - metadata: The store's metadata, with the key `NSStoreModelVersionHashes`.
  public final func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    guard let members = entities(forConfigurationName: configuration),
      let recorded = metadata["NSStoreModelVersionHashes"] as? [String: Data]
    else { return false }
    let style = (metadata["NSStoreModelVersionHashesVersion"] as? NSNumber)?.intValue ?? 3
    guard style <= 3 else { return false }
    let names = members.compactMap(\.name)
    let mayListOthers =
      members.count < storedEntities.count && recorded.keys.allSatisfy { entity(named: $0) != nil }
    guard recorded.count == names.count || mayListOthers else { return false }
    let hashes = entityVersionHashesByName
    return names.allSatisfy { name in
      guard let hash = recorded[name] else { return false }
      return style < 3 || hash == hashes[name]
    }
  }
}
