import Foundation

/// Other writers' changes.
extension NSManagedObjectContext {
  /// Whether saves of the parent, or of other contexts of the coordinator, are taken in by
  /// themselves. False in a new context.
  public final var automaticallyMergesChangesFromParent: Bool {
    get { mergesFromParent }
    set {
      mergesFromParent = newValue
      if let mergeObserver { NotificationCenter.default.removeObserver(mergeObserver) }
      mergeObserver = nil
      guard newValue else { return }
      mergeObserver = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
      ) { [weak self] notification in
        guard let self, let saved = notification.object as? NSManagedObjectContext,
          saved !== self, saved.savesReach(self)
        else { return }
        let changes = SavedChanges(notification)
        perform { [self] in merge(changes) }
      }
    }
  }

  private final func savesReach(_ other: NSManagedObjectContext) -> Bool {
    if let parent = other.parent { return parent === self }
    return parent == nil && persistentStoreCoordinator === other.persistentStoreCoordinator
  }

  /// Takes the changes of another context's save in.
  public final func mergeChanges(fromContextDidSave notification: Notification) {
    merge(SavedChanges(notification))
  }

  /// Takes changes made elsewhere into several contexts.
  ///
  /// - Parameter changeNotificationData: lists of identities or their URLs under
  ///   ``NSInsertedObjectsKey``, ``NSUpdatedObjectsKey`` and ``NSDeletedObjectsKey``.
  public static func mergeChanges(
    fromRemoteContextSave changeNotificationData: [AnyHashable: Any],
    into contexts: [NSManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait {
        context.merge(
          SavedChanges(changeNotificationData, coordinator: context.persistentStoreCoordinator))
      }
    }
  }

  private final func merge(_ changes: SavedChanges) {
    checkQueue()
    advanceGeneration()
    var merged: [AnyHashable: Any] = [:]
    for id in changes.inserted { event.merged.append(object(with: id)) }
    for id in changes.updated {
      if let object = registeredObject(for: id) { refresh(object, mergeChanges: true) }
    }
    for id in changes.deleted {
      if let object = registeredObject(for: id), !object.isDeleted {
        object.state.formUnion([.deleted, .propagated, .inaccessible])
        event.deleted.append(object)
      }
    }
    add(changes.inserted, NSInsertedObjectIDsKey, to: &merged)
    add(changes.updated, NSUpdatedObjectIDsKey, to: &merged)
    add(changes.deleted, NSDeletedObjectIDsKey, to: &merged)
    processPendingChanges()
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: merged)
  }
}

/// The identities a save was about.
private struct SavedChanges: Sendable {
  var inserted: [NSManagedObjectID]
  var updated: [NSManagedObjectID]
  var deleted: [NSManagedObjectID]

  init(_ notification: Notification) {
    self.init(notification.userInfo ?? [:], coordinator: nil)
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
}
