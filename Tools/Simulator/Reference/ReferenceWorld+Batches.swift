/// Requests that change rows without objects: without validation and conflicts, and without notifying contexts.
extension ReferenceWorld {
  mutating func batchInsert(
    _ c: Int, _ entity: String, _ rows: [[String: Int]], merging: Bool
  ) throws -> Expectation {
    guard let plan = model.entity(entity), !plan.isAbstract else {
      throw Undecided(impossible: "no entity")
    }
    var saved = SavedNames()
    for values in rows {
      guard let name = values[ModelPlan.serial], store.rows[name] == nil,
        !contexts.contains(where: { $0.objects[name] != nil })
      else { throw Undecided(impossible: "the name is taken") }
      try requireAttributes(values, of: entity)
      var row = StoredRow(entity: entity)
      for attribute in model.attributes(of: entity) where !attribute.isTransient {
        row.attributes[attribute.name] = values[attribute.name] ?? attribute.defaultValue
        if !attribute.isOptional, row.attributes[attribute.name] == nil {
          throw Undecided("a mandatory value is missing")
        }
      }
      guard model.relationships(of: entity).allSatisfy({ $0.isOptional && $0.minimum == 0 }) else {
        throw Undecided("a mandatory relationship")
      }
      store.rows[name] = row
      saved.inserted.append(name)
    }
    try requireUniqueRows()
    try requireWithinBounds(saved.inserted)
    try tell(saved, c, merging: merging)
    return .counts(rows.count)
  }

  mutating func batchUpdate(
    _ c: Int, _ entity: String, _ condition: Condition?, _ key: String, _ value: Int?,
    merging: Bool
  ) throws -> Expectation {
    guard let attribute = model.attribute(key, of: entity), !attribute.isTransient,
      attribute.counted == nil, value != nil || attribute.isOptional
    else { throw Undecided(impossible: "an attribute that can't be set") }
    let names = try selected(c, entity, condition)
    for name in names {
      store.rows[name]?.attributes[key] = value
      store.rows[name]?.version += 1
    }
    try requireUniqueRows()
    try requireWithinBounds(names)
    try tell(SavedNames(updated: names), c, merging: merging)
    return .counts(names.count)
  }

  /// Throws `Undecided` if rows have values out of bounds: tables on servers check those of batches, too.
  private func requireWithinBounds(_ names: [ObjectName]) throws {
    guard isOnServer else { return }
    for name in names {
      guard let row = store.rows[name] else { continue }
      for attribute in model.attributes(of: row.entity) {
        guard let most = attribute.most, let number = row.attributes[attribute.name] else {
          continue
        }
        guard number <= most else { throw Undecided("a batch against a check") }
      }
    }
  }

  mutating func batchDelete(
    _ c: Int, _ entity: String, _ condition: Condition?, merging: Bool
  ) throws -> Expectation {
    let names = try selected(c, entity, condition)
    let gone = cascade(names)
    if let code = try refusal(of: gone) { return .fails(code) }
    let before = store.rows
    release(gone)
    for name in gone { store.delete(name) }
    for row in store.rows.values
    where row.toOnes.values.contains(where: { store.rows[$0] == nil }) {
      throw Undecided("a row leads nowhere")
    }
    // The result only contains the requested rows, not those affected by their delete rules.
    let isTold = store.rows.allSatisfy { $0.value.toOnes == before[$0.key]?.toOnes }
    if gone.count > names.count || !isTold { hasUntoldChanges = true }
    try tell(SavedNames(deleted: names), c, merging: merging)
    return .counts(names.count)
  }

  // MARK: Rows

  /// The rows that a batch selects.
  private mutating func selected(
    _ c: Int, _ entity: String, _ condition: Condition?
  ) throws -> [ObjectName] {
    guard contexts[c].plan.parent == nil else { throw Undecided(impossible: "a child's batch") }
    guard
      contexts.allSatisfy({ context in
        context.plan.watches.isEmpty
          || store.rows.keys.allSatisfy { context.objects[$0].map { !$0.isFault } == true }
      })
    else { throw Undecided("whether a controller has read what isn't known here") }
    guard model.entity(entity) != nil else { throw Undecided(impossible: "no entity") }
    guard condition?.constants.allSatisfy({ store.rows[$0] != nil }) ?? true else {
      throw Undecided(impossible: "a constant without a row")
    }
    try requireConstants(condition, c)
    var plan = FetchPlan(entity: entity)
    let all = matching(plan, in: .store, store.rows.keys.sorted())
    plan.condition = condition.map { withExtremes($0, among: all, in: .store) }
    return matching(plan, in: .store, all)
  }

  func destinations(_ name: ObjectName, _ relationship: RelationshipPlan) -> [ObjectName] {
    if relationship.isToMany { return store.members(name, relationship) }
    return store.rows[name]?.toOnes[relationship.name].map { [$0] } ?? []
  }

  /// The rows, and those deleted with them by cascades.
  private func cascade(_ names: [ObjectName]) -> Set<ObjectName> {
    var gone = Set(names)
    var pending = names
    while let name = pending.popLast() {
      for relationship in model.relationships(of: store.rows[name]?.entity ?? "")
      where relationship.rule == .cascade {
        for target in destinations(name, relationship) where gone.insert(target).inserted {
          pending.append(target)
        }
      }
    }
    return gone
  }

  private func requireUniqueRows() throws {
    for name in store.rows.keys {
      guard let row = store.rows[name] else { continue }
      for (declaring, keys) in model.constraints(of: row.entity) {
        let values = keys.map { row.attributes[$0] }
        guard !values.contains(nil) else { continue }
        let isShared = store.rows.contains { other, row in
          other != name && model.isKind(row.entity, of: declaring)
            && keys.map { row.attributes[$0] } == values
        }
        if isShared { throw Undecided("a batch against a constraint") }
      }
    }
  }

  /// Merges the changes of a batch into the coordinator's contexts, if requested.
  private mutating func tell(_ saved: SavedNames, _ c: Int, merging: Bool) throws {
    guard merging else {
      hasUntoldChanges = true
      return
    }
    let coordinator = contexts[c].plan.coordinator
    for other in contexts.indices
    where contexts[other].plan.parent == nil && contexts[other].plan.coordinator == coordinator {
      try requireKnownMembers(saved.inserted + saved.updated, other)
      try merge(saved, into: other)
    }
  }

  /// Throws `Undecided` if the rows that a batch reports have other owners than the context knows: it would read the
  /// members of loaded relationships again, which the reference doesn't model.
  private func requireKnownMembers(_ names: [ObjectName], _ c: Int) throws {
    for (owner, object) in contexts[c].objects where !object.isFault {
      for relationship in model.relationships(of: object.entity) where relationship.isToMany {
        guard let members = object.toManys[relationship.name], members.isRead else { continue }
        guard contexts[c].generation == .newest else {
          throw Undecided("whether looking for owners begins the state that is pinned")
        }
        guard !object.isDeleted else { continue }
        let present = Set(store.members(owner, relationship))
        guard names.allSatisfy({ present.contains($0) == members.now.contains($0) }) else {
          throw Undecided("members by rows that a batch tells of")
        }
      }
    }
  }
}
