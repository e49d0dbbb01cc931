import Foundation

/// Merging changes that other contexts saved.
extension NSManagedObjectContext {
  /// The implementation of ``automaticallyMergesChangesFromParent``.
  final func mergeAutomatically(_ flag: Bool) {
    mergesFromParent = flag
    if let mergeObserver { NotificationCenter.default.removeObserver(mergeObserver) }
    (mergeObserver, arrivingSaves) = (nil, nil)
    guard flag else { return }
    let arriving = ArrivingSaves()
    arrivingSaves = arriving
    mergeObserver = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: nil, queue: nil
    ) { [weak self] notification in
      guard let self, let saved = notification.object as? NSManagedObjectContext,
        saved !== self, saved.savesReach(self)
      else { return }
      let changes = ChangedObjectIDs(notification)
      // Saves without changes are posted too.
      guard !changes.isEmpty, arriving.add(changes) else { return }
      perform { [self] in mergeOneByOne(arriving.takeAll()) }
    }
  }

  /// Drops the saves that wait to be merged if they could change nothing here: the context has no objects, and no
  /// controller follows it.
  final func dropArrivingSaves() {
    guard registeredObjects.isEmpty, followers.allSatisfy({ $0.results == nil }),
      arrivingSaves?.takeAll().isEmpty == false
    else { return }
    advanceGeneration()
  }

  /// Whether the other context merges this one's saves: a child those of its parent and those into its parent, by
  /// other children.
  private final func savesReach(_ other: NSManagedObjectContext) -> Bool {
    if let theirs = other.parent { return theirs === self || theirs === parent }
    return parent == nil && persistentStoreCoordinator === other.persistentStoreCoordinator
  }

  /// The implementation of ``mergeChanges(fromContextDidSave:)``.
  final func merge(_ notification: Notification) {
    merge([ChangedObjectIDs(notification)])
  }

  /// The implementation of ``mergeChanges(fromRemoteContextSave:into:)``.
  static func merge(
    remote changeNotificationData: [AnyHashable: Any], into contexts: [NSManagedObjectContext]
  ) {
    for context in contexts {
      context.performAndWait {
        context.merge([
          ChangedObjectIDs(changeNotificationData, coordinator: context.persistentStoreCoordinator)
        ])
      }
    }
  }

  /// Merges saves one after the other.
  private final func merge(_ saves: [ChangedObjectIDs]) {
    checkQueue()
    for changes in known(saves) { merge(changes) }
  }

  /// Merges saves as if each had been merged in a block of its own: an object that one has inserted and that nobody has
  /// kept is unknown again when a later one deletes it.
  private final func mergeOneByOne(_ saves: [ChangedObjectIDs]) {
    checkQueue()
    var hasInsertions = false
    for changes in known(saves) {
      if hasInsertions, !changes.deleted.isEmpty {
        sweep()
        hasInsertions = false
      }
      merge(changes)
      if !changes.inserted.isEmpty { hasInsertions = true }
    }
  }

  private final func known(_ saves: [ChangedObjectIDs]) -> [ChangedObjectIDs] {
    persistentStoreCoordinator.map { ChangedObjectIDs.known(saves, to: $0) } ?? saves
  }

  private final func merge(_ changes: ChangedObjectIDs) {
    // Local changes up to this point can be undone; changes by other writers can't.
    if remembersChanges { settleAnswers() }
    isMerging = true
    defer { isMerging = false }
    adoptPermanentIDs()
    advanceGeneration()
    // A failed read isn't reported to the program, which didn't ask for the object: an object that isn't refreshed
    // causes a conflict when it is saved.
    let refreshedBefore = event.refreshed.count
    _ = collectingReadErrors { takeIn(changes) }
    if !mergedDeletions.isEmpty, noticesTurns { noticeTurn() }
    let refreshed = event.refreshed.dropFirst(refreshedBefore)
    var merged: [AnyHashable: Any] = [:]
    add(changes.inserted, NSInsertedObjectIDsKey, to: &merged)
    add(changes.updated, NSUpdatedObjectIDsKey, to: &merged)
    add(changes.deleted, NSDeletedObjectIDsKey, to: &merged)
    addIdentities(of: Array(refreshed), NSRefreshedObjectIDsKey, to: &merged)
    processPendingChanges()
    isMerging = false
    NotificationCenter.default.post(
      name: .NSManagedObjectContextDidMergeChangesObjectIDs, object: self, userInfo: merged)
  }

  private final func takeIn(_ changes: ChangedObjectIDs) {
    let owners = unnamedOwners(of: changes) + formerOwners(by: changes)
    let absent = withoutRow(among: changes.inserted + changes.updated)
    for id in changes.inserted where !absent.contains(id) {
      let object = knownOrFault(id)
      // An object that was saved through a parent, or deleted and inserted again.
      takeIn(update: object)
      event.merged.append(object)
    }
    event.refreshed += followed(among: changes.updated)
    let updated = changes.updated.filter { !absent.contains($0) }.compactMap { registered($0) }
    for object in inOrder(updated) { takeIn(update: object) }
    for owner in owners { takeIn(update: owner) }
    let gone = changes.deleted.compactMap { registered($0) }
    let back = thereAgain(among: gone)
    for object in gone where back.contains(ObjectIdentifier(object)) && !object.awaitsDeletion {
      takeIn(update: object)
    }
    mergedDeletions += exclude(
      deletedWithDependents: gone.filter { !back.contains(ObjectIdentifier($0)) },
      changes.deleted.filter { registered($0) == nil })
  }

  /// The objects in the order in which they are refreshed. Notifications name them in none, and for what has changes here it
  /// matters: that an owner has got a member is no change any more once the member's row says so, too.
  final func inOrder(_ objects: [NSManagedObject]) -> [NSManagedObject] {
    let changed = objects.filter(\.hasChanges)
    guard changed.count > 1 else { return objects }
    func place(_ object: NSManagedObject) -> (Int, String, Int64) {
      let hasMembers = object.toManys.contains { $0?.hasChanges == true }
      return (hasMembers ? 1 : 0, object.layout.name, object.rowKey)
    }
    return objects.filter { !$0.hasChanges } + changed.sorted { place($0) < place($1) }
  }

  /// The identities of objects known to be without a row that still are. A merged save may be older than the deletion.
  private final func withoutRow(among ids: [NSManagedObjectID]) -> Set<NSManagedObjectID> {
    guard saveDoubts.contains(.vanishedObjects) else { return [] }
    let gone = ids.compactMap { registered($0) }.filter { $0.state.contains(.inaccessible) }
    let back = rowsExist(of: gone)
    return Set(gone.lazy.filter { !back.contains(ObjectIdentifier($0)) }.map(\.identity))
  }

  final func takeIn(update object: NSManagedObject) {
    if object.state.contains(.inaccessible) {
      revive(object)
    } else if !object.isFault || object.state.contains(.rowAtHand) || object.hasTouchedToManys {
      refresh(object, mergeChanges: true)
    }
  }
}
