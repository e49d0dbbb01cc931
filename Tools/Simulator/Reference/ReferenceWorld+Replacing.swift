/// Clashes of unique values: one object survives and replaces the others, the losers.
extension ReferenceWorld {
  /// Objects that have the same values and must not.
  struct Clash {
    /// The objects that the save writes; those saved earlier come first.
    var objects: [ObjectName]
    /// The row with the same values that the save doesn't write.
    var row: ObjectName?
    var attributes: [String]
  }

  /// The unique values that would occur twice if the save wrote everything. Values swapped within one save are no
  /// clash.
  func clashes(_ c: Int) throws -> [Clash] {
    // An object whose row values don't change isn't written, even if its members change.
    let written = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
      .filter { name in
        guard let object = contexts[c].objects[name] else { return false }
        return object.isInserted || object.differsFromRow { isStored($0, object.entity) }
      }
    let others = store.rows.keys.sorted().filter {
      // What others have deleted, this save doesn't delete; the row may be there again.
      guard let object = contexts[c].objects[$0] else { return true }
      return !written.contains($0) && (!object.isDeleted || object.isGone)
    }
    var clashes: [Clash] = []
    var known: Set<ObjectName> = []
    for entity in model.entities {
      for attributes in entity.constraints {
        var groups: [[Int]: Clash] = [:]
        for name in written {
          guard let object = contexts[c].objects[name],
            model.isKind(object.entity, of: entity.name),
            let values = values(of: attributes, object.attributes)
          else { continue }
          groups[values, default: Clash(objects: [], attributes: attributes)].objects.append(name)
        }
        for name in others {
          guard let row = store.rows[name], model.isKind(row.entity, of: entity.name),
            let values = values(of: attributes, row.attributes)
          else { continue }
          groups[values]?.row = name
        }
        for (_, clash) in groups.sorted(by: { $0.value.objects[0] < $1.value.objects[0] })
        where clash.objects.count > 1 || clash.row != nil {
          for name in clash.objects where !known.insert(name).inserted {
            throw Undecided("which of two clashes comes first")
          }
          clashes.append(try inOrder(clash, c))
        }
      }
    }
    return clashes
  }

  /// Sorts the objects: stored ones first, beginning with the one that already had the values.
  private func inOrder(_ clash: Clash, _ c: Int) throws -> Clash {
    func had(_ name: ObjectName) -> Bool {
      let stored = contexts[c].objects[name]?.stored?.attributes ?? [:]
      return values(of: clash.attributes, stored)
        == values(of: clash.attributes, contexts[c].objects[name]?.attributes ?? [:])
    }
    let known = clash.objects.filter { contexts[c].objects[$0]?.isInserted == false }
    let new = clash.objects.filter { contexts[c].objects[$0]?.isInserted == true }
    guard known.count < 2 || known.contains(where: had) && known.count == 2 else {
      throw Undecided("which of two objects had the values first")
    }
    guard new.count < 2 || !contexts.contains(where: { $0.plan.parent == c }) else {
      throw Undecided("which of two objects a child's save brought first")
    }
    // What an undo brings back is inserted after what has stayed.
    guard new.count < 2 || !contexts[c].undo.makesFlagsVague else {
      throw Undecided("which of two objects was inserted first, after an undo")
    }
    let back = new.filter { contexts[c].objects[$0]?.isBack == true }
    guard back.count < 2 else { throw Undecided("which of two objects comes back first") }
    guard
      clash.objects.count < 3
        || Set(clash.objects.map { contexts[c].objects[$0]?.entity }).count == 1
    else { throw Undecided("whether what led to the first loser leads to the last survivor") }
    var ordered = clash
    ordered.objects =
      known.filter(had) + known.filter { !had($0) } + back + new.filter { !back.contains($0) }
    return ordered
  }

  /// The values that must be unique; nil if one is missing, as that doesn't equal anything.
  private func values(of keys: [String], _ attributes: [String: Int]) -> [Int]? {
    let values = keys.compactMap { attributes[$0] }
    return values.count == keys.count ? values : nil
  }

  /// Throws `Undecided` if objects clash with one row by several constraints: whose values it takes last is unspecified.
  func requireSeparateRows(_ clashes: [Clash]) throws {
    let rows = clashes.compactMap(\.row)
    guard Set(rows).count == rows.count else {
      throw Undecided("which of two losers of a row gives it its values last")
    }
  }

  /// Throws `Undecided` if two clashes affect members of the same ordered relationship: which survivor is inserted into
  /// the order first is unspecified.
  func requireSeparateOrders(_ clashes: [Clash], _ c: Int) throws {
    for owner in Set(store.rows.keys).union(contexts[c].objects.keys) {
      let entity = entity(owner, in: .context(c)) ?? ""
      for relationship in model.relationships(of: entity) where relationship.isOrdered {
        let known = members(c, owner, relationship.name)
        let list = Set(known.now + known.added + store.members(owner, relationship))
        let count = clashes.count { clash in
          !list.isDisjoint(with: clash.objects) || clash.row.map(list.contains) == true
        }
        guard count < 2 else { throw Undecided("which survivor comes into an order first") }
      }
    }
  }

  /// Throws `Undecided` if an object of one clash is the partner of one of another: which survivor takes its loser's partner
  /// first is unspecified.
  func requireSeparatePartners(_ clashes: [Clash], _ c: Int) throws {
    for clash in clashes {
      let others = Set(
        clashes.flatMap {
          $0.objects == clash.objects ? [] : $0.objects + [$0.row].compactMap { $0 }
        })
      for name in clash.objects {
        guard let object = contexts[c].objects[name] else { continue }
        for relationship in model.relationships(of: object.entity) where !relationship.isToMany {
          guard model.inverse(of: relationship)?.isToMany == false,
            let partner = object.toOnes[relationship.name], others.contains(partner)
          else { continue }
          throw Undecided("which of two related survivors takes a partner first")
        }
      }
    }
  }

  // MARK: Resolving

  mutating func resolve(_ c: Int, _ clash: Clash, _ policy: ContextPlan.Policy) throws {
    // Clashes between objects of the save are resolved first, those with the row in the next iteration.
    if clash.objects.count > 1 {
      var survivor = clash.objects[0]
      for name in clash.objects.dropFirst() {
        survivor = try settle(c, survivor, name, clash.attributes, policy)
      }
    } else if let row = clash.row {
      // The conflicting row may have changed since it was read.
      if contexts[c].objects[row] != nil { try refresh(c, row, merging: true) }
      guard try load(c, row) else { return }
      _ = try settle(c, row, clash.objects[0], clash.attributes, policy)
    }
  }

  /// Where a survivor's final values come from.
  private enum Values {
    /// The loser's values, where it has some.
    case losers
    /// The survivor's own values, and the loser's where it has none.
    case ownFirst
    case own
  }

  /// Resolves the clash of an object saved earlier with another one.
  ///
  /// - Returns: the survivor.
  private mutating func settle(
    _ c: Int, _ present: ObjectName, _ name: ObjectName, _ attributes: [String],
    _ policy: ContextPlan.Policy
  ) throws -> ObjectName {
    guard let first = contexts[c].objects[present], let object = contexts[c].objects[name] else {
      return present
    }
    switch policy {
    case .objectTrump where object.isInserted && model.isKind(first.entity, of: object.entity):
      try replace(c, name, by: present, .losers)
      return present
    case .objectTrump:
      try replace(c, present, by: name, .ownFirst)
      return name
    case .overwrite:
      try replace(c, present, by: name, .own)
      return name
    case .storeTrump where !object.isInserted:
      let stored = object.stored?.attributes ?? [:]
      try change(c, name) { object in
        for key in attributes { object.attributes[key] = stored[key] }
      }
    case .rollback where !object.isInserted:
      guard var row = store.rows[name] else { throw Undecided("its row is gone") }
      // The object returns to its state when it was saved, and attributes without a column aren't read again.
      for attribute in model.attributes(of: object.entity) where attribute.isTransient {
        row.attributes[attribute.name] = object.stored?.attributes[attribute.name]
      }
      try dropChanges(c, name, onto: row)
    default: try replace(c, name, by: present, .own)
    }
    return present
  }

  // MARK: Replacing

  private mutating func replace(
    _ c: Int, _ loser: ObjectName, by survivor: ObjectName, _ values: Values
  ) throws {
    guard let object = contexts[c].objects[loser], let present = contexts[c].objects[survivor]
    else { return }
    for attribute in model.attributes(of: object.entity)
    where !attribute.isTransient && attribute.counted == nil {
      let key = attribute.name
      guard model.attribute(key, of: present.entity) != nil, let value = object.attributes[key],
        value != present.attributes[key]
      else { continue }
      guard values == .losers || values == .ownFirst && present.attributes[key] == nil else {
        continue
      }
      try change(c, survivor) { $0.attributes[key] = value }
    }
    let places = try places(c, of: loser, for: survivor)
    try part(c, loser, survivor)
    noteMembers(c, survivor)
    // They are read, so that the loser's come after them.
    let orders = model.relationships(of: object.entity).filter { $0.isToMany && $0.isOrdered }
    contexts[c].objects[survivor]?.maybeRead.formUnion(orders.map(\.name))
    // Those of superentities first, and by name, as in rows: where they meet, the first decides.
    let relationships = model.lineage(of: object.entity).reversed().flatMap { entity in
      entity.relationships.sorted { $0.name < $1.name }
    }
    for relationship in relationships where !relationship.isToMany {
      try moveToOne(c, relationship, from: loser, to: survivor, values)
    }
    for isOrdered in [true, false] {
      for relationship in relationships
      where relationship.isToMany && relationship.isOrdered == isOrdered {
        try moveMembers(c, relationship, from: loser, to: survivor)
      }
    }
    for place in places {
      contexts[c].objects[place.owner]?.toManys[place.key]?.move(survivor, to: place.index)
    }
    contexts[c].objects[loser]?.isDeleted = true
    contexts[c].objects[loser]?.isPropagated = true
    try redirectReferences(c, from: loser, to: survivor)
    if object.isInserted { contexts[c].objects[loser] = nil }
    replaced.insert(loser)
  }

  /// The places of a loser in the orders of others that the survivor isn't in. These are read.
  private mutating func places(
    _ c: Int, of loser: ObjectName, for survivor: ObjectName
  ) throws -> [(owner: ObjectName, key: String, index: Int)] {
    guard let object = contexts[c].objects[loser] else { return [] }
    var places: [(owner: ObjectName, key: String, index: Int)] = []
    for relationship in model.relationships(of: object.entity) {
      guard let inverse = model.inverse(of: relationship), inverse.isOrdered else { continue }
      let owners =
        try relationship.isToMany
        ? readMembers(c, loser, relationship) : object.toOnes[relationship.name].map { [$0] } ?? []
      for owner in owners where contexts[c].objects[owner]?.isDeleted != true {
        let members = try readMembers(c, owner, inverse)
        guard owner != loser, owner != survivor, !members.contains(survivor),
          let index = members.firstIndex(of: loser)
        else { continue }
        places.append((owner, inverse.name, index))
      }
    }
    return places
  }

  /// Notes which members a survivor has: they may be read before it is given those of a loser.
  private mutating func noteMembers(_ c: Int, _ survivor: ObjectName) {
    guard let object = contexts[c].objects[survivor] else { return }
    for relationship in model.relationships(of: object.entity)
    where relationship.isToMany && object.toManys[relationship.name]?.isRead != true {
      contexts[c].objects[survivor]?.lastSeen[relationship.name] =
        store.members(survivor, relationship)
    }
  }

  /// Clears the to-one relationships between the two objects.
  private mutating func part(_ c: Int, _ loser: ObjectName, _ survivor: ObjectName) throws {
    for (name, other) in [(loser, survivor), (survivor, loser)] {
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity)
      where !relationship.isToMany && relationship.inverse != nil {
        if contexts[c].objects[name]?.toOnes[relationship.name] == other {
          try point(c, name, relationship.name, nil)
        }
      }
    }
  }

  private mutating func moveToOne(
    _ c: Int, _ relationship: RelationshipPlan, from loser: ObjectName, to survivor: ObjectName,
    _ values: Values
  ) throws {
    let key = relationship.name
    guard let target = contexts[c].objects[loser]?.toOnes[key],
      contexts[c].objects[target]?.isDeleted != true
    else { return }
    try point(c, loser, key, nil)
    guard let other = successor(of: target, loser, survivor),
      accepts(c, survivor, relationship, other)
    else { return }
    let fillsGap = values == .ownFirst || relationship.inverse != nil
    let isGap = contexts[c].objects[survivor]?.toOnes[key] == nil
    if values == .losers || fillsGap && isGap { try point(c, survivor, key, other) }
  }

  private mutating func moveMembers(
    _ c: Int, _ relationship: RelationshipPlan, from loser: ObjectName, to survivor: ObjectName
  ) throws {
    let key = relationship.name
    let members = try readMembers(c, loser, relationship)
    for target in members where contexts[c].objects[target]?.isDeleted != true {
      try remove(c, loser, key, target)
      guard let other = successor(of: target, loser, survivor),
        accepts(c, survivor, relationship, other)
      else { continue }
      try add(c, survivor, key, other)
    }
  }

  /// The survivor's destination in place of the loser's: the survivor itself if the loser referred to itself, and nil
  /// if the loser referred to the survivor, which would otherwise refer to itself.
  private func successor(
    of target: ObjectName, _ loser: ObjectName, _ survivor: ObjectName
  ) -> ObjectName? {
    target == loser ? survivor : target == survivor ? nil : target
  }

  /// Whether an object has a relationship that accepts another object as its destination.
  private func accepts(
    _ c: Int, _ owner: ObjectName, _ relationship: RelationshipPlan, _ target: ObjectName
  ) -> Bool {
    guard let own = contexts[c].objects[owner]?.entity,
      let other = entity(target, in: .context(c))
    else { return false }
    return model.relationship(relationship.name, of: own) != nil
      && model.isKind(other, of: relationship.destination)
  }

  /// Throws `Undecided` if an unchanged object refers to a loser, but no longer does so in the store: whether it is
  /// redirected, which would revert the other writer's change, is unspecified.
  private func requirePresent(_ object: ReferenceObject, _ isPresent: Bool) throws {
    guard object.hasChanges || isPresent else {
      throw Undecided("what was read before others led it elsewhere")
    }
  }

  /// Redirects relationships without inverse from the loser to the survivor.
  private mutating func redirectReferences(
    _ c: Int, from loser: ObjectName, to survivor: ObjectName
  ) throws {
    for relationship in model.entities.flatMap(\.relationships) where relationship.inverse == nil {
      let owners =
        relationship.isToMany
        ? store.owner(of: loser, relationship).map { [$0] } ?? []
        : store.rows.filter { $0.value.toOnes[relationship.name] == loser }.keys.sorted()
      for owner in owners where try load(c, owner) && relationship.isToMany {
        _ = try readMembers(c, owner, relationship)
      }
    }
    for name in contexts[c].names({ !$0.isDeleted && !$0.isFault }) {
      guard let object = contexts[c].objects[name] else { continue }
      for relationship in model.relationships(of: object.entity) {
        let key = relationship.name
        if !relationship.isToMany {
          guard object.toOnes[key] == loser else { continue }
          let isPresent = store.rows[name]?.toOnes[key] == loser
          try requirePresent(object, isPresent)
          try point(c, name, key, accepts(c, name, relationship, survivor) ? survivor : nil)
        } else if relationship.inverse == nil, object.toManys[key]?.contains(loser) == true {
          try requirePresent(object, store.owner(of: loser, relationship) == name)
          var members = members(c, name, key)
          let place = members.now.firstIndex(of: loser)
          members.remove(loser)
          if accepts(c, name, relationship, survivor) {
            try requireFree(c, survivor, relationship, besides: name)
            let isNew = !members.contains(survivor)
            members.append(survivor)
            if isNew, relationship.isOrdered, let place { members.move(survivor, to: place) }
          }
          try change(c, name) { $0.toManys[key] = members }
        }
      }
    }
  }
}
