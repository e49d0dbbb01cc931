import Foundation

/// The object IDs that a save affects.
struct ChangedObjectIDs: Sendable {
  var inserted: [NSManagedObjectID]
  var updated: [NSManagedObjectID]
  var deleted: [NSManagedObjectID]
  /// Whether the updated IDs include the owners of to-many relationships whose members' rows were the only ones
  /// written, as in the notifications of a context's save. Persistent history and batch requests name written rows
  /// only.
  private(set) var namesOwners = false

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  init(_ notification: Notification) {
    self.init(notification.userInfo ?? [:], coordinator: nil)
    namesOwners = notification.object is NSManagedObjectContext
  }

  init(_ userInfo: [AnyHashable: Any], coordinator: NSPersistentStoreCoordinator?) {
    func ids(_ keys: String...) -> [NSManagedObjectID] {
      keys.compactMap { userInfo[$0] }.flatMap { list -> [NSManagedObjectID] in
        if let objects = list as? Set<NSManagedObject> { return objects.map(\.objectID) }
        let members = (list as? NSSet)?.allObjects ?? list as? [Any] ?? []
        return members.compactMap { member in
          (member as? NSManagedObject)?.objectID ?? member as? NSManagedObjectID
            ?? (member as? URL).flatMap { coordinator?.managedObjectID(forURIRepresentation: $0) }
        }
      }
    }
    inserted = ids(NSInsertedObjectsKey, NSInsertedObjectIDsKey)
    updated = ids(NSUpdatedObjectsKey, NSUpdatedObjectIDsKey)
    deleted = ids(NSDeletedObjectsKey, NSDeletedObjectIDsKey)
  }

  /// The same changes of several saves as identified by a coordinator: IDs from another coordinator's stores are
  /// matched by store UUID. IDs that are in none of its stores are dropped.
  static func known(
    _ saves: [ChangedObjectIDs], to coordinator: NSPersistentStoreCoordinator
  ) -> [ChangedObjectIDs] {
    let own = Set(coordinator.persistentStores.map { ObjectIdentifier($0.reference) })
    func known(_ ids: [NSManagedObjectID]) -> [NSManagedObjectID] {
      func isKnown(_ id: NSManagedObjectID) -> Bool {
        id.storeReference.map { own.contains(ObjectIdentifier($0)) } ?? true
      }
      if ids.allSatisfy(isKnown) { return ids }
      return ids.compactMap {
        isKnown($0) ? $0 : coordinator.managedObjectID(forURIRepresentation: $0.uriRepresentation())
      }
    }
    return saves.map { save in
      var changes = save
      changes.inserted = known(save.inserted)
      changes.updated = known(save.updated)
      changes.deleted = known(save.deleted)
      return changes
    }
  }
}
