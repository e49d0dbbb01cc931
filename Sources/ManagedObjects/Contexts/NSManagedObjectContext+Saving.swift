import DataModels
import Foundation

/// Saving.
extension NSManagedObjectContext {
  /// The implementation of ``save()``.
  final func saveChanges() throws {
    checkQueue()
    guard !isSaving, !isProcessingChanges else { throw CoreDataError.recursiveSave() }
    defer { announceWrites() }
    mergedDeletions = []
    // Unsaved objects that were deleted are dropped when the event ends, which may delete others.
    if !hasChanges {
      if !event.isEmpty { processPendingChanges() }
      if !propagatesDeletesAtEndOfEvent { propagateSavedDeletions() }
    }
    let hadNothing = hasNothingToSave
    // Observers that answer the notification of a save with another save would cause an endless loop.
    if hadNothing, savingSets != nil { return try writeDetachedChanges() }
    // A deletion whose related objects couldn't be read is retried before its error is thrown.
    if !hadNothing, let faultingError { throw thrownOnce(faultingError) }
    let outerSets = savingSets
    savingSets = NotificationSets()
    isSaving = true
    defer { (savingSets, isSaving) = (outerSets, false) }
    if !makesPlainObjects {
      NotificationCenter.default.post(name: .NSManagedObjectContextWillSave, object: self)
    }
    if hadNothing {
      // Observers may have made changes.
      if hasNothingToSave { return try saveWithoutChanges() }
      if let faultingError { throw thrownOnce(faultingError) }
    }
    try prepareToSave()
    var pending = pendingChanges()
    try validate(pending)
    // Validation may correct values.
    if !event.isEmpty { pending = try changesAfterValidation(of: pending) }
    // A child's new objects keep temporary IDs until the store has them.
    if parent == nil {
      try assignPermanentIDs(pending)
      pending.updated.visit { $0.restoreDerivedValues() }
    }
    let comesToNothing = pending.isEmpty
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
    // A save of nothing reads nothing newer either, as one without changes.
    if written != nil, !comesToNothing { advanceGeneration() }
    tellObservers()
    // Some stores may have been saved before another failed.
    if let written {
      postNotifications(of: written)
      // Of the values that the store has derived, observers are told as of those that were read again.
      if !event.refreshed.isEmpty { processPendingChanges() }
    }
    guard let failure else { return }
    // What couldn't be read while conflicts were resolved is told of by this error: the next save tries again.
    if let faultingError, (failure as NSError).code == (faultingError as NSError).code {
      _ = thrownOnce(faultingError)
    }
    throw failure
  }

  /// Tells observers of stores of what was written, except for copies of stores, which are nobody's writes.
  private final func announceWrites() {
    guard !writtenStores.isEmpty else { return }
    let written = writtenStores
    writtenStores = []
    if !makesPlainObjects { for store in written { store.noteWrite() } }
  }

  /// Notifies objects and observers of what was written and committed.
  private final func postNotifications(of written: SavedObjects) {
    written.changes.inserted.visit { tell($0, of: .savedInsertion) }
    written.changes.updated.visit { tell($0, of: .savedUpdate) }
    written.changes.deleted.visit { object in
      // It has left the context, of which the program may ask here for the last time.
      guard object.context == nil else { return tell(object, of: .savedDeletion) }
      let isQuiet = object.state.contains(.quiet)
      object.context = self
      // What it sets now is no change to be saved.
      object.state.insert(.quiet)
      tell(object, of: .savedDeletion)
      if !isQuiet { object.state.remove(.quiet) }
      object.context = nil
      dropDeletion(ofGone: object)
    }
    post(written)
    sweep()
  }

  /// Takes back the deletion of an object that has deleted itself again when it was told that it's deleted.
  private final func dropDeletion(ofGone object: NSManagedObject) {
    guard object.state.contains(.deleted) else { return }
    object.state.subtract([.deleted, .changedInEvent])
    deleted.removeAll { $0 === object }
    event.deleted.removeAll { $0 === object }
    event.changed.removeAll { $0 === object }
  }

  private final func tell(_ object: NSManagedObject, of change: ObjectState) {
    object.state.insert(change)
    object.didSave()
    object.state.remove(change)
  }

  private final var hasNothingToSave: Bool {
    !hasChanges && guardedObjects.isEmpty && unreadDeletion == nil
  }

  /// Lets stores write pending metadata, and posts that nothing was saved.
  private final func saveWithoutChanges() throws {
    try writeDetachedChanges()
    if undoManager == nil { forgetDeparted() }
    isSaving = false
    tellObservers()
    post(SavedObjects(ChangedObjects(context: self)))
  }

  /// Lets stores write what they have to write besides objects, such as metadata.
  private final func writeDetachedChanges() throws {
    guard parent == nil, let coordinator = persistentStoreCoordinator else { return }
    try StoreSource(stores(of: coordinator)).save(ChangedObjects(context: self)) { _ in }
  }

  private final var guardedObjects: [NSManagedObject] {
    guarded.filter { $0.context === self && $0.state.contains(.guarded) && !$0.hasChanges }
  }

  /// Processes changes and deletions until they settle: `willSave` may change objects, which changes others.
  private final func prepareToSave() throws {
    propagateLateDeletions()
    try completeReturning()
    completeDroppedSides()
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      if !propagatesDeletesAtEndOfEvent { propagateSavedDeletions() }
      processPendingChanges()
      for list in [pendingInserted, pendingUpdated, pendingDeleted] {
        list.visit { if $0.isOf(self) { $0.willSave() } }
      }
      propagateDeletions()
      if event.isEmpty { completeStaleSides() }
      if event.isEmpty { return }
    }
    neverSettles()
  }

  /// Propagates deletions where only a save does.
  private final func propagateSavedDeletions() {
    propagateDeletions()
    dropDeletedInsertions()
  }

  /// The number of times that the program's methods and observers may change what is being saved before it counts as
  /// a programmer error; the same as in Core Data.
  static var mostRounds: Int { 1000 }

  final func neverSettles() -> Never {
    preconditionFailure(
      "-[NSManagedObjectContext save:]: Failed to process pending changes before save.  The "
        + "context is still dirty after \(Self.mostRounds) attempts.  Typically this recursive "
        + "dirtying is caused by a bad validation method, -willSave, or notification handler.")
  }

  /// The changes to save after validation has changed something. Objects that observers have changed meanwhile are
  /// prepared and validated like all others; those that others' validation may have changed after their own are validated
  /// once more.
  final func changesAfterValidation(of before: ChangedObjects) throws -> ChangedObjects {
    var known = Set(before.objects)
    var again = Set(event.changed + event.deleted).intersection(known)
    for _ in 0..<Self.mostRounds {
      processPendingChanges()
      propagateDeletions()
      processPendingChanges()
      let pending = pendingChanges()
      let newcomers = pending.keeping { known.insert($0).inserted }
      let others = pending.keeping { again.contains($0) }
      again = []
      if newcomers.isEmpty, others.isEmpty {
        // Observers may have changed something again.
        guard event.isEmpty else { continue }
        try checkReferences(of: pending)
        return pending
      }
      for object in newcomers.objects where object.isOf(self) { object.willSave() }
      try validate(newcomers + others)
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

  /// Aborts the save if something it needs couldn't be read, such as the members of an object being deleted or
  /// validated. The next save reads it again, unless the program has set a new value meanwhile.
  private final func throwFailedReadings() throws {
    guard let error = unreadDeletion ?? faultingError else { return }
    throw thrownOnce(error)
  }

  /// Clears a failed read, which is being reported now. It is thrown again as long as an object that couldn't be read
  /// has changes: its other values would be lost.
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

  /// The changes to save now.
  final func pendingChanges() -> ChangedObjects {
    ChangedObjects(
      inserted: pendingInserted, updated: pendingUpdated, deleted: pendingDeleted,
      guarded: guardedObjects, contextName: name, author: transactionAuthor, context: self)
  }

  /// Marks the saved values as the stored ones.
  ///
  /// - Parameter isWhole: whether everything was saved; if not, the rest stays unsaved.
  private final func commit(_ saved: ChangedObjects, isWhole: Bool) {
    saved.inserted.visit { markSaved($0) }
    saved.updated.visit { markSaved($0) }
    if parent != nil, !saved.inserted.isEmpty { awaitsIdentities = true }
    if isWhole {
      for object in guarded { object.state.remove(.guarded) }
      (inserted, updated, deleted, guarded) = ([], [], [], [])
      saveDoubts.formIntersection(.lasting)
    } else {
      let gone = Set(saved.deleted.map(ObjectIdentifier.init))
      for object in saved.guarded { object.state.remove(.guarded) }
      inserted = pendingInserted
      updated = pendingUpdated
      deleted.removeAll { gone.contains(ObjectIdentifier($0)) }
      guarded = guardedObjects
    }
    for object in saved.deleted {
      // Deletions that can be undone keep their members.
      if undoManager == nil { for members in object.toManys { members?.forget() } }
      forget(object)
    }
    if undoManager == nil { forgetDeparted() }
    // Another writer's addition may have been read, or one made here, after the deletion had cleared the relationships. What
    // is deleted itself keeps its members, for undoing. Where no rule clears a relationship, its members are the program's
    // affair, as in Core Data: what was read elsewhere mustn't decide whether they stay.
    if unsaved.hasDeletedMembers, !saved.deleted.isEmpty {
      dropMembers(Set(saved.deleted.map(ObjectIdentifier.init)), byRules: true)
      if isWhole { unsaved.hasDeletedMembers = false }
    }
  }

  private final func markSaved(_ object: NSManagedObject) {
    object.state.subtract([.inserted, .updated])
    object.commitValues()
    guard let touched = object.touchedMembers else { return }
    for members in touched { members?.commit() }
  }

  private final func post(_ written: SavedObjects) {
    guard !makesPlainObjects else { return }
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
