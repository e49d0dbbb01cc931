import DataModels

/// Writing rows.
extension InMemoryEngine {
  /// The positions of the updates that give their rows a new version: for a value, or for members that have as
  /// many owners. What was set to the value it had is no change, and members' rows say who they belong to.
  func writtenUpdates(of changes: StoreChanges) -> [Int] {
    let owners = Set(
      changes.members.filter { $0.property.inverse?.isToMany == true }.map { RowKey($0.owner) })
    return changes.updated.indices.filter { position in
      let row = changes.updated[position]
      return row.hasValues
        && (row.layout.values.contains { !$0.isTransient && row.differs(at: $0.slot) }
          || owners.contains(RowKey(row)))
    }
  }

  /// Where members are listed.
  private struct Place: Hashable {
    let owner: NSManagedObjectID
    let slot: Int
  }

  /// Members that an owner loses and gains by their own relationships.
  private struct Moves {
    var gone: Set<NSManagedObjectID> = []
    var come: [NSManagedObjectID] = []
  }

  /// Writes what differs from what was read: the rest may be another writer's by now.
  func write(_ changes: StoreChanges, updating written: [Int], deleting deleted: [RowChange]) {
    var moves: [Place: Moves] = [:]
    for change in changes.inserted { write(change, over: Row(change.layout), &moves) }
    for change in written.map({ changes.updated[$0] }) {
      write(change, over: table(change.layout).rows[change.key], &moves)
    }
    for change in deleted {
      let row = table(change.layout).rows.removeValue(forKey: change.key)
      for property in change.layout.toOnes {
        note(
          id(of: change), property: property, from: row?.values[property.slot] ?? .null, to: .null,
          in: &moves)
      }
    }
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

  private func id(of change: RowChange) -> NSManagedObjectID {
    NSManagedObjectID(layout: change.layout, store: reference, key: change.key)
  }

  private func write(_ change: RowChange, over known: Row?, _ moves: inout [Place: Moves]) {
    guard var row = known else { return }
    let isNew = row.version == 0
    for property in change.layout.values
    where !property.isTransient && (isNew || change.differs(at: property.slot)) {
      let value = lasting(change[property.slot])
      note(
        id(of: change), property: property, from: row.values[property.slot], to: value, in: &moves)
      row.values[property.slot] = value
    }
    row.version = change.version &+ 1
    table(change.layout).rows[change.key] = row
  }

  private func lasting(_ value: StoredValue) -> StoredValue {
    value.reference?.successor.map { .reference($0) } ?? value
  }

  /// Notes that a member goes from one owner to another.
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

  /// Notes what members of many to many gain and lose by their owner's change. Their own lists need not have
  /// changed, as when one of them was read before others related it.
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
  }

  /// Puts in and takes out what a relationship gained and lost, and has the rest in its order.
  private func write(_ members: MemberChange) {
    let property = members.property
    change(property.slot, of: id(of: members.owner)) { list in
      if !property.inverseIsToOne {
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
