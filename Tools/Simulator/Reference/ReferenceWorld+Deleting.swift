/// Deletions and their propagation.
extension ReferenceWorld {
  mutating func delete(_ c: Int, _ name: ObjectName) throws {
    _ = try object(c, name)
    contexts[c].objects[name]?.isDeleted = true
    // References that the deletion leaves dangling must be ones that validation reports.
    var trial = self
    try trial.settle(c)
    if try trial.danglingReferences(c) > 0 { return }
    try trial.requireNoDangling(c)
  }

  /// Ends an event: propagates deletions to related objects, and removes objects that were never saved.
  mutating func settle(_ c: Int) throws {
    while let name = contexts[c].names({ $0.isDeleted && !$0.isPropagated }).first {
      contexts[c].objects[name]?.isPropagated = true
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity) {
        for target in try destinationsOfDeleted(c, name, relationship) {
          try propagate(c, target, from: name, relationship)
        }
      }
    }
    for name in contexts[c].names({ $0.isDeleted && $0.isInserted }) {
      contexts[c].objects[name] = nil
    }
    try remember(c)
  }

  mutating func propagate(
    _ c: Int, _ target: ObjectName, from name: ObjectName, _ relationship: RelationshipPlan
  ) throws {
    let inverse = model.inverse(of: relationship)
    let isReached = relationship.rule == .cascade || relationship.rule == .nullify && inverse != nil
    guard isReached else { return }
    guard try load(c, target) else { throw Undecided("a destination is gone") }
    guard contexts[c].objects[target]?.isDeleted == false else { return }
    if relationship.rule == .cascade {
      let others = contexts[c].objects[name].map { model.relationships(of: $0.entity) } ?? []
      for other in others where other.rule == .nullify {
        guard let back = model.inverse(of: other), try isUnaware(c, target, of: name, back) else {
          continue
        }
        throw Undecided("which rule of a deletion is the first to reach an object")
      }
      contexts[c].objects[target]?.isDeleted = true
    } else if let inverse {
      try learn(c, target, of: name, inverse)
      try unlink(c, target, inverse, name)
    }
  }

  /// Reads an object again whose row another writer has led to one that no longer leads there, and that doesn't know.
  mutating func learn(
    _ c: Int, _ target: ObjectName, of name: ObjectName, _ inverse: RelationshipPlan,
    isWritten: Bool = true
  ) throws {
    guard try isUnaware(c, target, of: name, inverse) else { return }
    guard contexts[c].plan.parent == nil else {
      throw Undecided("whether a child reads again what its parent has changed since")
    }
    if !isWritten, let object = contexts[c].objects[target],
      object.toOnes[inverse.name] != object.stored?.toOnes[inverse.name]
    {
      return
    }
    if let source = contexts[c].objects[name], source.isDeleted,
      model.relationships(of: source.entity).contains(where: { $0.rule == .cascade })
    {
      throw Undecided("which rule of a deletion is the first to reach an object")
    }
    if let object = contexts[c].objects[target], let stored = object.stored,
      object.toOnes[inverse.name] != stored.toOnes[inverse.name],
      hasOtherChanges(object, than: inverse)
    {
      // What else another writer has changed stays a conflict.
      contexts[c].objects[target]?.stored?.toOnes[inverse.name] = name
      return
    }
    try refresh(c, target, merging: true)
    _ = try load(c, target)
  }

  private func hasOtherChanges(
    _ object: ReferenceObject, than relationship: RelationshipPlan
  ) -> Bool {
    func others(_ toOnes: [String: ObjectName]?) -> [String: ObjectName]? {
      toOnes?.filter { $0.key != relationship.name }
    }
    func stored(_ attributes: [String: Int]?) -> [String: Int]? {
      attributes?.filter { isStored($0.key, object.entity) }
    }
    return others(object.toOnes) != others(object.stored?.toOnes)
      || stored(object.attributes) != stored(object.stored?.attributes)
  }

  /// Whether another writer has led an object to one to which it doesn't lead here.
  private func isUnaware(
    _ c: Int, _ target: ObjectName, of name: ObjectName, _ inverse: RelationshipPlan
  ) throws -> Bool {
    let key = inverse.name
    guard !inverse.isToMany, let object = contexts[c].objects[target], !object.isFault,
      let stored = object.stored, stored.toOnes[key] != name
    else { return false }
    var root = c
    while let parent = contexts[root].plan.parent { root = parent }
    if case .next = contexts[root].generation {
      throw Undecided("whether looking for the other side begins the state that is pinned")
    }
    return try copied { try $0.row(c, target) }?.toOnes[key] == name
  }

  /// The number of changed relationships whose new destination is deleted.
  func danglingReferences(_ c: Int) throws -> Int {
    var count = 0
    for (name, object) in contexts[c].objects where object.hasChanges && !object.isDeleted {
      let changed = object.toOnes.filter { $1 != object.stored?.toOnes[$0] }
      let toOnes = changed.map(\.value)
      if let row = store.rows[name], contexts[c].plan.parent == nil,
        try changed.contains(where: { try row.toOnes[$0] == $1 && !isThere(c, $1) })
      {
        throw Undecided("whether where another writer has led an object already counts as new")
      }
      let members = object.toManys.values.flatMap { $0.difference.added }
      count += try (toOnes + members).count { target in
        guard try !isThere(c, target) else { return false }
        // A child may have pushed a reference that it read before another context deleted the row.
        if contexts[c].objects[target] == nil, store.gone.contains(target) {
          throw Undecided("whether a save looks for rows that nobody has read here")
        }
        return true
      }
    }
    return count
  }

  /// Whether a relationship has a new destination in another store.
  func hasExternalReferences(_ c: Int) throws -> Bool {
    guard model.storeCount > 1 else { return false }
    for object in contexts[c].objects.values where object.hasChanges && !object.isDeleted {
      let store = model.store(of: object.entity)
      for relationship in model.relationships(of: object.entity)
      where model.store(of: relationship.destination) != store {
        if contexts[c].plan.parent != nil { throw Undecided("another store, through a parent") }
        let target = object.toOnes[relationship.name]
        if target != nil, target != object.stored?.toOnes[relationship.name] { return true }
        if object.toManys[relationship.name]?.difference.added.isEmpty == false { return true }
      }
    }
    return false
  }

  func isThere(_ c: Int, _ name: ObjectName) throws -> Bool {
    if let known = contexts[c].objects[name] { return !known.isDeleted }
    return try copied { try $0.row(c, name) } != nil
  }

  /// Requires that no saved relationship refers to a deleted object.
  func requireNoDangling(_ c: Int) throws {
    for (name, object) in contexts[c].objects where object.hasChanges && !object.isDeleted {
      let members = object.toManys.values.flatMap { $0.isRead ? $0.now : $0.added }
      for target in object.toOnes.values + members {
        guard try isThere(c, target) else {
          throw Undecided("object \(name) leads to \(target), which is gone")
        }
      }
    }
    guard contexts[c].plan.parent == nil, missingDestinations(c) == nil else { return }
    var trial = self
    trial.write(c)
    for (name, row) in trial.store.rows
    where row.toOnes.values.contains(where: { trial.store.rows[$0] == nil }) {
      throw Undecided("row \(name) leads nowhere")
    }
    guard trial.store.listsLeadToRows else { throw Undecided("a member has no row") }
  }

  /// Returns the result of a closure for a copy, so that reading isn't recorded in `self`.
  func copied<Result>(_ body: (inout ReferenceWorld) throws -> Result) rethrows -> Result {
    var copy = self
    return try body(&copy)
  }

  mutating func rollback(_ c: Int) {
    contexts[c].undo = UndoState()
    for (name, object) in contexts[c].objects where object.hasChanges && !object.isGone {
      contexts[c].objects[name] = object.withoutChanges
    }
    contexts[c].undo.last = contexts[c].objects
  }

  mutating func refresh(_ c: Int, _ name: ObjectName, merging: Bool) throws {
    guard let object = contexts[c].objects[name] else {
      throw Undecided(impossible: "it isn't known")
    }
    guard !object.isDeleted else { throw Undecided(impossible: "a deleted object is refreshed") }
    if object.isInserted {
      // A new object has no row to refresh from: it is no longer inserted.
      let others = contexts[c].objects.filter { $0.key != name && $0.value.leads(to: name) }
      let isKnownBelow = contexts.contains { $0.plan.parent == c && $0.objects[name] != nil }
      guard merging || others.isEmpty && !isKnownBelow else {
        throw Undecided("others know it still")
      }
      if !merging { contexts[c].objects[name] = nil }
      contexts[c].undo.isBlocked = true
      return
    }
    // The row is only read in a copy: in a context that is about to be pinned, the next real read determines the state.
    let isOld = try object.stored?.version != copied { try $0.row(c, name) }?.version
    let losesValues = model.attributes(of: object.entity).contains {
      $0.isTransient && object.attributes[$0.name] != $0.defaultValue
    }
    // An undo would restore values that no longer exist.
    let losesMembers = object.toManys.values.contains(where: \.isRead)
    if object.hasChanges || isOld || losesValues || losesMembers {
      contexts[c].undo.isBlocked = true
    }
    if contexts[c].undo.makesFlagsVague, losesValues, merging, !object.differs {
      throw Undecided("whether an object counts as changed after an undo")
    }
    guard merging, object.isUpdated else {
      // The other sides of relationships aren't refreshed.
      if object.isUpdated,
        object.toManys.values.contains(where: \.hasChanges)
          || object.toOnes != object.stored?.toOnes || hasDeletedMember(c, name, object)
      {
        throw Undecided("one side of a relationship is refreshed")
      }
      contexts[c].objects[name]?.isUpdated = false
      contexts[c].objects[name]?.isFault = true
      contexts[c].objects[name]?.toManys = [:]
      contexts[c].objects[name]?.lastSeen = [:]
      contexts[c].objects[name]?.attributes = [:]
      return
    }
    guard let row = try row(c, name), let stored = object.stored else {
      throw Undecided("the row is gone")
    }
    try rebase(c, name, onto: row, from: stored)
  }

  /// Whether the rows tell that a member of an object is deleted here: its owners may have been read again for that.
  private func hasDeletedMember(
    _ c: Int, _ name: ObjectName, _ object: ReferenceObject
  ) -> Bool {
    model.relationships(of: object.entity).contains { relationship in
      relationship.isToMany
        && store.members(name, relationship).contains { contexts[c].objects[$0]?.isDeleted == true }
    }
  }

  /// Applies pending changes to another row.
  private mutating func rebase(
    _ c: Int, _ name: ObjectName, onto row: StoredRow, from stored: StoredRow
  ) throws {
    guard var object = contexts[c].objects[name] else { return }
    let (attributes, toOnes) = (object.attributes, object.toOnes)
    object.take(row)
    for attribute in model.attributes(of: object.entity) where attribute.isTransient {
      object.attributes[attribute.name] = attributes[attribute.name]
      object.stored?.attributes[attribute.name] = stored.attributes[attribute.name]
    }
    for key in Set(attributes.keys).union(stored.attributes.keys)
    where attributes[key] != stored.attributes[key] {
      object.attributes[key] = attributes[key]
    }
    for key in Set(toOnes.keys).union(stored.toOnes.keys) where toOnes[key] != stored.toOnes[key] {
      object.toOnes[key] = toOnes[key]
      guard let theirs = row.toOnes[key], theirs != stored.toOnes[key], theirs != toOnes[key],
        let relationship = model.relationship(key),
        let inverse = model.inverse(of: relationship), !inverse.isToMany
      else { continue }
      throw Undecided("a one-to-one of two writers")
    }
    for (key, members) in object.toManys {
      let difference = members.difference
      object.toManys[key] = Members(
        isOrdered: members.isOrdered, added: difference.added, removed: difference.removed)
    }
    let read = contexts[c].objects[name]?.toManys.filter(\.value.isRead) ?? [:]
    object.lastSeen = [:]
    contexts[c].objects[name] = object
    // Relationships that were loaded are read again immediately.
    for (key, old) in read.sorted(by: { $0.key < $1.key }) {
      guard let relationship = model.relationship(key) else { continue }
      _ = try readMembers(c, name, relationship)
      guard relationship.isOrdered, old.hasChanges else { continue }
      guard members(c, name, key).stored == old.stored else {
        throw Undecided("two writers of one order")
      }
      contexts[c].objects[name]?.toManys[key] = old
    }
  }
}
