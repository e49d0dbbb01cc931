import DataModels
import Foundation

/// Lookup by object ID, and registering and forgetting objects.
extension NSManagedObjectContext {
  /// The implementation of ``registeredObject(for:)``.
  final func registered(_ objectID: NSManagedObjectID) -> NSManagedObject? {
    checkQueue()
    adoptPermanentIDs()
    return identityMap[objectID] ?? successor(of: objectID).flatMap { identityMap[$0] }
  }

  /// The implementation of ``object(with:)``.
  final func knownOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
    checkQueue()
    adoptPermanentIDs()
    if let known = identityMap[objectID] { return known }
    // Another context may still use the temporary ID from before the object was saved.
    if let permanent = successor(of: objectID) { return self.knownOrFault(permanent) }
    let object = ObjectHandoff.makeFault(of: objectID.layout, identity: objectID, in: self)
    identityMap[objectID] = object
    if isUnused(objectID) {
      noteGone(object)
    } else if objectID.isTemporary {
      awaitsIdentities = true
    }
    return object
  }

  /// The implementation of ``existingObject(with:)``.
  final func knownOrFetched(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
    checkQueue()
    guard let object = try presentObject(with: objectID) else {
      throw CoreDataError.missingRow(objectID)
    }
    return object
  }

  /// The object with an ID, with its values loaded; nil if there is no such row.
  ///
  /// An object that wasn't registered is made from its row: an ID constructed elsewhere may name a superentity of the
  /// row's entity.
  final func presentObject(with objectID: NSManagedObjectID) throws -> NSManagedObject? {
    if let known = registered(objectID) {
      // A parent may have rolled its deletion back, or another writer have written the row again.
      if known.state.contains(.inaccessible), !reviveIfStored(known) { return nil }
      guard known.isFault else { return known }
      return try load(known) ? registered(objectID) : nil
    }
    let sink = ObjectSink(self)
    guard try source.fetchRow(objectID.successor ?? objectID, into: sink) else { return nil }
    let object = sink.objects.first
    if let object, object.isFault { object.awaken() }
    return object
  }

  // MARK: Inserting

  /// The implementation of ``insert(_:)``.
  final func performInsert(_ object: NSManagedObject) {
    checkQueue()
    defer { tellObservers(isWithinEvent: true) }
    if object.isOf(self) {
      guard object.state.contains(.inaccessible), object.isFault, object.version == 0 else {
        return reinstate(object)
      }
      // A refresh has taken its insertion back, and its values.
      forget(object)
    }
    precondition(
      object.context == nil,
      "-[NSManagedObjectContext insertObject:]: \(object) belongs to another context")
    if object.version != 0, object.isFault, (try? isInStore(object)) == true {
      // A reset has released it.
      return register(again: object)
    }
    if object.version != 0 {
      // Its deletion was saved.
      reinsert(object)
      object.awakeFromInsert()
    } else {
      // What was deleted before it was saved, too, is as new.
      let wasHere = object.state.contains(.forgotten)
      object.state.subtract([.deleted, .propagated, .inaccessible, .forgotten])
      reuseIdentity(of: object)
      beginAnew(object)
      enter(object)
      if wasHere { leaveLostDestinations(of: object) }
    }
    noteUnattached(around: object)
  }

  /// Registers a fault that has a row, unless another object stands for that by now.
  private final func register(again object: NSManagedObject) {
    guard registered(object.identity) == nil else { return }
    object.state.subtract([.deleted, .propagated, .inaccessible, .forgotten])
    object.context = self
    identityMap[object.identity] = object
  }

  /// Gives an object that was never saved, and has lost its values to a reset, those of a new one.
  private final func beginAnew(_ object: NSManagedObject) {
    guard object.isFault, !object.hasRow, (try? isInStore(object)) == false else { return }
    object.takeDefaultValues(from: rows)
    object.state.remove(.fault)
  }

  /// Notes that an object that was related without a context may lead to others that aren't inserted: a save finds that.
  private final func noteUnattached(around object: NSManagedObject) {
    if let scratch = object.scratch, !scratch.unattached.isEmpty {
      scratch.unattached = scratch.unattached.filter { $0.value.context == nil }
      if !scratch.unattached.isEmpty { saveDoubts.insert(.unattachedObjects) }
    }
    guard let touched = object.touchedMembers else { return }
    if touched.contains(where: { $0?.objects.contains { $0.context == nil } ?? false }) {
      saveDoubts.insert(.unattachedObjects)
    }
  }

  /// Registers an object that was just made.
  final func takeIn(_ object: NSManagedObject) {
    checkQueue()
    object.takeDefaultValues(from: rows)
    enter(object)
    tellObservers(isWithinEvent: true)
  }

  @inline(__always)
  private final func enter(_ object: NSManagedObject) {
    object.context = self
    object.state.formUnion([.inserted, .insertedInEvent, .changedInEvent])
    if object.layout.noticesReads { object.state.insert(.noticesReads) }
    if noticesTurns { noticeTurn() }
    identityMap.enter(object)
    inserted.append(object)
    event.inserted.append(object)
    // What it changes belongs to the insertion; relationships that it sets have their inverses, unlike primitive ones.
    object.awakeFromInsert()
  }

  // MARK: Deleting

  /// The implementation of ``delete(_:)``.
  final func performDelete(_ object: NSManagedObject) {
    checkQueue()
    guard object.context === self, !object.state.contains(.deleted) else { return }
    // Objects may delete each other.
    guard !object.state.contains(.preparesDeletion) else { return }
    object.state.insert(.preparesDeletion)
    object.prepareForDeletion()
    object.state.remove(.preparesDeletion)
    guard !object.state.contains(.deleted) else { return }
    object.wake()
    guard object.context === self, !object.state.contains(.deleted) else { return }
    object.state.insert(.deleted)
    // Other changes to the object in this event must be undone together with the deletion.
    if remembersChanges, !object.state.contains(.changedInEvent) { noteChange(of: object) }
    object.state.insert(.changedInEvent)
    if noticesTurns { noticeTurn() }
    deleted.append(object)
    event.deleted.append(object)
    tellObservers(isWithinEvent: true)
  }

  // MARK: Rolling back

  /// The implementation of ``rollback()``.
  final func performRollback() {
    checkQueue()
    forgetUndo()
    forgetDeparted()
    let told = takenBack()
    let changed = (updated + deleted).filter { $0.context === self && $0.hasChanges }
    for object in inserted where object.state.contains(.inserted) {
      object.endEvent()
      noteUnusedIdentity(of: object)
      forget(object)
    }
    for object in updated + deleted where object.context === self {
      object.state.subtract([.updated, .deletedInEvent])
      // An object that other writers deleted isn't restored.
      if !object.state.contains(.inaccessible) {
        object.state.subtract([.deleted, .propagated])
      }
      object.revertValues()
      object.endEvent()
      // The object was changed although it couldn't be read.
      if !object.hasStoredRow, !object.isFault { object.becomeFault() }
      for members in object.membersBySlot { members?.forget() }
    }
    (inserted, updated, deleted, mergedDeletions, deletedMeanwhile) = ([], [], [], [], [])
    // What was deleted and inserted again within the event is in no list of changes.
    for list in [event.changed, event.deleted] {
      list.visit { if $0.context === self { $0.endEvent() } }
    }
    // Rows that were found to be gone stay gone, and are told of.
    let vanished = event.deleted.filter { $0.state.contains(.inaccessible) }
    event = PendingEvent()
    event.deleted = vanished
    (faultingError, unreadDeletion) = (nil, nil)
    saveDoubts.formIntersection(.lasting)
    for object in changed where object.context === self {
      object.awake(fromSnapshotEvents: .rollback)
    }
    if Self.hasWatchers.isSet {
      for object in changed where object.isWatched {
        #if Publishers
          ObjectPublishers.shared.announceChange(of: object)
        #endif
        object.notifyObservationRegistrar()
      }
    }
    tellObservers()
    guard !told.isEmpty else { return }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: told)
  }

  /// The notification contents for discarding every unsaved change, including those of an unfinished event.
  private final func takenBack() -> [AnyHashable: Any] {
    var told: [AnyHashable: Any] = [:]
    add(
      inserted.filter { $0.state.contains(.inserted) } + event.takenBack, NSDeletedObjectsKey,
      to: &told)
    // Nobody has been told of a deletion in the unfinished event, but of changes before it.
    let untold = Set(event.deleted.map(ObjectIdentifier.init))
    let deleted = pendingDeleted
    let absent = deleted.filter { !untold.contains(ObjectIdentifier($0)) }
    let changed = deleted.filter {
      untold.contains(ObjectIdentifier($0)) && $0.state.contains(.updated)
    }
    add(absent + event.merged, NSInsertedObjectsKey, to: &told)
    add(pendingUpdated + changed + event.refreshed, NSRefreshedObjectsKey, to: &told)
    return told
  }

  /// The implementation of ``reset()``.
  final func performReset() {
    checkQueue()
    forgetUndo()
    forgetDeparted()
    advanceGeneration()
    lazyFetches.removeAll()
    let registered = identityMap.objects
    let ids = registered.map(\.identity)
    let live = registered.filter { !$0.isFault }
    live.visit { $0.willTurnIntoFault() }
    for list in [inserted, updated, deleted] { list.visit { $0.becomeInvalid() } }
    identityMap.removeAll { $0.becomeInvalid() }
    (faultingError, unreadDeletion) = (nil, nil)
    (saveDoubts, unusedIdentities) = ([], UnusedIdentities())
    (inserted, updated, deleted, mergedDeletions, deletedMeanwhile) = ([], [], [], [], [])
    event = PendingEvent()
    live.visit { $0.didTurnIntoFault() }
    tellObservers()
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self,
      userInfo: [NSInvalidatedAllObjectsKey: ids])
  }

  /// The implementation of ``detectConflicts(for:)``.
  final func guardVersion(of object: NSManagedObject) {
    guard object.context === self, !object.identity.isTemporary else { return }
    guard !object.state.contains(.guarded) else { return }
    // A fault may have no version yet, or that of values which it no longer has.
    object.wake()
    guard !object.isFault, !object.state.contains(.inaccessible) else { return }
    object.state.insert(.guarded)
    guarded.append(object)
  }

  /// Unregisters an object permanently.
  final func forget(_ object: NSManagedObject) {
    if object.hasTouchedToManys { noteDeparture(of: object) }
    identityMap.remove(object)
    object.state.subtract([.inserted, .updated, .deleted, .changedInEvent])
    object.state.insert(.forgotten)
    object.context = nil
  }

  // MARK: Values from the store

  /// Fires a fault.
  final func fulfill(_ object: NSManagedObject) {
    if object.state.contains(.rowAtHand) { return object.awaken() }
    do {
      try loadBatch(of: object)
      if object.state.contains(.rowAtHand) { return object.awaken() }
      if try load(object) { return }
    } catch {
      // Whether the row exists is unknown: the object stays a fault, and the next access tries again.
      return noteFaultingError(error)
    }
    precondition(
      shouldHandleInaccessibleFault(object, for: object.identity, triggeredByProperty: nil),
      "-[NSManagedObjectContext objectWithID:]: could not fulfill a fault for \(object.identity): "
        + "its row is gone")
    object.becomeEmpty()
    object.state.insert(.deleted)
    saveDoubts.insert(.vanishedObjects)
    // Whoever shows the object must drop it, and the merge of its deletion may be over, or never come.
    event.deleted.append(object)
    if noticesTurns { noticeTurn() }
  }

  /// Reads the row of a fault; returns false if there is none, or only that of the survivor to which a parent's object has
  /// lost a conflict.
  final func load(_ object: NSManagedObject) throws -> Bool {
    guard try source.fetchRow(object.identity, into: ObjectSink(self)) else { return false }
    if object.isFault {
      guard object.state.contains(.rowAtHand) else { return false }
      object.awaken()
    }
    return true
  }

  /// The stored destinations of a to-many relationship; nil if the store failed.
  final func loadMembers(
    of object: NSManagedObject, _ property: PropertyLayout
  ) -> [NSManagedObject]? {
    do {
      return try storedMembers(of: object, property)
    } catch {
      noteFaultingError(error)
      return nil
    }
  }

  /// The stored destinations of a to-many relationship.
  ///
  /// - Parameter takingValues: whether faults among them keep their rows' values for when they fire.
  final func storedMembers(
    of object: NSManagedObject, _ property: PropertyLayout, takingValues: Bool = true
  ) throws -> [NSManagedObject] {
    guard !property.isTransient, !object.state.contains(.inserted) else { return [] }
    guard !object.isTemporary || parent != nil else { return [] }
    let sink = ObjectSink(self, takesValues: takingValues)
    sink.loosensKnown = true
    try source.fetchDestinations(of: object.identity, property, into: sink)
    sink.settle()
    if !deleted.isEmpty, !unsaved.hasDeletedMembers {
      unsaved.hasDeletedMembers = sink.objects.contains(where: \.awaitsDeletion)
    }
    return sink.objects
  }

  /// Records a store failure that can't be reported, because reading a property doesn't throw. The next save throws
  /// it, so that nothing overwrites values that couldn't be read.
  final func noteFaultingError(_ error: any Error) {
    if faultingError == nil { faultingError = error }
  }
}
