/// An object as registered in a context.
struct ReferenceObject: Equatable {
  var entity: String
  /// The row as it was read; nil for an object that was never saved.
  var stored: StoredRow?
  var attributes: [String: Int] = [:]
  var toOnes: [String: ObjectName] = [:]
  /// The to-many relationships that were read or changed.
  var toManys: [String: Members] = [:]
  /// To-many relationships that a predicate may have read: evaluating it for unsaved changes reads as much as it needs.
  var maybeRead: Set<String> = []
  /// What to-many relationships had when they were read for the last time, or may have been: whether they keep that is
  /// unspecified.
  var lastSeen: [String: [ObjectName]] = [:]
  /// Whether the store had no row of the object when the context registered it.
  var wasUnsaved = false
  /// Whether the values aren't loaded.
  var isFault = false
  var isInserted = false
  /// Whether the object is inserted again because another context deleted its row.
  var isBack = false
  /// The version of the deleted row; 0 for a new object.
  var lastVersion = 0
  var isUpdated = false
  var isDeleted = false
  /// Whether its deletion has been propagated to related objects.
  var isPropagated = false
  /// Whether another context deleted the object, and this one merged the deletion.
  var isGone = false

  init(new entity: String) {
    self.entity = entity
    (isInserted, wasUnsaved) = (true, true)
  }

  init(_ row: StoredRow) {
    entity = row.entity
    take(row)
  }

  var hasChanges: Bool { isInserted || isUpdated || isDeleted && !isGone }

  /// The state that was saved, without what was read of relationships.
  var withoutChanges: ReferenceObject? {
    guard let stored, !isInserted else { return nil }
    var object = ReferenceObject(stored)
    object.lastSeen = lastSeen.merging(toManys.filter(\.value.isRead).mapValues(\.stored)) { $1 }
    return object
  }

  /// Sets the object's values to those of a row.
  mutating func take(_ row: StoredRow) {
    (stored, attributes, toOnes, isFault) = (row, row.attributes, row.toOnes, false)
  }

  /// Marks the object as updated.
  mutating func touch() {
    if !isInserted, !isDeleted { isUpdated = true }
  }
}

/// The destinations of a to-many relationship. Until they are read, only the added and removed ones are known.
struct Members: Equatable {
  var isOrdered = false
  var isRead = false
  var stored: [ObjectName] = []
  var now: [ObjectName] = []
  var added: [ObjectName] = []
  var removed: [ObjectName] = []

  var hasChanges: Bool {
    guard isRead else { return !added.isEmpty || !removed.isEmpty }
    return isOrdered ? stored != now : Set(stored) != Set(now)
  }

  /// Whether there are and were no members, as far as is known.
  var areNone: Bool { stored.isEmpty && now.isEmpty && added.isEmpty && removed.isEmpty }

  /// The members added and removed since the last save.
  var difference: (added: [ObjectName], removed: [ObjectName]) {
    guard isRead else { return (added, removed) }
    return (now.filter { !stored.contains($0) }, stored.filter { !now.contains($0) })
  }

  mutating func read(_ list: [ObjectName]) {
    guard !isRead else { return }
    stored = list
    now = list.filter { !removed.contains($0) }
    now += added.filter { !now.contains($0) }
    (isRead, added, removed) = (true, [], [])
  }

  func contains(_ name: ObjectName) -> Bool { (isRead ? now : added).contains(name) }

  mutating func append(_ name: ObjectName) {
    if isRead {
      if !now.contains(name) { now.append(name) }
    } else if let index = removed.firstIndex(of: name) {
      removed.remove(at: index)
    } else if !added.contains(name) {
      added.append(name)
    }
  }

  /// Makes a present member a new one.
  mutating func addAgain(_ name: ObjectName) {
    if isRead { stored.removeAll { $0 == name } }
  }

  mutating func remove(_ name: ObjectName) {
    if isRead {
      now.removeAll { $0 == name }
    } else if let index = added.firstIndex(of: name) {
      added.remove(at: index)
    } else if !removed.contains(name) {
      removed.append(name)
    }
  }

  /// Moves a member that has returned to where the store has it.
  mutating func moveToStoredPlace(_ name: ObjectName) {
    guard isRead, isOrdered, let place = stored.firstIndex(of: name),
      let position = now.firstIndex(of: name)
    else { return }
    now.remove(at: position)
    let former = stored[..<place].last { now.contains($0) }
    now.insert(name, at: former.flatMap { now.firstIndex(of: $0) }.map { $0 + 1 } ?? 0)
  }

  /// Moves a member to an index, counted without it.
  mutating func move(_ name: ObjectName, to index: Int) {
    guard isRead, let position = now.firstIndex(of: name) else { return }
    now.remove(at: position)
    now.insert(name, at: min(index, now.count))
  }

  /// Removes what has no row any more, as if it had never been read.
  mutating func drop(_ gone: Set<ObjectName>) {
    stored.removeAll(where: gone.contains)
    now.removeAll(where: gone.contains)
    added.removeAll(where: gone.contains)
    removed.removeAll(where: gone.contains)
  }

  /// Makes the current members the stored ones.
  mutating func commit() { (stored, added, removed) = (isRead ? now : [], [], []) }
}
