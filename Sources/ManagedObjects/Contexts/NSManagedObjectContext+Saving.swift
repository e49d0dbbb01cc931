import Foundation
import ManagedModel

/// Saving.
extension NSManagedObjectContext {
  /// Saves every unsaved change, in one transaction, or none of them.
  ///
  /// The parent takes the changes in; with a parent context they reach the store when that one is
  /// saved.
  ///
  /// - Throws: the validation errors of the objects (``NSValidationMultipleErrorsError`` for more
  ///   than one); ``NSManagedObjectMergeError`` and ``NSManagedObjectConstraintMergeError`` for
  ///   conflicts that the merge policy doesn't resolve; what the store throws. After an error the
  ///   context is as it was.
  public final func save() throws {
    guard hasChanges || guardedObjects.isEmpty == false else { return }
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    try prepareToSave()
    try validate()
    // A child's new objects stay temporary until the store has them.
    if parent == nil { try obtainPermanentIDs(for: pendingInserted) }
    try writeResolvingConflicts()
    let saved = commit()
    for object in saved.all { object.didSave() }
    post(saved)
    sweep()
  }

  private final var guardedObjects: [NSManagedObject] {
    guarded.filter { $0.context === self && $0.state.contains(.guarded) && !$0.hasChanges }
  }

  /// Lets objects and deletions settle: `willSave` may change objects, which changes others.
  private final func prepareToSave() throws {
    for _ in 0..<1000 {
      processPendingChanges()
      if !propagatesDeletesAtEndOfEvent { propagateDeletions() }
      processPendingChanges()
      let objects = pendingInserted + pendingUpdated + pendingDeleted
      for object in objects where object.context === self { object.willSave() }
      propagateDeletions()
      if event.isEmpty { return }
    }
    preconditionFailure(
      "-[NSManagedObjectContext save:]: Failed to process pending changes before save.  The "
        + "context is still dirty after 1000 attempts.  Typically this recursive dirtying is "
        + "caused by a bad validation method, -willSave, or notification handler.")
  }

  private final func validate() throws {
    var errors: [any Error] = []
    func collect(_ check: () throws -> Void) {
      do { try check() } catch { errors.append(error) }
    }
    for object in pendingInserted { collect(object.validateForInsert) }
    for object in pendingUpdated { collect(object.validateForUpdate) }
    for object in pendingDeleted { collect(object.validateForDelete) }
    if let error = CoreDataError.combined(errors) { throw error }
  }

  /// Gives objects that were never saved their lasting identities now.
  public final func obtainPermanentIDs(for objects: [NSManagedObject]) throws {
    let temporary = objects.filter { $0.identity.isTemporaryID && $0.context === self }
    guard !temporary.isEmpty else { return }
    for (object, identity) in zip(temporary, try source.obtainPermanentIDs(for: temporary)) {
      let old = object.identity
      object.identity = identity
      identityMap[old] = nil
      identityMap[identity] = object
      replacedIdentities[old] = identity
      if isParent { aliases[old] = identity }
    }
    resolveReferences()
  }

  /// Replaces references to temporary identities that have become lasting ones.
  private final func resolveReferences() {
    guard !replacedIdentities.isEmpty else { return }
    for object in pendingInserted + pendingUpdated {
      for property in object.layout.values where property.kind == .toOne {
        guard case .reference(let id) = object.values[property.slot], id.isTemporaryID,
          let lasting = replacedIdentities[id]
        else { continue }
        object.values[property.slot] = .reference(lasting)
      }
    }
    replacedIdentities.removeAll()
  }

  // MARK: Writing

  private final func changes() -> StoreChanges {
    StoreChanges(
      inserted: pendingInserted, updated: pendingUpdated, deleted: pendingDeleted,
      guarded: guardedObjects, contextName: name, author: transactionAuthor)
  }

  private final func writeResolvingConflicts() throws {
    // Resolving may meet other writers again; a bound keeps two programs from waltzing for ever.
    for attempt in 0..<16 {
      do {
        return try source.save(changes())
      } catch let conflicts as SaveConflicts where attempt < 15 {
        try resolve(conflicts)
      }
    }
  }

  private struct Saved {
    var inserted: [NSManagedObject]
    var updated: [NSManagedObject]
    var deleted: [NSManagedObject]

    var all: [NSManagedObject] { inserted + updated + deleted }
  }

  /// What was saved is now what the store has.
  private final func commit() -> Saved {
    let saved = Saved(
      inserted: pendingInserted, updated: pendingUpdated, deleted: pendingDeleted)
    for object in saved.inserted + saved.updated {
      object.state.subtract([.inserted, .updated])
      object.committed = object.values
      for members in object.toManys { members?.commit() }
    }
    for object in guarded { object.state.remove(.guarded) }
    (inserted, updated, deleted, guarded) = ([], [], [], [])
    for object in saved.deleted { forget(object) }
    return saved
  }

  private final func post(_ saved: Saved) {
    var objects: [AnyHashable: Any] = [:]
    objects.add(saved.inserted, NSInsertedObjectsKey)
    objects.add(saved.updated, NSUpdatedObjectsKey)
    objects.add(saved.deleted, NSDeletedObjectsKey)
    let center = NotificationCenter.default
    center.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: objects)
    var ids: [AnyHashable: Any] = [:]
    ids.add(saved.inserted.map(\.objectID), NSInsertedObjectIDsKey)
    ids.add(saved.updated.map(\.objectID), NSUpdatedObjectIDsKey)
    ids.add(saved.deleted.map(\.objectID), NSDeletedObjectIDsKey)
    center.post(name: .NSManagedObjectContextDidSaveObjectIDs, object: self, userInfo: ids)
  }
}
