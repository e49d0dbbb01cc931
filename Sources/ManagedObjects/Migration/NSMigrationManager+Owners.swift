import DataModels

/// The check that every object has one owner where a new store has room for one.
extension NSMigrationManager {
  /// Checks the destination objects.
  final func checkOwners() throws {
    let stores = destinationContext.persistentStoreCoordinator?.persistentStores ?? []
    guard stores.contains(where: { $0.type == NSSQLiteStoreType }) else { return }
    let mappings: [NSEntityMapping] = mappingModel.entityMappings ?? []
    try Self.checkOwners(
      among: mappings.flatMap { associations.destinations(mapping: $0.name ?? "", of: nil) })
  }

  /// Throws if an object is a member of several others by a to-many relationship without inverse: a SQLite store keeps
  /// the owner in the member's row, so that saving would lose all but one. In-place migration throws the same error.
  ///
  /// - Parameter objects: all objects of the new store.
  static func checkOwners(among objects: [NSManagedObject]) throws {
    var owners: [Place: NSManagedObject] = [:]
    for owner in objects {
      for property in owner.layout.toManys where property.inverse == nil && !property.isTransient {
        for member in owner.loadedMembers(property).objects {
          let place = Place(
            relationship: ObjectIdentifier(property.description), member: ObjectIdentifier(member))
          let first = owners.updateValue(owner, forKey: place)
          guard first == nil || first === owner else {
            throw MigrationError.failed(
              "Cannot migrate store: an object is related to several others by "
                + "\(owner.layout.name).\(property.name), which has room for one",
              entity: owner.layout.name, relationship: property.name)
          }
        }
      }
    }
  }

  /// A member's key of a relationship without inverse.
  private struct Place: Hashable {
    let relationship: ObjectIdentifier
    let member: ObjectIdentifier
  }
}
