import Foundation

extension NSManagedObjectModel {
  /// The version hashes of the model's entities by name, as recorded in a store's metadata.
  ///
  /// Entities in a cyclic hierarchy are omitted; ``versionHashes()`` throws for them.
  public final var entityVersionHashesByName: [String: Data] { entityVersionHashes(knowing: [:]) }

  /// The version hashes of the model's entities by name.
  ///
  /// - Parameter known: hashes that are known already: of entities that, with all they inherit, are those of another
  ///   model.
  package final func entityVersionHashes(knowing known: [String: Data]) -> [String: Data] {
    var hasher = EntityHasher()
    var hashes: [String: Data] = [:]
    hashes.reserveCapacity(storedEntities.count)
    for (name, entity) in entitiesByName {
      hashes[name] = known[name] ?? (try? hasher.digest(of: entity)).map { Data($0.bytes) }
    }
    return hashes
  }

  /// The version hashes that the bundle's `VersionInfo.plist` records for the model's entities, as long as nothing was
  /// changed since it was loaded; nil if none are known.
  ///
  /// They save the time of computing them at every start. Nothing proves that they are the model's: whoever relies on
  /// them for more than a first look compares them with ``entityVersionHashesByName`` later.
  package final var recordedVersionHashes: [String: Data]? {
    guard let recording, isFrozen || recording.isCurrent else { return nil }
    return recording.hashes
  }

  /// Remembers the hashes of a bundle's version information, if they are of these entities.
  final func record(_ hashes: [String: Data]) {
    guard hashes.count == storedEntities.count,
      storedEntities.allSatisfy({ hashes[$0.storedName ?? ""] != nil })
    else { return }
    recording = HashRecording(hashes: hashes)
  }

  /// Returns the version hashes of the model's entities by name. A MomKit addition for untrusted models.
  ///
  /// - Throws: ``ModelError`` when the hierarchy is cyclic, or too large to be hashed.
  public final func versionHashes() throws -> [String: Data] {
    var hasher = EntityHasher()
    return try entitiesByName.mapValues { Data(try hasher.digest(of: $0).bytes) }
  }

  /// The model's checksum, by which VersionInfo.plist and staged migration identify a version. It consists of 44 base64
  /// characters.
  public final var versionChecksum: String {
    VersionHashes.checksum(of: entityVersionHashesByName)
  }

  /// The digest that a store's metadata records as `NSStoreModelVersionHashesDigest`: 88 base64 characters. A MomKit
  /// addition.
  public final var versionHashesDigest: String {
    VersionHashes.digest(of: entityVersionHashesByName)
  }

  /// Whether a store's metadata is compatible with a configuration of the model, that is, whether the recorded hashes
  /// are those of the configuration's entities.
  ///
  /// A store records all entities of the model it was created with, even if it has a configuration. Therefore other
  /// entities of the model may be recorded in addition to those of a named configuration.
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

/// Version hashes that were recorded for a model, and when it was loaded.
struct HashRecording {
  let hashes: [String: Data]
  private let time = SettingGeneration.now

  init(hashes: [String: Data]) { self.hashes = hashes }

  /// Whether no setting of any model was changed since.
  var isCurrent: Bool { time == SettingGeneration.now }
}
