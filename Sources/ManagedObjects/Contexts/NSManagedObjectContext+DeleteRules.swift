/// Propagation of deletions to related objects.
extension NSManagedObjectContext {
  /// Propagates deletions along relationships with a cascade rule, and clears relationships with a nullify rule.
  ///
  /// If the related objects of a deletion can't be read, it is propagated as far as possible, and the rest is retried
  /// when the next event ends or in a save, which throws errors that occur then.
  final func propagateDeletions() {
    // An object that couldn't be read may be anywhere in the list.
    var position = unreadDeletion == nil ? propagatedCount : 0
    unreadDeletion = nil
    var readCount = position
    // Cascades append to the list during iteration, which avoids recursion however long the chain.
    while position < deleted.count {
      if position == readCount {
        do { try readMembersOfDeleted(from: position) } catch { return unreadDeletion = error }
        readCount = deleted.count
      }
      let object = deleted[position]
      position += 1
      guard object.awaitsDeletion, !object.state.contains(.propagated),
        !object.state.contains(.inaccessible)
      else { continue }
      object.state.insert(.propagated)
      let unread = collectingReadErrors { propagateDeletion(of: object) }
      guard let unread else { continue }
      object.state.remove(.propagated)
      unreadDeletion = unread
    }
    propagatedCount = unreadDeletion == nil ? deleted.count : 0
  }

  private final func propagateDeletion(of object: NSManagedObject) {
    for property in object.layout.toManys {
      propagate(object.loadedMembers(property).objects, from: object, property)
    }
    for property in object.layout.values where property.kind == .toOne {
      if let target = object.toOne(property) { propagate([target], from: object, property) }
      if let target = newPartner(of: object, property) {
        propagate([target], from: object, property)
      }
    }
  }

  /// What another writer has led to an object that was led elsewhere here before its deletion: it would lead to what is gone.
  private final func newPartner(
    of object: NSManagedObject, _ property: PropertyLayout
  ) -> NSManagedObject? {
    guard let inverse = property.inverse, !inverse.isToMany, object.hasStoredRow,
      object.hasChanged(property),
      let target = object.committedValue(at: property.slot).reference.map(knownOrFault),
      isPresent(target), target.leads(to: object, by: inverse)
    else { return nil }
    return target
  }

  /// Runs code that may fire faults, and returns the first faulting error instead of keeping it for the next save.
  final func collectingReadErrors(_ body: () -> Void) -> (any Error)? {
    let earlier = faultingError
    faultingError = nil
    defer { faultingError = earlier }
    body()
    return faultingError
  }

  /// Reloads the related objects of deletions that are still to be propagated, so that these reach the present
  /// members.
  private final func readMembersOfDeleted(from start: Int) throws {
    let waiting = deleted[start...].filter {
      $0.awaitsDeletion && $0.hasTouchedToManys
        && $0.state.isDisjoint(with: [.propagated, .inaccessible])
    }
    if !waiting.isEmpty { try readMembers(ofDeleted: waiting) }
  }

  /// Propagates the deletions of earlier events to objects that other writers have related to the deleted ones since.
  /// Relationships set in this context after the deletion are left for validation to report.
  final func propagateLateDeletions() {
    propagateMergedDeletions()
    let earlier = deleted.filter {
      $0.awaitsDeletion && $0.hasTouchedToManys && $0.state.contains(.propagated)
        && $0.state.isDisjoint(with: [.inaccessible, .inserted])
    }
    guard !earlier.isEmpty else { return }
    func stored(_ object: NSManagedObject) -> [[NSManagedObject]] {
      object.layout.toManys.map { object.members($0).committedObjects }
    }
    let known = earlier.map(stored)
    do { try readMembers(ofDeleted: earlier) } catch { noteFaultingError(error) }
    for (object, known) in zip(earlier, known) {
      for (property, known) in zip(object.layout.toManys, known) {
        let known = Set(known.map(ObjectIdentifier.init))
        let late = object.members(property).committedObjects.filter {
          !known.contains(ObjectIdentifier($0))
        }
        propagate(late, from: object, property)
      }
    }
  }

  /// Propagates deletions to what merges have related to the deleted objects. It belongs to the deletions: undoing it alone
  /// would lead to what is deleted.
  private final func propagateMergedDeletions() {
    let waiting = deletedMeanwhile.filter { $0.isOf(self) && $0.awaitsDeletion }
    deletedMeanwhile = []
    guard !waiting.isEmpty else { return }
    settleAnswers()
    isMerging = true
    defer { isMerging = false }
    waiting.forEach(propagateAgain)
    propagateDeletions()
    processPendingChanges()
  }

  /// Propagates a deletion once more, to what another writer has related to the object since it was read here.
  final func propagateAgain(_ object: NSManagedObject) {
    object.state.remove(.propagated)
    propagatedCount = 0
  }

  private final func propagate(
    _ targets: [NSManagedObject], from object: NSManagedObject, _ property: PropertyLayout
  ) {
    switch property.deleteRule {
    case .cascadeDeleteRule:
      for target in targets where isPresent(target) { delete(target) }
    case .nullifyDeleteRule:
      guard let inverse = property.inverse else { return }
      for target in targets
      where isPresent(target) && !hasDropped(target, from: object, by: property) {
        learn(of: object, target, inverse)
        target.unlink(object, inverse)
      }
    case .denyDeleteRule, .noActionDeleteRule: break
    }
  }

  /// Reads an object's row again if another writer has related it to an object since, and it doesn't know. What ends the
  /// relationship on one side would otherwise leave the other in the store.
  ///
  /// - Parameter isWritten: whether the source's own side is a change, so that both sides are saved. If it is again as it was
  ///   read, a target that is, too, stays so.
  final func learn(
    of source: NSManagedObject, _ target: NSManagedObject, _ inverse: PropertyLayout,
    isWritten: Bool = true
  ) {
    if reviveIfStored(target) { target.wake() }
    // What was changed here, too, is looked up: once the change is taken back, it would be as it was read.
    guard !inverse.isToMany, target.hasStoredRow,
      isWritten || !target.hasChanged(inverse),
      target.committedValue(at: inverse.slot).reference.map(source.isObject(of:)) != true
    else { return }
    // If the row doesn't lead there either, only the object's own side says so.
    let collector = RowCollector()
    do {
      guard try self.source.fetchRow(target.identity, into: collector) else { return }
    } catch {
      // A save fails until it can be read.
      return noteFaultingError(error)
    }
    guard let row = collector.rows.first,
      let present = target.ownValues(ofRow: row.values)[inverse.slot].reference,
      source.isObject(of: present)
    else { return }
    guard !target.hasChanged(inverse) || !target.hasOtherChanges(than: inverse) else {
      // The version stays, so that whatever else the other writer has changed is a conflict.
      target.committed[inverse.slot] = .reference(source.identity)
      return
    }
    refresh(target, mergeChanges: true)
    target.wake()
  }

  /// Whether a refresh has taken back that an object got another one, which has no row of that either: there is nothing to
  /// end, and nothing to be written.
  private final func hasDropped(
    _ target: NSManagedObject, from object: NSManagedObject, by property: PropertyLayout
  ) -> Bool {
    guard saveDoubts.contains(.droppedSides), property.isToMany, let inverse = property.inverse,
      inverse.isToMany, let theirs = target.touchedMembers?[inverse.slot]
    else { return false }
    guard !theirs.isLoaded else { return !theirs.contains(object) }
    return !theirs.added.contains { $0 === object }
      && object.members(property).added.contains { $0 === target }
  }

  /// Whether an object isn't deleted and its values are loaded: an object that can't be read must not be changed.
  private final func isPresent(_ object: NSManagedObject) -> Bool {
    // A new object that was deleted before may still be a member, if the rule denies its deletion; what is done to it
    // out of the context couldn't be undone.
    guard object.context === self, !object.awaitsDeletion || reviveIfStored(object) else {
      return false
    }
    object.wake()
    return !object.isFault
  }
}

extension NSManagedObject {
  /// Whether another value than a relationship's has been changed.
  fileprivate final func hasOtherChanges(than relationship: PropertyLayout) -> Bool {
    layout.values.contains { $0 !== relationship && !$0.isTransient && hasChanged($0) }
  }
}
