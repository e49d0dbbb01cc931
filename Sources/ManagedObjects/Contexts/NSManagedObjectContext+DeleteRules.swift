/// What deletions do to related objects.
extension NSManagedObjectContext {
  /// Carries deletions along the relationships that cascade, and clears the ones that nullify.
  ///
  /// A deletion whose related objects can't be read does what it can, and the rest the next time: when another
  /// event ends, or in a save, which throws what goes wrong then.
  final func propagateDeletions() {
    unreadDeletion = nil
    var position = 0
    var readCount = 0
    // Cascades append to the list while it is walked: no recursion, however long the chain.
    while position < deleted.count {
      if position == readCount {
        do { try readMembersOfDeleted(from: position) } catch { return unreadDeletion = error }
        readCount = deleted.count
      }
      let object = deleted[position]
      position += 1
      guard object.isDeleted, !object.state.contains(.propagated),
        !object.state.contains(.inaccessible)
      else { continue }
      object.state.insert(.propagated)
      let unread = readingApart { propagateDeletion(of: object) }
      guard let unread else { continue }
      object.state.remove(.propagated)
      unreadDeletion = unread
    }
  }

  private final func propagateDeletion(of object: NSManagedObject) {
    for property in object.layout.toManys {
      propagate(object.loadedMembers(property).objects, from: object, property)
    }
    for property in object.layout.values where property.kind == .toOne {
      guard let target = object.toOne(property) else { continue }
      propagate([target], from: object, property)
    }
  }

  /// Does something that may fire faults, and gives what went wrong with that, which isn't kept for the next save.
  final func readingApart(_ body: () -> Void) -> (any Error)? {
    let earlier = faultingError
    faultingError = nil
    defer { faultingError = earlier }
    body()
    return faultingError
  }

  /// Has deletions that wait for being carried to related objects meet those that are related by now.
  private final func readMembersOfDeleted(from start: Int) throws {
    let waiting = deleted[start...].filter {
      $0.isDeleted && $0.hasTouchedToManys
        && $0.state.isDisjoint(with: [.propagated, .inaccessible])
    }
    if !waiting.isEmpty { try readMembers(ofDeleted: waiting) }
  }

  /// Has the deletions of earlier events reach what others have related to the objects since. What was related
  /// to them here, after they were deleted, is left for validation to complain of.
  final func propagateLateDeletions() {
    let earlier = deleted.filter {
      $0.isDeleted && $0.hasTouchedToManys && $0.state.contains(.propagated)
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

  private final func propagate(
    _ targets: [NSManagedObject], from object: NSManagedObject, _ property: PropertyLayout
  ) {
    switch property.deleteRule {
    case .cascadeDeleteRule:
      for target in targets where isPresent(target) { delete(target) }
    case .nullifyDeleteRule:
      guard let inverse = property.inverse else { return }
      for target in targets where isPresent(target) { target.unlink(object, inverse) }
    case .denyDeleteRule, .noActionDeleteRule: break
    }
  }

  /// Whether an object isn't deleted, and its values are here: what can't be read must not be changed.
  private final func isPresent(_ object: NSManagedObject) -> Bool {
    guard !object.isDeleted else { return false }
    object.wake()
    return !object.isFault
  }
}
