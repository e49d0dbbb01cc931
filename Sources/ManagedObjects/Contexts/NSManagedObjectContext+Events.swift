import Foundation

/// Change tracking and change notifications.
extension NSManagedObjectContext {
  /// Records the first change of an object since changes were last processed.
  final func noteChange(of object: NSManagedObject) {
    // The store failed when the fault fired. A later firing must not overwrite the value set now. No save writes it
    // before the change is dropped.
    if object.isFault { object.takeNoValues() }
    object.state.insert(.changedInEvent)
    if noticesTurns { noticeTurn() }
    // An object inserted in this event has no earlier values.
    guard !object.state.contains(.insertedInEvent) else { return }
    object.rememberEventValues()
    event.changed.append(object)
    // Whether changes are registered is asked when the event ends, as by the observers of a merge.
    if undoManager != nil { object.rememberMembers() }
    if object.state.isDisjoint(with: [.inserted, .updated, .deleted]) {
      object.state.insert(.updated)
      updated.append(object)
      if unsaved.isObserved.isSet { object.state.insert(.joinedUnsaved) }
    }
  }

  /// The implementation of ``processPendingChanges()``.
  final func settlePendingChanges() {
    guard !isProcessingChanges else { return }
    // The merge itself ends the event before it, but not its own.
    if !isMerging, !mergedDeletions.isEmpty { mergedDeletions = [] }
    guard !event.isEmpty || unreadDeletion != nil else { return tellObservers() }
    isProcessingChanges = true
    let (userInfo, event) = settleEvent()
    // Observers of the event may change objects and save. What they change can be undone, whatever the event was.
    (isProcessingChanges, isApplyingUndo, isMerging) = (false, false, false)
    let (outer, told) = (toldChanges, ToldChanges(event.changed))
    toldChanges = told
    defer {
      toldChanges = outer
      told.end()
    }
    if Self.hasWatchers.isSet { notifyObservationRegistrar(of: event) }
    tellObservers()
    guard !userInfo.isEmpty, !makesPlainObjects else { return }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
  }

  /// Ends events until observers have no answer to them any more, or give too many.
  final func settleAnswers() {
    for _ in 0..<16 {
      processPendingChanges()
      if event.isEmpty { return }
    }
  }

  /// Whether observers are being told of an object's changes.
  final func tellsOfChange(of object: NSManagedObject) -> Bool {
    toldChanges?.contains(object) ?? false
  }

  /// Ends an event, and returns the contents of its notification.
  private final func settleEvent() -> (userInfo: [AnyHashable: Any], event: PendingEvent) {
    let hadUnreadDeletion = unreadDeletion != nil
    if propagatesDeletesAtEndOfEvent { propagateDeletions() }
    let event = event
    self.event = PendingEvent()
    registerUndo(of: event)
    for list in [event.changed, event.inserted, event.deleted] {
      list.visit { $0.endEvent() }
    }
    var deletedNow = event.deleted.filter(\.awaitsDeletion)
    for object in deletedNow
    where object.state.contains(.inserted) && !isStillToPropagate(object) {
      // Never saved: nothing is left to do.
      identityMap[object.identity] = nil
    }
    var userInfo: [AnyHashable: Any] = [:]
    if !event.takenBack.isEmpty { deletedNow += event.takenBack }
    var insertedNow = event.inserted.keeping { !$0.awaitsDeletion }
    if !event.merged.isEmpty { insertedNow += event.merged }
    add(insertedNow, NSInsertedObjectsKey, to: &userInfo)
    add(
      event.changed.keeping { !$0.awaitsDeletion && $0.context === self }, NSUpdatedObjectsKey,
      to: &userInfo)
    add(deletedNow, NSDeletedObjectsKey, to: &userInfo)
    // What was refreshed may have left the context since.
    add(event.refreshed.filter { $0.context === self }, NSRefreshedObjectsKey, to: &userInfo)
    // Only this event's deletions can have produced any.
    if hadUnreadDeletion || event.deleted.contains(where: { $0.state.contains(.inserted) }) {
      dropDeletedInsertions()
    }
    return (userInfo, event)
  }

  /// Forgets objects that were inserted and deleted without a save in between, but for those whose deletion is still to reach
  /// others: what couldn't be read, or what only a save propagates deletions to.
  final func dropDeletedInsertions() {
    guard !deleted.isEmpty, inserted.contains(where: \.awaitsDeletion) else { return }
    for object in inserted where object.awaitsDeletion && !isStillToPropagate(object) {
      noteUnusedIdentity(of: object)
      forget(object)
    }
    inserted.removeAll { $0.context == nil }
    deleted.removeAll { $0.context == nil }
  }

  private final func isStillToPropagate(_ object: NSManagedObject) -> Bool {
    (unreadDeletion != nil || !propagatesDeletesAtEndOfEvent)
      && !object.state.contains(.propagated)
  }
}

/// The changed objects of an event while its observers are told of it.
final class ToldChanges {
  private let changed: [NSManagedObject]
  /// Made when the first object is looked for: few observers do.
  private lazy var identifiers = Set(changed.map(ObjectIdentifier.init))

  init(_ changed: [NSManagedObject]) { self.changed = changed }

  func contains(_ object: NSManagedObject) -> Bool {
    identifiers.contains(ObjectIdentifier(object))
  }

  /// Drops the old values, which nobody can ask for any more.
  func end() {
    changed.visit { $0.dropToldValues() }
  }
}

/// The contents of notifications.
extension NSManagedObjectContext {
  /// Adds a set of objects unless it is empty.
  final func add(
    _ objects: [NSManagedObject], _ key: String, to userInfo: inout [AnyHashable: Any]
  ) {
    guard !objects.isEmpty else { return }
    userInfo[key] = savingSets?.set(of: objects) ?? NotificationSets.makeSet(of: objects)
  }

  /// Adds the set of the objects' IDs unless it is empty.
  final func addIdentities(
    of objects: [NSManagedObject], _ key: String, to userInfo: inout [AnyHashable: Any]
  ) {
    guard !objects.isEmpty else { return }
    var identities = Set<NSManagedObjectID>(minimumCapacity: objects.count)
    objects.visit { identities.update(with: $0.identity) }
    userInfo[key] = identities
  }

  /// Adds a set of object IDs unless it is empty.
  final func add(
    _ identities: [NSManagedObjectID], _ key: String, to userInfo: inout [AnyHashable: Any]
  ) {
    if !identities.isEmpty { userInfo[key] = Set(identities) }
  }
}

/// The sets shared by the notifications of one save. What changed in the last event is mostly what is saved, and a
/// large set takes longer to build than some of the objects take to write.
///
/// They are Swift sets, which programs can also cast to `NSSet`. In the other direction, casting an `NSSet` casts
/// each object individually.
final class NotificationSets {
  private var made: [(objects: [NSManagedObject], set: Set<NSManagedObject>)] = []

  /// The set of a list's objects; the same set for the same list.
  func set(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
    for (known, set) in made where objects.isSame(as: known) { return set }
    let set = Self.makeSet(of: objects)
    made.append((objects, set))
    return set
  }

  /// Builds a set from a list. `update` is cheaper than `insert`, which returns the member each time.
  static func makeSet(of objects: [NSManagedObject]) -> Set<NSManagedObject> {
    var set = Set<NSManagedObject>(minimumCapacity: objects.count)
    objects.visit { set.update(with: $0) }
    return set
  }
}
