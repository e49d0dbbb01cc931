/// Undo: restores a context to its earlier state, provided that nothing else happened in between.
extension ReferenceWorld {
  /// Records the end of an event if it changed something.
  mutating func remember(_ c: Int) throws {
    guard contexts[c].plan.undoes else { return }
    // An order can only be restored where it is known.
    for (name, object) in contexts[c].objects where !object.isDeleted {
      for (key, members) in object.toManys
      where members.isOrdered && !members.isRead && members.hasChanges {
        if let relationship = model.relationship(key) { _ = try readMembers(c, name, relationship) }
      }
    }
    let present = contexts[c].pending
    if present != contexts[c].undo.lastPending {
      contexts[c].undo.undone.append(contexts[c].undo.last)
      contexts[c].undo.redone = []
    }
    contexts[c].undo.last = contexts[c].objects
    contexts[c].undo.lastPending = present
  }

  mutating func undo(_ c: Int) throws {
    try settle(c)
    guard !contexts[c].undo.isBlocked, let before = contexts[c].undo.undone.popLast() else {
      throw Undecided("nothing to undo")
    }
    contexts[c].undo.redone.append(contexts[c].objects)
    putBack(c, before)
  }

  mutating func redo(_ c: Int) throws {
    try settle(c)
    guard !contexts[c].undo.isBlocked, let after = contexts[c].undo.redone.popLast() else {
      throw Undecided("nothing to redo")
    }
    contexts[c].undo.undone.append(contexts[c].objects)
    putBack(c, after)
  }

  private mutating func putBack(_ c: Int, _ objects: [ObjectName: ReferenceObject]) {
    var objects = objects
    // Objects unaffected by the undo stay as they are: an unchanged object may have been refreshed since.
    for (name, object) in contexts[c].objects where !object.differs {
      if objects[name]?.differs == false { objects[name] = object }
    }
    for (name, object) in contexts[c].objects where objects[name] == nil {
      // Objects read since then stay; they were unchanged then.
      if let stored = object.stored, !object.isInserted { objects[name] = ReferenceObject(stored) }
    }
    for (name, object) in contexts[c].objects { objects[name]?.keepWhatIsRead(of: object) }
    contexts[c].objects = objects
    contexts[c].undo.last = objects
    contexts[c].undo.lastPending = contexts[c].pending
    contexts[c].undo.makesFlagsVague = true
  }
}

/// The undo state of a context.
struct UndoState: Equatable {
  /// The objects before each event that can be undone.
  var undone: [[ObjectName: ReferenceObject]] = []
  var redone: [[ObjectName: ReferenceObject]] = []
  /// The objects and pending changes at the end of the last event.
  var last: [ObjectName: ReferenceObject] = [:]
  var lastPending: [ObjectName: PendingState] = [:]
  /// Whether something happened that an undo doesn't revert, so that the effect of an undo is unspecified.
  var isBlocked = false
  /// Whether unchanged objects may count as changed.
  var makesFlagsVague = false
}

/// The state of an object that an event may change.
struct PendingState: Equatable {
  var attributes: [String: Int]
  var toOnes: [String: ObjectName]
  var toManys: [String: [Set<ObjectName>]]
  /// The members of ordered relationships that were read.
  var order: [String: [ObjectName]]
  var flags: String

  /// Ignores an order that only one side has: reading an order isn't a change.
  static func == (left: PendingState, right: PendingState) -> Bool {
    left.attributes == right.attributes && left.toOnes == right.toOnes
      && left.toManys == right.toManys && left.flags == right.flags
      && left.order.allSatisfy { key, order in right.order[key].map { $0 == order } ?? true }
  }
}

extension ReferenceContext {
  /// The unsaved changes.
  fileprivate var pending: [ObjectName: PendingState] {
    objects.filter(\.value.differs).mapValues { object in
      // A save reads again which members a deleted object has.
      let changed = object.isDeleted ? [:] : object.toManys.filter(\.value.hasChanges)
      return PendingState(
        attributes: object.attributes, toOnes: object.toOnes,
        toManys: changed.mapValues { [Set($0.difference.added), Set($0.difference.removed)] },
        order: changed.filter { $0.value.isRead && $0.value.isOrdered }.mapValues(\.now),
        flags: object.flags.filter { $0 != "u" })
    }
  }
}

extension ReferenceObject {
  /// Takes over what was read since, which an undo doesn't revert.
  fileprivate mutating func keepWhatIsRead(of present: ReferenceObject) {
    if isFault, let row = present.stored, !present.isFault { take(row) }
    for (key, members) in present.toManys where members.isRead && !isInserted {
      toManys[key, default: Members(isOrdered: members.isOrdered)].read(members.stored)
    }
  }

  /// Whether something differs from the store: setting a value that was already there isn't recorded for undo.
  var differs: Bool {
    if isFault || isGone { return false }
    return isInserted || isDeleted || attributes != stored?.attributes || toOnes != stored?.toOnes
      || toManys.values.contains(where: \.hasChanges)
  }
}
