/// Deleting, and where deletions lead.
extension ReferenceWorld {
  mutating func delete(_ c: Int, _ name: ObjectName) throws {
    _ = try object(c, name)
    contexts[c].objects[name]?.isDeleted = true
    // What would be left dangling is for the programs that ask for it.
    var trial = self
    try trial.settle(c)
    try trial.requireNoDangling(c)
  }

  /// Ends an event: deletions reach related objects, and objects that were never saved are forgotten.
  mutating func settle(_ c: Int) throws {
    while let name = contexts[c].names({ $0.isDeleted && !$0.isPropagated }).first {
      contexts[c].objects[name]?.isPropagated = true
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity) {
        let targets =
          relationship.isToMany
          ? try readMembers(c, name, relationship)
          : object.toOnes[relationship.name].map { [$0] } ?? []
        for target in targets { try propagate(c, target, from: name, relationship) }
      }
    }
    for name in contexts[c].names({ $0.isDeleted && $0.isInserted }) {
      contexts[c].objects[name] = nil
    }
  }

  private mutating func propagate(
    _ c: Int, _ target: ObjectName, from name: ObjectName, _ relationship: RelationshipPlan
  ) throws {
    guard try load(c, target) else { throw Undecided("a destination is gone") }
    guard contexts[c].objects[target]?.isDeleted == false else { return }
    switch relationship.rule {
    case .cascade: contexts[c].objects[target]?.isDeleted = true
    case .nullify:
      if let inverse = model.inverse(of: relationship) { try unlink(c, target, inverse, name) }
    case .deny, .noAction: break
    }
  }

  /// That nothing that stays leads to what goes.
  func requireNoDangling(_ c: Int) throws {
    let present = Set(contexts[c].names { !$0.isDeleted })
    let gone = Set(contexts[c].names { $0.isDeleted })
    func isGone(_ name: ObjectName) -> Bool {
      gone.contains(name) || (!present.contains(name) && store.rows[name] == nil)
    }
    for (name, object) in contexts[c].objects where !object.isDeleted {
      if object.toOnes.values.contains(where: isGone) {
        throw Undecided("object \(name) would lead to a deleted one")
      }
      for members in object.toManys.values {
        if (members.isRead ? members.now : members.added).contains(where: isGone) {
          throw Undecided("object \(name) would lead to a deleted one")
        }
      }
    }
    for (name, row) in store.rows where contexts[c].objects[name] == nil {
      if row.toOnes.values.contains(where: isGone) {
        throw Undecided("row \(name) would lead to a deleted one")
      }
      for relationship in model.relationships(of: row.entity)
      where relationship.isToMany && store.members(name, relationship).contains(where: isGone) {
        if let inverse = model.inverse(of: relationship), inverse.rule == .nullify { continue }
        throw Undecided("row \(name) would lead to a deleted one")
      }
    }
  }

  mutating func rollback(_ c: Int) {
    for (name, object) in contexts[c].objects where object.hasChanges {
      guard let stored = object.stored, !object.isInserted else {
        contexts[c].objects[name] = nil
        continue
      }
      contexts[c].objects[name] = ReferenceObject(stored)
    }
  }

  mutating func refresh(_ c: Int, _ name: ObjectName, merging: Bool) throws {
    guard let object = contexts[c].objects[name], !object.isInserted else { return }
    guard !object.isDeleted else { throw Undecided("a deleted object is refreshed") }
    guard merging, object.isUpdated else {
      // What leads here from others keeps doing so.
      if object.isUpdated,
        object.toManys.values.contains(where: \.hasChanges)
          || object.toOnes != object.stored?.toOnes
      {
        throw Undecided("one side of a relationship is refreshed")
      }
      contexts[c].objects[name]?.isUpdated = false
      contexts[c].objects[name]?.isFault = true
      contexts[c].objects[name]?.toManys = [:]
      contexts[c].objects[name]?.attributes = [:]
      return
    }
    guard let row = try row(c, name), let stored = object.stored else {
      throw Undecided("the row is gone")
    }
    try rebase(c, name, onto: row, from: stored)
  }

  /// Puts pending changes on top of another row.
  private mutating func rebase(
    _ c: Int, _ name: ObjectName, onto row: StoredRow, from stored: StoredRow
  ) throws {
    guard var object = contexts[c].objects[name] else { return }
    let (attributes, toOnes) = (object.attributes, object.toOnes)
    object.take(row)
    for key in Set(attributes.keys).union(stored.attributes.keys)
    where attributes[key] != stored.attributes[key] {
      object.attributes[key] = attributes[key]
    }
    for key in Set(toOnes.keys).union(stored.toOnes.keys) where toOnes[key] != stored.toOnes[key] {
      object.toOnes[key] = toOnes[key]
    }
    for (key, members) in object.toManys {
      let difference = members.difference
      let isReordered =
        difference.added.isEmpty && difference.removed.isEmpty && members.hasChanges
      if isReordered { throw Undecided("a changed order is merged") }
      object.toManys[key] = Members(added: difference.added, removed: difference.removed)
    }
    contexts[c].objects[name] = object
  }
}
