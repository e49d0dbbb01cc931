import Foundation

/// The stores of new objects.
extension NSPersistentStoreCoordinator {
  /// The store that a new object goes to.
  ///
  /// - Throws: an error if there is none that takes it.
  final func storeForInsertion(of object: NSManagedObject) throws -> NSPersistentStore {
    // No fetch would find the row of an object of another model's entity, even of an equal one.
    guard modelLayout[object.layout.entity]?.entity === object.layout.entity else {
      throw CoreDataError.make(
        NSPersistentStoreIncompatibleSchemaError,
        "The entity '\(object.layout.name)' of an object isn't of the coordinator's model, but of another one, or of "
          + "another instance of the same: make objects with the entities of their context's model.",
        userInfo: [NSAffectedObjectsErrorKey: [object]])
    }
    if let assigned = object.scratch?.assignedStore {
      // A store that was moved since has been replaced by another one with the same reference.
      guard let store = persistentStores.first(where: { $0.reference === assigned.reference })
      else {
        throw CoreDataError.make(
          NSPersistentStoreSaveError,
          "The store that an object was assigned to isn't one of the coordinator's.",
          userInfo: [NSAffectedObjectsErrorKey: [object], NSAffectedStoresErrorKey: [assigned]])
      }
      return store
    }
    guard let store = usualStore(for: object.layout) else {
      throw CoreDataError.noStore(
        for: object.layout.name, among: persistentStores.filter { $0.holds(object.layout) })
    }
    return store
  }

  /// The store to which new objects of an entity are assigned.
  final func usualStore(for layout: EntityLayout) -> NSPersistentStore? {
    persistentStores.first { !$0.isReadOnly && $0.holds(layout) }
  }
}
