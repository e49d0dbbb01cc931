/// An object as a context knows it.
struct ReferenceObject: Equatable {
  var entity: String
  /// The row as it was read; nil for an object that was never saved.
  var stored: StoredRow?
  var attributes: [String: Int] = [:]
  var toOnes: [String: ObjectName] = [:]
  /// The to-many relationships that were touched.
  var toManys: [String: Members] = [:]
  /// To-many relationships that a predicate may have read, which was evaluated for unsaved changes: as far as it
  /// needed.
  var maybeRead: Set<String> = []
  /// Whether the store had no row of it when the context first knew it.
  var wasUnsaved = false
  /// Whether the values are not here.
  var isFault = false
  var isInserted = false
  /// Whether it is inserted again, as another context has deleted its row.
  var isBack = false
  /// The version of the row that was deleted; 0 of an object that is new.
  var lastVersion = 0
  var isUpdated = false
  var isDeleted = false
  /// Whether its deletion has reached others.
  var isPropagated = false
  /// Whether another context deleted it, and this one was told.
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

  /// Takes a row's values for its own.
  mutating func take(_ row: StoredRow) {
    (stored, attributes, toOnes, isFault) = (row, row.attributes, row.toOnes, false)
  }

  /// Notes that something changes.
  mutating func touch() {
    if !isInserted, !isDeleted { isUpdated = true }
  }
}

/// The destinations of a to-many relationship. Until they are read, only what was added and removed is known.
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

  /// Whether there are none, and were none, as far as is known.
  var areNone: Bool { stored.isEmpty && now.isEmpty && added.isEmpty && removed.isEmpty }

  /// What was added and removed since the last save.
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

  mutating func remove(_ name: ObjectName) {
    if isRead {
      now.removeAll { $0 == name }
    } else if let index = added.firstIndex(of: name) {
      added.remove(at: index)
    } else if !removed.contains(name) {
      removed.append(name)
    }
  }

  /// What is here is what the store has now.
  mutating func commit() { (stored, added, removed) = (isRead ? now : [], [], []) }
}
