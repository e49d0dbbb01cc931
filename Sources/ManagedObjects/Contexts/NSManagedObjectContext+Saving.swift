import DataModels
import Foundation

/// Saving.
extension NSManagedObjectContext {
  /// What ``save()`` does.
  final func saveChanges() throws {
    checkQueue()
    guard !isSaving, !isProcessingChanges else { throw CoreDataError.recursiveSave() }
    mergedDeletions = []
    // What was deleted before it was ever saved goes at the end of the event, and may take others along.
    if !hasChanges, !event.isEmpty { processPendingChanges() }
    let hadNothing = hasNothingToSave
    // Whoever answers the notification of a save by a save would be answered for ever.
    if hadNothing, savingSets != nil { return try writeBesideObjects() }
    // A deletion that waits for what couldn't be read is tried again before it is thrown.
    if !hadNothing, let faultingError { throw thrownOnce(faultingError) }
    let outerSets = savingSets
    savingSets = NotificationSets()
    isSaving = true
    defer { (savingSets, isSaving) = (outerSets, false) }
    NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    if hadNothing {
      // Whoever heard of it may have made changes.
      if hasNothingToSave { return try saveWithoutChanges() }
      if let faultingError { throw thrownOnce(faultingError) }
    }
    try prepareToSave()
    var pending = pendingChanges()
    try validate(pending)
    // Validation may mend values.
    if !event.isEmpty { pending = try changesAfterValidation(of: pending) }
    // A child's new objects stay temporary until the store has them.
    if parent == nil { try giveLastingIdentities(pending) }
    var written: SavedObjects?
    var failure: (any Error)?
    do {
      try writeResolvingConflicts(pending) {
        commit($0.changes, isWhole: $0.isWhole)
        written = $0
      }
    } catch {
      failure = error
    }
    isSaving = false
    // Some stores may have been saved before another failed.
    if let written { postNotifications(of: written) }
    if let failure { throw failure }
  }

  /// Has everybody hear of what is written and committed.
  private final func postNotifications(of written: SavedObjects) {
    advanceGeneration()
    for list in [written.changes.inserted, written.changes.updated, written.changes.deleted] {
      list.visit { $0.didSave() }
    }
    post(written)
    sweep()
  }

  private final var hasNothingToSave: Bool { !hasChanges && guardedObjects.isEmpty }

  /// Gives stores what they want written, and tells that nothing was saved.
  private final func saveWithoutChanges() throws {
    try writeBesideObjects()
    isSaving = false
    post(SavedObjects(ChangedObjects(context: self)))
  }

  /// Gives stores what they want written beside objects, such as metadata.
  private final func writeBesideObjects() throws {
    guard parent == nil, let coordinator = persistentStoreCoordinator else { return }
    try StoreSource(coordinator: coordinator).save(ChangedObjects(context: self)) { _ in }
  }

  private final var guardedObjects: [NSManagedObject] {
    guarded.filter { $0.context === self && $0.state.contains(.guarded) && !$0.hasChanges }
  }

  /// Lets objects and deletions settle: `willSave` may change objects, which changes others.
  private final func prepareToSave() throws {
    propagateLateDeletions()
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      if !propagatesDeletesAtEndOfEvent { propagateDeletions() }
      processPendingChanges()
      for list in [pendingInserted, pendingUpdated, pendingDeleted] {
        list.visit { if $0.isOf(self) { $0.willSave() } }
      }
      propagateDeletions()
      if event.isEmpty { return }
    }
    neverSettles()
  }

  /// How often the program's methods and observers may change what is being saved before it is an error of
  /// the program's: as often as Core Data lets them.
  static var mostRounds: Int { 1000 }

  final func neverSettles() -> Never {
    preconditionFailure(
      "-[NSManagedObjectContext save:]: Failed to process pending changes before save.  The "
        + "context is still dirty after \(Self.mostRounds) attempts.  Typically this recursive "
        + "dirtying is caused by a bad validation method, -willSave, or notification handler.")
  }

  /// What there is to save after validation has changed something. What observers have added to it
  /// meanwhile is prepared and validated as all the rest was.
  private final func changesAfterValidation(of before: ChangedObjects) throws -> ChangedObjects {
    var known = Set(before.objects)
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      propagateDeletions()
      processPendingChanges()
      let pending = pendingChanges()
      let newcomers = pending.keeping { known.insert($0).inserted }
      if newcomers.isEmpty {
        try checkReferences(of: pending)
        return pending
      }
      for object in newcomers.objects where object.isOf(self) { object.willSave() }
      try validate(newcomers)
    }
    neverSettles()
  }

  final func validate(_ pending: ChangedObjects) throws {
    let references = ReferenceCheck(pending, in: self)
    var errors = references.dangling
    pending.inserted.visit { do { try $0.validateForInsert() } catch { errors.append(error) } }
    pending.updated.visit { do { try $0.validateForUpdate() } catch { errors.append(error) } }
    pending.deleted.visit { do { try $0.validateForDelete() } catch { errors.append(error) } }
    try throwFailedReadings()
    if let error = CoreDataError.combined(errors) ?? references.external { throw error }
  }

  /// Ends the save where something couldn't be read that it needs: members of what is deleted or validated, for
  /// one. The next save reads it again, unless the program has set something in its place meanwhile.
  private final func throwFailedReadings() throws {
    guard let error = unreadDeletion ?? faultingError else { return }
    throw thrownOnce(error)
  }

  /// Forgets what couldn't be read, as the program is told now. It is thrown again for as long as an object is
  /// changed that couldn't be read: its other values would be lost.
  private final func thrownOnce(_ error: any Error) -> any Error {
    if updated.allSatisfy({ $0.isFault || $0.hasStoredRow }) { faultingError = nil }
    return error
  }

  private final func checkReferences(of pending: ChangedObjects) throws {
    try throwFailedReadings()
    let references = ReferenceCheck(pending, in: self)
    if let error = CoreDataError.combined(references.dangling) ?? references.external {
      throw error
    }
  }

  // MARK: Writing

  /// What there is to save now.
  final func pendingChanges() -> ChangedObjects {
    ChangedObjects(
      inserted: pendingInserted, updated: pendingUpdated, deleted: pendingDeleted,
      guarded: guardedObjects, contextName: name, author: transactionAuthor, context: self)
  }

  /// What was saved is now what the store has.
  ///
  /// - Parameter isWhole: whether that is all there was; if not, the rest stays unsaved.
  private final func commit(_ saved: ChangedObjects, isWhole: Bool) {
    saved.inserted.visit { markSaved($0) }
    saved.updated.visit { markSaved($0) }
    if parent != nil, !saved.inserted.isEmpty { awaitsIdentities = true }
    if isWhole {
      for object in guarded { object.state.remove(.guarded) }
      (inserted, updated, deleted, guarded) = ([], [], [], [])
      mayDangle = false
    } else {
      let gone = Set(saved.deleted.map(ObjectIdentifier.init))
      for object in saved.guarded { object.state.remove(.guarded) }
      inserted = pendingInserted
      updated = pendingUpdated
      deleted.removeAll { gone.contains(ObjectIdentifier($0)) }
      guarded = guardedObjects
    }
    for object in saved.deleted {
      forget(object)
      // Two that led to each other would keep each other. What can be taken back comes with its members.
      if undoManager == nil { for members in object.toManys { members?.forget() } }
    }
  }

  private final func markSaved(_ object: NSManagedObject) {
    object.state.subtract([.inserted, .updated])
    object.commitValues()
    guard let touched = object.touchedMembers else { return }
    for members in touched { members?.commit() }
  }

  private final func post(_ written: SavedObjects) {
    let saved = written.changes
    var objects: [AnyHashable: Any] = [:]
    add(saved.inserted, NSInsertedObjectsKey, to: &objects)
    add(saved.updated, NSUpdatedObjectsKey, to: &objects)
    add(saved.deleted, NSDeletedObjectsKey, to: &objects)
    if let token = queryGenerationToken {
      objects[NSManagedObjectContextQueryGenerationKey] = token
    }
    if let token = written.historyToken { objects[NSManagedObjectContext.changeTokenKey] = token }
    let center = NotificationCenter.default
    center.post(name: .NSManagedObjectContextDidSave, object: self, userInfo: objects)
    guard SavedIdentities.isAwaited.load(ordering: .relaxed) else { return }
    var ids: [AnyHashable: Any] = [:]
    addIdentities(of: saved.inserted, NSInsertedObjectIDsKey, to: &ids)
    addIdentities(of: saved.updated, NSUpdatedObjectIDsKey, to: &ids)
    addIdentities(of: saved.deleted, NSDeletedObjectIDsKey, to: &ids)
    center.post(name: SavedIdentities.name, object: self, userInfo: ids)
  }
}
