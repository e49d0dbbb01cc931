import Foundation

/// Noticing changes, and telling of them.
extension NSManagedObjectContext {
  /// Notes the first change of an object since changes were last processed.
  final func noteChange(of object: NSManagedObject) {
    object.state.insert(.changedInEvent)
    // What was inserted in this event has no earlier values.
    guard !object.state.contains(.insertedInEvent) else { return }
    object.rememberEventValues()
    event.changed.append(object)
    if remembersChanges { object.rememberMembers() }
    if object.state.isDisjoint(with: [.inserted, .updated, .deleted]) {
      object.state.insert(.updated)
      updated.append(object)
    }
  }

  /// Ends an event: carries deletions to related objects, and posts what changed.
  public final func processPendingChanges() {
    guard !isProcessingChanges, !event.isEmpty else { return }
    isProcessingChanges = true
    defer { isProcessingChanges = false }
    if propagatesDeletesAtEndOfEvent { propagateDeletions() }
    let event = event
    self.event = PendingEvent()
    registerUndo(of: event)
    for list in [event.changed, event.inserted, event.deleted] {
      for object in list { object.endEvent() }
    }
    let deletedNow = event.deleted.filter(\.isDeleted)
    for object in deletedNow where object.state.contains(.inserted) {
      // Never saved: nothing remains to be done.
      identityMap[object.identity] = nil
    }
    var userInfo: [AnyHashable: Any] = [:]
    userInfo.add(event.inserted.keeping { !$0.isDeleted } + event.merged, NSInsertedObjectsKey)
    userInfo.add(
      event.changed.keeping { !$0.isDeleted && $0.context === self }, NSUpdatedObjectsKey)
    userInfo.add(deletedNow, NSDeletedObjectsKey)
    userInfo.add(event.refreshed, NSRefreshedObjectsKey)
    dropDeletedInsertions()
    guard !userInfo.isEmpty else { return }
    NotificationCenter.default.post(
      name: .NSManagedObjectContextObjectsDidChange, object: self, userInfo: userInfo)
  }

  /// Forgets objects that were inserted and deleted without a save between.
  private final func dropDeletedInsertions() {
    guard !deleted.isEmpty, inserted.contains(where: \.isDeleted) else { return }
    for object in inserted where object.isDeleted { forget(object) }
    inserted.removeAll { $0.context == nil }
    deleted.removeAll { $0.context == nil }
  }

  // MARK: Delete rules

  /// Carries deletions along the relationships that cascade, and clears the ones that nullify.
  final func propagateDeletions() {
    var position = 0
    // Cascades append to the list while it is walked: no recursion, however long the chain.
    while position < deleted.count {
      let object = deleted[position]
      position += 1
      guard object.isDeleted, !object.state.contains(.propagated),
        !object.state.contains(.inaccessible)
      else { continue }
      object.state.insert(.propagated)
      for property in object.layout.toManys {
        propagate(object.loadedMembers(property).objects, from: object, property)
      }
      for property in object.layout.values where property.kind == .toOne {
        guard let target = object.toOne(property) else { continue }
        propagate([target], from: object, property)
      }
    }
  }

  private final func propagate(
    _ targets: [NSManagedObject], from object: NSManagedObject, _ property: PropertyLayout
  ) {
    switch property.deleteRule {
    case .cascadeDeleteRule:
      for target in targets where !target.isDeleted { delete(target) }
    case .nullifyDeleteRule:
      guard let inverse = property.inverse else { return }
      for target in targets where !target.isDeleted { target.unlink(object, inverse) }
    case .denyDeleteRule, .noActionDeleteRule: break
    }
  }
}

extension [NSManagedObject] {
  /// The objects that `isKept` allows: the same array, if that is all of them.
  func keeping(_ isKept: (NSManagedObject) -> Bool) -> [NSManagedObject] {
    withUnsafeBytes { bytes in
      bytes.bindMemory(to: Unmanaged<NSManagedObject>.self).allSatisfy {
        $0._withUnsafeGuaranteedRef { isKept($0) }
      }
    } ? self : filter(isKept)
  }
}

extension [AnyHashable: Any] {
  /// Enters a set of objects or identities, unless there are none.
  mutating func add(_ objects: [some NSObject], _ key: String) {
    if !objects.isEmpty { self[key] = NSSet.unique(objects) }
  }

  /// Enters the set of objects' identities, unless there are none.
  mutating func add(identitiesOf objects: [NSManagedObject], _ key: String) {
    if !objects.isEmpty { self[key] = NSSet.unique(objects.map(\.objectID)) }
  }
}
