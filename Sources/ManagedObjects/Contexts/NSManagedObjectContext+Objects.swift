import Foundation
import ManagedModel

/// Objects by identity, and their comings and goings.
extension NSManagedObjectContext {
  /// The object of an identity, if the context knows it.
  public final func registeredObject(for objectID: NSManagedObjectID) -> NSManagedObject? {
    checkQueue()
    return identityMap[objectID.successor ?? objectID]
  }

  /// The object of an identity: one the context knows, or a new fault. The store isn't asked.
  public final func object(with objectID: NSManagedObjectID) -> NSManagedObject {
    checkQueue()
    if let known = identityMap[objectID] { return known }
    // Another context may still know an object by the identity it had before it was saved.
    if let lasting = objectID.successor { return self.object(with: lasting) }
    let object = ObjectSeed.grow(objectID.layout, identity: objectID, context: self)
    identityMap[objectID] = object
    return object
  }

  /// The object of an identity with its values, from the store if need be.
  ///
  /// - Throws: ``NSManagedObjectReferentialIntegrityError`` when there is no such row.
  public final func existingObject(with objectID: NSManagedObjectID) throws -> NSManagedObject {
    let object = object(with: objectID)
    if object.state.contains(.inaccessible) { throw CoreDataError.missingRow(objectID) }
    guard object.isFault else { return object }
    guard try load(object) else {
      identityMap[objectID] = nil
      object.context = nil
      throw CoreDataError.missingRow(objectID)
    }
    return object
  }

  // MARK: Inserting

  /// Takes an object in that was made without a context, or was deleted and not yet saved.
  public final func insert(_ object: NSManagedObject) {
    checkQueue()
    if object.isOf(self) {
      undelete(object)
      return
    }
    precondition(
      object.context == nil,
      "-[NSManagedObjectContext insertObject:]: \(object) belongs to another context")
    enter(object)
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
    identityMap.enter(object)
    inserted.append(object)
    event.inserted.append(object)
    object.state.insert(.quiet)
    object.awakeFromInsert()
    object.state.remove(.quiet)
  }

  // MARK: Deleting

  /// Marks an object for deletion by the next save; the delete rules of its relationships reach
  /// others when changes are processed.
  public final func delete(_ object: NSManagedObject) {
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
    deleted.append(object)
    event.deleted.append(object)
  }

  // MARK: Refreshing

  /// Brings an object up to date with the store.
  ///
  /// - Parameter flag: whether unsaved changes are kept, on top of the store's values; if not, the
  ///   object becomes a fault.
  public final func refresh(_ object: NSManagedObject, mergeChanges flag: Bool) {
    checkQueue()
    guard object.context === self, !object.identity.isTemporaryID else { return }
    event.refreshed.append(object)
    if flag, object.hasChanges {
      rebase(object)
      object.awake(fromSnapshotEvents: .refresh)
    } else if flag {
      turnIntoFault(object, keepsTransients: true)
    } else {
      let wasChanged = object.hasChanges
      object.state.subtract([.updated, .deleted, .propagated, .changedInEvent])
      if wasChanged { stopSaving(object) }
      turnIntoFault(object, keepsTransients: false)
    }
  }

  /// Takes an object whose changes were dropped off the lists of what is to be saved: its next change enters it
  /// again, and it would be written twice.
  final func stopSaving(_ object: NSManagedObject) {
    updated.removeAll { $0 === object }
    deleted.removeAll { $0 === object }
  }

  /// Refreshes every object, keeping unsaved changes.
  public final func refreshAllObjects() {
    for object in identityMap.objects { refresh(object, mergeChanges: true) }
  }

  /// Takes back every unsaved change; the store isn't asked.
  public final func rollback() {
    checkQueue()
    forgetUndo()
    let changed = (updated + deleted).filter { $0.context === self && $0.hasChanges }
    for object in inserted where object.state.contains(.inserted) { forget(object) }
    for object in updated + deleted where object.context === self {
      object.state.subtract([.updated, .deleted, .propagated, .changedInEvent, .deletedInEvent])
      object.revertValues()
      object.eventValues = nil
      for members in object.membersBySlot { members?.forget() }
    }
    (inserted, updated, deleted) = ([], [], [])
    event = PendingEvent()
    faultingError = nil
    mayDangle = false
    for object in changed where object.context === self {
      object.awake(fromSnapshotEvents: .rollback)
    }
  }

  /// Forgets every object and every unsaved change.
  public final func reset() {
    checkQueue()
    forgetUndo()
    advanceGeneration()
    lazyFetches.removeAll()
    let ids = identityMap.objects.map(\.identity)
    for list in [inserted, updated, deleted] { list.visit { $0.context = nil } }
    identityMap.removeAll { $0.leaveContext() }
    faultingError = nil
    (inserted, updated, deleted) = ([], [], [])
    event = PendingEvent()
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self,
      userInfo: [NSInvalidatedAllObjectsKey: ids])
  }

  /// Has the next save check that an unchanged object's row is still as it was read.
  public final func detectConflicts(for object: NSManagedObject) {
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

  final func turnIntoFault(_ object: NSManagedObject, keepsTransients: Bool) {
    guard !object.isFault || object.state.contains(.rowAtHand) else {
      // A fault may know its relationships: reading one doesn't fire it.
      for members in object.toManys { members?.forget() }
      return
    }
    let transients =
      keepsTransients && !object.isFault
      ? object.layout.values.filter(\.isTransient).map {
        ($0.slot, object.currentValue(at: $0.slot))
      } : []
    object.willTurnIntoFault()
    object.state.formUnion([.fault, .hasLooseEnds])
    object.state.subtract([.rowAtHand, .changedInEvent])
    object.values = []
    object.committed = []
    object.eventValues = nil
    object.scratch = nil
    for members in object.membersBySlot { members?.forget() }
    object.didTurnIntoFault()
    // Transient values live on only in an object that is there.
    guard transients.contains(where: { !$0.1.isNull }), (try? load(object)) == true else { return }
    for (slot, value) in transients { object.replaceValue(at: slot, by: value) }
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
      noteFaultingError(error)
    }
    precondition(
      faultingError != nil
        || shouldHandleInaccessibleFault(object, for: object.identity, triggeredByProperty: nil),
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

  /// The destinations of a to-many relationship as the store has them.
  final func loadMembers(
    of object: NSManagedObject, _ property: PropertyLayout
  ) -> [NSManagedObject] {
    guard !object.isTemporary, !property.isTransient else { return [] }
    let sink = ObjectSink(self)
    sink.loosensKnown = true
    do {
      try source.fetchDestinations(of: object.identity, property, into: sink)
    } catch {
      noteFaultingError(error)
    }
    return sink.objects
  }

  /// Remembers that the store failed where the program can't be told: reading a property doesn't
  /// throw. The next save does, so that nothing is written over what couldn't be read.
  private final func noteFaultingError(_ error: any Error) {
    if faultingError == nil { faultingError = error }
  }

  /// Puts an object's unsaved changes on top of the row as the store has it now.
  final func rebase(_ object: NSManagedObject) {
    let collector = RowCollector()
    guard (try? source.fetchRow(object.identity, into: collector)) == true,
      let row = collector.rows.first
    else { return }
    var values = row.values
    for property in object.layout.values where property.isTransient || object.hasChanged(property) {
      values[property.slot] = object.currentValue(at: property.slot)
    }
    object.values = values
    object.committed = row.values
    object.version = row.version
  }
}
