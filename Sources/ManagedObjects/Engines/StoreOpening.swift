import DataModels
import Foundation

/// The parameters for opening a store.
@_spi(Engines) public struct StoreOpening {
  /// The store's URL; nil only for an in-memory store.
  public let url: URL?
  /// The whole model; rows use its layouts.
  public let model: NSManagedObjectModel
  /// The layouts of the model's entities.
  public let layouts: ModelLayout
  /// The configuration's name; nil for all entities.
  public let configuration: String?
  /// The names of the configuration's entities; nil for all.
  public let entityNames: Set<String>?
  /// The options, by name.
  public let options: [AnyHashable: Any]?
  /// The existing reference of the store, if this is the same store at another location.
  public var reference: StoreReference?

  /// The version hashes of the entities that the store holds.
  public var versionHashes: [String: Data] {
    model.entityVersionHashesByName.filter { entityNames?.contains($0.key) ?? true }
  }

  /// The model's version identifiers, as recorded in metadata.
  public var versionIdentifiers: [String] { model.versionIdentifiers.map { "\($0)" }.sorted() }

  /// Rejects entities with derived attributes, which only SQLite computes: Core Data's other stores reject them too.
  public func refuseDerivedAttributes(_ type: String) throws {
    for entity in model.entities where entityNames?.contains(entity.name ?? "") ?? true {
      guard let derived = entity.properties.first(where: { $0 is NSDerivedAttributeDescription })
      else { continue }
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "A store of the type '\(type)' can't have derived attributes, such as "
          + "'\(entity.name ?? "").\(derived.name)'; use a SQLite store, at /dev/null for one in memory."
      )
    }
  }

  /// Rejects attributes without a type in a new store: they are meant to be transient, and no store could read back what
  /// it would write for them.
  func refuseUndefinedAttributes() throws {
    for entity in model.entities where entityNames?.contains(entity.name ?? "") ?? true {
      let attribute = entity.attributesByName.values.filter {
        $0.attributeType == .undefinedAttributeType && !$0.isTransient
      }.min { $0.name < $1.name }
      guard let attribute else { continue }
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "The attribute '\(entity.name ?? "").\(attribute.name)' has no type: only transient attributes "
          + "may have none.")
    }
  }

  /// Whether a store has the hashes that are recorded beside the model's file, so that they needn't be computed before
  /// the store is written to.
  func isPresumablyCompatible(with metadata: [String: Any]) -> Bool {
    guard let recorded = model.recordedVersionHashes else { return false }
    return metadata[StoreMetadataKeys.hashes] as? [String: Data] == recorded
  }

  /// Checks that a store has the model's version.
  ///
  /// - Parameter metadata: the store's metadata.
  /// - Throws: ``NSPersistentStoreIncompatibleVersionHashError``, which names the entities that differ.
  public func checkVersion(of metadata: [String: Any], at url: URL) throws {
    let stored = metadata[StoreMetadataKeys.hashes] as? [String: Any] ?? [:]
    let wanted = versionHashes
    let differing = wanted.filter { stored[$0.key] as? Data != $0.value }.keys.sorted()
    guard !differing.isEmpty || (entityNames == nil && stored.count != wanted.count) else { return }
    throw CoreDataError.make(
      NSPersistentStoreIncompatibleVersionHashError,
      "The model used to open the store is incompatible with the one used to create the store.",
      userInfo: [
        NSFilePathErrorKey: url.path, "metadata": metadata,
        "reason": differing.isEmpty
          ? "the store has entities that the model doesn't have"
          : "the version hashes differ of: \(differing.joined(separator: ", "))",
      ])
  }
}

@_spi(Engines) extension StoreOpening {
  /// The parameters for opening a store without a coordinator, with the entities of the whole model.
  ///
  /// - Parameter entityNames: the names of the store's entities; nil for all.
  public init(
    url: URL?, model: NSManagedObjectModel, entityNames: Set<String>? = nil,
    options: [AnyHashable: Any]? = nil
  ) {
    self.init(
      url: url, model: model, layouts: ModelLayout.of(model), configuration: nil,
      entityNames: entityNames, options: options, reference: nil)
  }
}
