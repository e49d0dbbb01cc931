import DataModels

/// Writing rows.
extension RowTables {
  /// The changes that a save writes, once it is known to have no conflicts with other writers.
  struct Plan {
    /// The indexes of the updates to write.
    let written: [Int]
    /// The rows to delete.
    let deleted: [RowChange]
  }

  /// Determines the changes to write.
  ///
  /// - Throws: ``StoreConflicts`` for rows that other writers have changed.
  func plan(_ changes: StoreChanges) throws -> Plan {
    var conflicts = StoreConflicts()
    let written = changes.writtenUpdates
    // Rows that another writer has deleted already are skipped: nothing is lost.
    let deleted = changes.deleted.filter { self[$0.layout, $0.key] != nil }
    for change in written.map({ changes.updated[$0] }) + deleted + changes.guarded {
      let row = stored(change)
      guard row?.version != change.version else { continue }
      conflicts.versions.append((RowKey(change), row))
    }
    // Rows that were gone are to be written again, and another writer may have done so.
    for change in changes.inserted where change.version != 0 {
      guard let row = stored(change) else { continue }
      conflicts.versions.append((RowKey(change), row))
    }
    if conflicts.isEmpty { conflicts.references = missingReferences(changes) }
    guard conflicts.isEmpty else { throw conflicts }
    return Plan(written: written, deleted: deleted)
  }

  /// The present row of a changed one.
  private func stored(_ change: RowChange) -> StoredRow? {
    self[change.layout, change.key].map {
      StoredRow(layout: $0.layout, key: change.key, version: $0.version, values: $0.values)
    }
  }

  /// The new references to rows that don't exist.
  private func missingReferences(_ changes: StoreChanges) -> [StoreChanges.Reference] {
    let references = changes.unguardedReferences
    guard !references.isEmpty else { return [] }
    let new = Set(changes.inserted.map { RowKey($0) })
    let gone = Set(changes.deleted.map { RowKey($0) })
    return references.filter {
      $0.target.storeReference === reference && !new.contains(RowKey($0.target))
        && (self[$0.target.layout, $0.target.key] == nil || gone.contains(RowKey($0.target)))
    }
  }

  /// A row's list of members.
  private struct Place: Hashable {
    let owner: NSManagedObjectID
    let slot: Int
  }

  /// The members that an owner loses and gains through changes of their own relationships.
  private struct Moves {
    var gone: Set<NSManagedObjectID> = []
    var come: [NSManagedObjectID] = []
  }

  /// Writes the values that differ from what was read. Other writers may have changed the rest meanwhile.
  ///
  /// - Throws: an error for a value that files can't store; some rows may have been written then.
  func write(_ changes: StoreChanges, _ plan: Plan) throws {
    var moves: [Place: Moves] = [:]
    let returning = changes.inserted.filter { $0.version != 0 }
    forgetOldOwners(of: returning)
    for change in changes.inserted { try write(change, over: Row(change.layout), &moves) }
    for change in plan.written.map({ changes.updated[$0] }) {
      try write(change, over: table(change.layout).rows[change.key], &moves)
    }
    regainMembers(of: returning)
    for change in plan.deleted { delete(change, &moves) }
    for change in changes.members { noteOtherSide(of: change, in: &moves) }
    for (place, moves) in moves {
      self.change(place.slot, of: place.owner) { list in
        list.removeAll { moves.gone.contains($0) }
        let present = Set(list)
        list += moves.come.filter { !present.contains($0) }
      }
    }
    for change in changes.members { write(change) }
  }

  /// Removes rows that were deleted and are written again from the member lists that no inverse has cleared: they
  /// come back as new rows.
  private func forgetOldOwners(of rows: [RowChange]) {
    guard !rows.isEmpty else { return }
    let members = Set(rows.map { id(of: $0) })
    var owners: [Place] = []
    forEach { key, row in
      for property in row.layout.toManys
      where property.inverse == nil && !members.isDisjoint(with: row.toManys[property.slot]) {
        let owner = NSManagedObjectID(layout: row.layout, store: reference, key: key)
        owners.append(Place(owner: owner, slot: property.slot))
      }
    }
    for place in owners {
      change(place.slot, of: place.owner) { list in list.removeAll { members.contains($0) } }
    }
  }

  /// Gives rows that were deleted and are written again the members that still refer to them, because the deletion's
  /// rule was to do nothing.
  private func regainMembers(of rows: [RowChange]) {
    for change in rows {
      for property in change.layout.toManys {
        guard let inverse = property.inverse, !inverse.isToMany,
          let destination = property.destination
        else { continue }
        let owner = StoredValue.reference(id(of: change))
        let members = table(destination).rows.filter {
          $0.value.layout.isKind(of: destination) && $0.value.values[inverse.slot] == owner
        }
        self.change(property.slot, of: id(of: change)) { list in
          list = members.sorted { $0.key < $1.key }.map {
            NSManagedObjectID(layout: $0.value.layout, store: reference, key: $0.key)
          }
        }
      }
    }
  }

  /// Removes a row, and itself from the lists of its relationships' other sides, even of those whose rule is to do
  /// nothing: a row that is written again later doesn't regain them, as in SQLite stores.
  private func delete(_ change: RowChange, _ moves: inout [Place: Moves]) {
    touch(change.key)
    guard let row = table(change.layout).rows.removeValue(forKey: change.key) else { return }
    for property in row.layout.toOnes {
      note(
        id(of: change), property: property, from: row.values[property.slot], to: .null, in: &moves)
    }
    for property in row.layout.toManys {
      guard let inverse = property.inverse, inverse.isToMany else { continue }
      for member in row.toManys[property.slot] {
        moves[Place(owner: member, slot: inverse.slot), default: Moves()].gone.insert(
          id(of: change))
      }
    }
  }

  private func id(of change: RowChange) -> NSManagedObjectID {
    NSManagedObjectID(layout: change.layout, store: reference, key: change.key)
  }

  private func touch(_ key: Int64) {
    if isForFile { touchedKeys.insert(key) }
  }

  private func write(
    _ change: RowChange, over known: Row?, _ moves: inout [Place: Moves]
  ) throws {
    guard var row = known else { return }
    let isNew = row.version == 0
    for property in change.layout.values
    where !property.isTransient && (isNew || change.differs(at: property.slot)) {
      let value = try permanent(change[property.slot], property)
      note(
        id(of: change), property: property, from: row.values[property.slot], to: value, in: &moves)
      row.values[property.slot] = value
    }
    row.version = change.version &+ 1
    table(change.layout).rows[change.key] = row
    touch(change.key)
  }

  private func permanent(_ value: StoredValue, _ property: PropertyLayout) throws -> StoredValue {
    if let reference = value.reference { return .reference(reference.successor ?? reference) }
    guard isForFile else { return value }
    switch property.attributeType {
    case .transformableAttributeType:
      guard case .box(let box) = value else { return value }
      return .data(try box.bytes(for: property.description as? NSAttributeDescription))
    // No store keeps values of these types.
    case .undefinedAttributeType, .objectIDAttributeType: return .null
    default: return value
    }
  }

  /// Records that a member moves from one owner to another.
  private func note(
    _ member: NSManagedObjectID, property: PropertyLayout, from old: StoredValue,
    to new: StoredValue, in moves: inout [Place: Moves]
  ) {
    guard let inverse = property.inverse, inverse.isToMany, old != new else { return }
    if let owner = old.reference {
      moves[Place(owner: owner, slot: inverse.slot), default: Moves()].gone.insert(member)
    }
    if let owner = new.reference {
      moves[Place(owner: owner, slot: inverse.slot), default: Moves()].come.append(member)
    }
  }

  /// Records what members of a many-to-many relationship gain and lose through their owner's change. Their own lists
  /// may be unchanged, for example if a member was read before another writer related it.
  private func noteOtherSide(of members: MemberChange, in moves: inout [Place: Moves]) {
    guard let inverse = members.property.inverse, inverse.isToMany else { return }
    let owner = id(of: members.owner)
    for member in members.removed {
      moves[Place(owner: member, slot: inverse.slot), default: Moves()].gone.insert(owner)
    }
    for member in members.added {
      moves[Place(owner: member, slot: inverse.slot), default: Moves()].come.append(owner)
    }
  }

  private func change(
    _ slot: Int, of owner: NSManagedObjectID, _ body: (inout [NSManagedObjectID]) -> Void
  ) {
    let table = table(owner.layout)
    guard table.rows[owner.key]?.toManys.indices.contains(slot) == true else { return }
    body(&table.rows[owner.key, default: Row(owner.layout)].toManys[slot])
    touch(owner.key)
  }

  /// Applies a relationship's additions and removals, and arranges the members in order.
  private func write(_ members: MemberChange) {
    let property = members.property
    change(property.slot, of: id(of: members.owner)) { list in
      if !property.isToldByMembers {
        let removed = Set(members.removed)
        list.removeAll { removed.contains($0) }
        let known = Set(list)
        list += members.added.filter { !known.contains($0) }
      }
      guard property.isOrdered else { return }
      let order = members.order ?? members.added
      let (present, wanted) = (Set(list), Set(order))
      let others = list.filter { !wanted.contains($0) }
      let arranged = order.filter { present.contains($0) }
      list = members.order == nil ? others + arranged : arranged + others
    }
  }
}
