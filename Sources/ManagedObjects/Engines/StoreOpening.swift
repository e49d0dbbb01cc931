import DataModels
import Foundation

/// What a store is opened with.
@_spi(Engines) public struct StoreOpening {
  /// Where it is; nil only for a store in memory.
  public let url: URL?
  /// The whole model, whose layouts the rows have.
  public let model: NSManagedObjectModel
  /// The layouts of the model's entities.
  public let layouts: ModelLayout
  /// The configuration's name; nil for all entities.
  public let configuration: String?
  /// The names of the configuration's entities; nil for all.
  public let entityNames: Set<String>?
  /// The options, by name.
  public let options: [AnyHashable: Any]?
  /// The store as identities know it already, if this is the same store at another place.
  public var reference: StoreReference?

  /// The version hashes of the entities that the store holds.
  public var versionHashes: [String: Data] {
    model.entityVersionHashesByName.filter { entityNames?.contains($0.key) ?? true }
  }

  /// The model's version identifiers, as metadata have them.
  public var versionIdentifiers: [String] { model.versionIdentifiers.map { "\($0)" }.sorted() }

  /// Refuses entities with derived attributes, which only SQLite computes: Core Data doesn't take them into
  /// other stores of its own either.
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
}
