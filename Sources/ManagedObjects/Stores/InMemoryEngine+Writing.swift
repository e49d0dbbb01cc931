import ManagedModel

/// Writing rows.
extension InMemoryEngine {
  /// Whether saving an object gives its row a new version: for a value, or for members that have as many owners.
  static func writesRow(_ object: NSManagedObject) -> Bool {
    !object.isFault
      && (object.layout.values.contains { !$0.isTransient && object.hasChanged($0) }
        || object.layout.toManys.contains { property in
          property.inverse?.isToMany == true && members(of: object, property) != nil
        })
  }

  /// The members of a relationship that was changed; else nil.
  private static func members(
    of object: NSManagedObject, _ property: PropertyLayout
  ) -> ToManyMembers? {
    guard !object.toManys.isEmpty, let members = object.toManys[property.slot], members.hasChanges
    else { return nil }
    return members
  }

  /// Where members are listed.
  private struct Place: Hashable {
    let owner: NSManagedObjectID
    let slot: Int
  }

  /// Members that an owner loses and gains by their own to-one relationships.
  private struct Moves {
    var gone: Set<NSManagedObjectID> = []
    var come: [NSManagedObjectID] = []
  }

  /// Writes what differs from what was read: the rest may be another writer's by now.
  func write(_ changed: [NSManagedObject], _ deleted: [NSManagedObject]) {
    var moves: [Place: Moves] = [:]
    for object in changed {
      let isNew = object.state.contains(.inserted)
      guard isNew || Self.writesRow(object) else { continue }
      let table = table(object.layout)
      let known = isNew ? nil : table.rows[object.identity.key]
      var row = known ?? Row(object.layout)
      for property in object.layout.values
      where !property.isTransient && (known == nil || object.hasChanged(property)) {
        let value = lasting(object.currentValue(at: property.slot))
        note(object.identity, property, row.values[property.slot], value, in: &moves)
        row.values[property.slot] = value
      }
      row.version += 1
      table.rows[object.identity.key] = row
      object.version = row.version
    }
    for object in deleted {
      let row = table(object.layout).rows.removeValue(forKey: object.identity.key)
      for property in object.layout.toOnes {
        note(object.identity, property, row?.values[property.slot] ?? .null, .null, in: &moves)
      }
    }
    for (place, moves) in moves {
      change(place.slot, of: place.owner) { list in
        list.removeAll { moves.gone.contains($0) }
        let present = Set(list)
        list += moves.come.filter { !present.contains($0) }
      }
    }
    for object in changed { for property in object.layout.toManys { write(property, of: object) } }
  }

  private func lasting(_ value: StoredValue) -> StoredValue {
    value.reference?.successor.map { .reference($0) } ?? value
  }

  /// Notes that a member goes from one owner to another.
  private func note(
    _ member: NSManagedObjectID, _ property: PropertyLayout, _ old: StoredValue,
    _ new: StoredValue, in moves: inout [Place: Moves]
  ) {
    guard let inverse = property.inverse, inverse.isToMany, old != new else { return }
    if let owner = old.reference {
      moves[Place(owner: owner, slot: inverse.slot), default: Moves()].gone.insert(member)
    }
    if let owner = new.reference {
      moves[Place(owner: owner, slot: inverse.slot), default: Moves()].come.append(member)
    }
  }

  private func change(
    _ slot: Int, of owner: NSManagedObjectID, _ body: (inout [NSManagedObjectID]) -> Void
  ) {
    let table = table(owner.layout)
    guard table.rows[owner.key]?.toManys.indices.contains(slot) == true else { return }
    body(&table.rows[owner.key, default: Row(owner.layout)].toManys[slot])
  }

  /// Puts in and takes out what the object's relationship gained and lost, and has the rest in its order.
  private func write(_ property: PropertyLayout, of object: NSManagedObject) {
    guard let members = Self.members(of: object, property) else { return }
    let added = members.added.map(\.identity)
    let order = members.isLoaded ? members.objects.map(\.identity) : added
    change(property.slot, of: object.identity) { list in
      if !property.inverseIsToOne {
        let removed = Set(members.removed)
        list.removeAll { removed.contains($0) }
        let known = Set(list)
        list += added.filter { !known.contains($0) }
      }
      guard property.isOrdered else { return }
      let (present, wanted) = (Set(list), Set(order))
      let others = list.filter { !wanted.contains($0) }
      let arranged = order.filter { present.contains($0) }
      list = members.isLoaded ? arranged + others : others + arranged
    }
  }
}
