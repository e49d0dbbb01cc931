import DataModels
import Foundation

/// Objects by identity, and their comings and goings.
extension NSManagedObjectContext {
  /// What ``registeredObject(for:)`` gives.
  final func registered(_ objectID: NSManagedObjectID) -> NSManagedObject? {
    checkQueue()
    takeLastingIdentities()
    return identityMap[objectID] ?? objectID.successor.flatMap { identityMap[$0] }
  }

  /// What ``object(with:)`` gives.
  final func knownOrFault(_ objectID: NSManagedObjectID) -> NSManagedObject {
    checkQueue()
    takeLastingIdentities()
    if let known = identityMap[objectID] { return known }
    // Another context may still know an object by the identity it had before it was saved.
    if let lasting = objectID.successor { return self.knownOrFault(lasting) }
    let object = ObjectHandoff.makeFault(of: objectID.layout, identity: objectID, in: self)
    identityMap[objectID] = object
    if isUnused(objectID) {
      noteGone(object)
    } else if objectID.isTemporaryID {
      awaitsIdentities = true
    }
    return object
  }

  /// What ``existingObject(with:)`` gives.
  final func knownOrFetched(_ objectID: NSManagedObjectID) throws -> NSManagedObject {
    checkQueue()
    guard let object = try presentObject(with: objectID) else {
      throw CoreDataError.missingRow(objectID)
    }
    return object
  }

  /// The object of an identity with its values; nil when there is no such row.
  ///
  /// One that wasn't known is made of its row: an identity that was put together elsewhere may name an
  /// entity above the row's own.
  final func presentObject(with objectID: NSManagedObjectID) throws -> NSManagedObject? {
    if let known = registered(objectID) {
      if known.state.contains(.inaccessible) { return nil }
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

  /// What ``insert(_:)`` does.
  final func takeBackOrIn(_ object: NSManagedObject) {
    checkQueue()
    if object.isOf(self) {
      undelete(object)
      return
    }
    precondition(
      object.context == nil,
      "-[NSManagedObjectContext insertObject:]: \(object) belongs to another context")
    reuseIdentity(of: object)
    enter(object)
    object.scratch?.unattached = [:]
  }

  /// Takes in an object that was just made.
  final func takeIn(_ object: NSManagedObject) {
    checkQueue()
    object.takeDefaultValues(from: rows)
    enter(object)
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
    object.state.insert(.quiet)
    object.awakeFromInsert()
    object.state.remove(.quiet)
  }

  // MARK: Deleting

  /// What ``delete(_:)`` does.
  final func markDeleted(_ object: NSManagedObject) {
    checkQueue()
    guard object.context === self else { return }
    object.prepareForDeletion()
    guard !object.state.contains(.deleted) else { return }
    object.wake()
    guard object.context === self, !object.state.contains(.deleted) else { return }
    object.state.insert(.deleted)
    // What else happens to it in this event must be taken back with the deletion.
    if remembersChanges, !object.state.contains(.changedInEvent) { noteChange(of: object) }
    object.state.insert(.changedInEvent)
    if noticesTurns { noticeTurn() }
    deleted.append(object)
    event.deleted.append(object)
  }

  // MARK: Rolling back

  /// What ``rollback()`` does.
  final func takeChangesBack() {
    checkQueue()
    forgetUndo()
    let told = takenBack()
    let changed = (updated + deleted).filter { $0.context === self && $0.hasChanges }
    for object in inserted where object.state.contains(.inserted) {
      object.endEvent()
      noteUnusedIdentity(of: object)
      forget(object)
    }
    for object in updated + deleted where object.context === self {
      object.state.subtract([.updated, .deletedInEvent])
      // What others have deleted isn't there again.
      if !object.state.contains(.inaccessible) {
        object.state.subtract([.deleted, .propagated])
      }
      object.revertValues()
      object.endEvent()
      // It was changed though it couldn't be read.
      if !object.hasStoredRow, !object.isFault { object.becomeFault() }
      for members in object.membersBySlot { members?.forget() }
    }
    (inserted, updated, deleted, mergedDeletions) = ([], [], [], [])
    event = PendingEvent()
    (faultingError, unreadDeletion) = (nil, nil)
    mayDangle = false
    for object in changed where object.context === self {
      object.awake(fromSnapshotEvents: .rollback)
    }
    if Self.hasWatchers.isSet {
      for object in changed where object.isWatched {
        #if Publishers
          ObjectPublishers.shared.announceChange(of: object)
        #endif
        object.tellWatches()
      }
    }
    guard !told.isEmpty else { return }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: told)
  }

  /// What there is to tell when every unsaved change is taken back, and of an event that isn't over.
  private final func takenBack() -> [AnyHashable: Any] {
    var told: [AnyHashable: Any] = [:]
    add(
      inserted.filter { $0.state.contains(.inserted) } + event.takenBack, NSDeletedObjectsKey,
      to: &told)
    add(pendingDeleted + event.merged, NSInsertedObjectsKey, to: &told)
    add(pendingUpdated + event.refreshed, NSRefreshedObjectsKey, to: &told)
    return told
  }

  /// What ``reset()`` does.
  final func forgetObjects() {
    checkQueue()
    forgetUndo()
    advanceGeneration()
    lazyFetches.removeAll()
    let ids = identityMap.objects.map(\.identity)
    for list in [inserted, updated, deleted] { list.visit { $0.becomeInvalid() } }
    identityMap.removeAll { $0.becomeInvalid() }
    (faultingError, unreadDeletion) = (nil, nil)
    (mayDangle, unusedIdentities) = (false, UnusedIdentities())
    (inserted, updated, deleted, mergedDeletions) = ([], [], [], [])
    event = PendingEvent()
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self,
      userInfo: [NSInvalidatedAllObjectsKey: ids])
  }

  /// What ``detectConflicts(for:)`` does.
  final func guardVersion(of object: NSManagedObject) {
    guard object.context === self, !object.identity.isTemporaryID else { return }
    guard !object.state.contains(.guarded) else { return }
    object.state.insert(.guarded)
    guarded.append(object)
  }

  /// Takes an object out of the context for good.
  final func forget(_ object: NSManagedObject) {
    identityMap.remove(object)
    object.state.subtract([.inserted, .updated, .deleted, .changedInEvent])
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
      // Nobody knows whether the row is there: the object stays a fault, and the next reading tries again.
      return noteFaultingError(error)
    }
    precondition(
      shouldHandleInaccessibleFault(object, for: object.identity, triggeredByProperty: nil),
      "-[NSManagedObjectContext objectWithID:]: could not fulfill a fault for \(object.identity): "
        + "its row is gone")
    object.becomeEmpty()
    object.state.insert(.deleted)
    mayDangle = true
  }

  /// Reads the row of a fault; false when there is none.
  final func load(_ object: NSManagedObject) throws -> Bool {
    guard try source.fetchRow(object.identity, into: ObjectSink(self)) else { return false }
    if object.isFault { object.awaken() }
    return true
  }

  /// The destinations of a to-many relationship as the store has them; nil when it failed.
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

  /// The destinations of a to-many relationship as the store has them.
  final func storedMembers(
    of object: NSManagedObject, _ property: PropertyLayout
  ) throws -> [NSManagedObject] {
    guard !property.isTransient, !object.state.contains(.inserted) else { return [] }
    guard !object.isTemporary || parent != nil else { return [] }
    let sink = ObjectSink(self)
    sink.loosensKnown = true
    try source.fetchDestinations(of: object.identity, property, into: sink)
    return sink.objects
  }

  /// Remembers that the store failed where the program can't be told: reading a property doesn't
  /// throw. The next save does, so that nothing is written over what couldn't be read.
  final func noteFaultingError(_ error: any Error) {
    if faultingError == nil { faultingError = error }
  }
}
