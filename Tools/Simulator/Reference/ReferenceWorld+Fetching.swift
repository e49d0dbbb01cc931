/// Fetching: the store's window of rows, with unsaved changes merged, then sorted and cut again.
extension ReferenceWorld {
  mutating func fetch(_ c: Int, _ plan: FetchPlan) throws -> Expectation {
    let present = store
    store = read(c)
    defer { store = present }
    return try fetchPresent(c, plan)
  }

  private mutating func fetchPresent(_ c: Int, _ plan: FetchPlan) throws -> Expectation {
    guard model.entity(plan.entity) != nil else { throw Undecided(impossible: "no such entity") }
    var plan = plan
    if let condition = plan.condition, condition.readsExtremes {
      plan.condition = try withExtremes(condition, of: plan, c)
    }
    guard try danglingReferences(c) == 0 else { throw Undecided("what leads to deleted objects") }
    try requireConstants(plan.condition, c)
    if contexts.count > 1, hasPending(c, plan), plan.condition?.readsMembers == true {
      throw Undecided("what is evaluated in memory depends on what was read before")
    }
    guard !plan.includesPending || plan.offset == 0 || !contexts[c].undo.makesFlagsVague else {
      throw Undecided("an offset, and whether an object counts as changed after an undo")
    }
    var found: [ObjectName]
    if let parent = contexts[c].plan.parent {
      found = try fetchThrough(parent, plan)
    } else {
      found = matching(plan, in: .store, store.rows.keys.sorted())
      found = window(sorted(found, plan.sorts, in: .store), plan)
    }
    for name in contexts[c].names(\.isFault) where isMeant(contexts[c].objects[name], plan) {
      // Which faults a fetch fills is up to the store; here all are loaded.
      _ = try load(c, name)
    }
    if plan.includesPending, hasPending(c, plan) {
      guard plan.offset == 0 else { throw Undecided("an offset and unsaved changes") }
      let changed = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
      for name in changed where contexts[c].objects[name]?.isInserted == false {
        guard try row(c, name) != nil else { throw Undecided("a changed object without a row") }
      }
      let keys = (plan.condition?.keys ?? []).filter { model.relationship($0)?.isToMany == true }
      for name in changed {
        let maybeRead = contexts[c].objects[name]?.maybeRead ?? []
        guard !hasUntoldChanges || maybeRead.isDisjoint(with: keys) else {
          throw Undecided("what a predicate may have read before others changed it")
        }
      }
      if plan.condition?.readsMembers == true {
        try requirePresentDestinations(c, of: changed)
        try requireReadable(c, keys, of: changed.filter { isMeant(contexts[c].objects[$0], plan) })
      }
      // A row that is there again is found, whatever was heard of its deletion.
      let deleted = Set(contexts[c].names { $0.isDeleted && !$0.isGone })
      found.removeAll { deleted.contains($0) || changed.contains($0) }
      found += matching(plan, in: .context(c), changed)
      for name in changed { contexts[c].objects[name]?.maybeRead.formUnion(keys) }
      found = sorted(found, plan.sorts, in: .context(c))
      if plan.limit > 0 { found = Array(found.prefix(plan.limit)) }
    }
    // To compare it with unsaved objects it is read, and is an ordinary one again; in SQL it isn't.
    let isBack = found.contains { contexts[c].objects[$0]?.isGone == true }
    guard plan.result == .objects || !isBack else {
      throw Undecided("whether a fetch without objects reads one whose row is there again")
    }
    if plan.result == .count { return .counts(found.count) }
    if plan.result == .objects {
      for name in found { _ = try load(c, name) }
      noteMembersRead(by: plan, found, c)
      for key in plan.prefetches ?? [] { try prefetch(c, found, key) }
    }
    return .finds(found)
  }

  /// The condition of a fetch with the greatest and least values of its entity, unsaved ones included if they count.
  private mutating func withExtremes(
    _ condition: Condition, of plan: FetchPlan, _ c: Int
  ) throws -> Condition {
    let all = FetchPlan(entity: plan.entity, includesSubentities: plan.includesSubentities)
    guard contexts[c].plan.parent == nil else {
      throw Undecided("the extremes of what a parent and its child have")
    }
    guard plan.includesPending, hasPending(c, plan) else {
      let names = matching(all, in: .store, store.rows.keys.sorted())
      return withExtremes(condition, among: names, in: .store)
    }
    guard case .finds(let names) = try fetchPresent(c, all) else { return condition }
    return withExtremes(condition, among: names, in: .context(c))
  }

  /// Throws `Undecided` if objects lead to others whose deletion was saved, where no rule clears that: whether these still have
  /// values in memory isn't specified.
  private func requirePresentDestinations(_ c: Int, of names: [ObjectName]) throws {
    for object in names.compactMap({ contexts[c].objects[$0] }) {
      let destinations = object.toOnes.map(\.value) + object.toManys.values.flatMap(\.now)
      let isGone = destinations.contains { contexts[c].objects[$0] == nil && store.rows[$0] == nil }
      if isGone { throw Undecided("the values of what is deleted") }
    }
  }

  /// Throws `Undecided` if it isn't specified what relationships have that a predicate reads of changed objects.
  private func requireReadable(_ c: Int, _ keys: [String], of names: [ObjectName]) throws {
    var copy = self
    for name in names {
      guard try copy.load(c, name), let entity = contexts[c].objects[name]?.entity else { continue }
      for key in keys {
        guard let relationship = model.relationship(key, of: entity) else { continue }
        _ = try copy.readMembers(c, name, relationship)
      }
    }
  }

  /// Notes that a store in memory may have evaluated a predicate with the context's objects.
  private mutating func noteMembersRead(by plan: FetchPlan, _ found: [ObjectName], _ c: Int) {
    guard isInMemory, plan.condition?.readsMembers == true else { return }
    let keys = (plan.condition?.keys ?? []).filter { model.relationship($0)?.isToMany == true }
    for name in found { contexts[c].objects[name]?.maybeRead.formUnion(keys) }
  }

  /// Prefetches a relationship of objects.
  private mutating func prefetch(_ c: Int, _ names: [ObjectName], _ key: String) throws {
    for name in names {
      guard let object = contexts[c].objects[name], !object.isInserted,
        let relationship = model.relationship(key, of: object.entity)
      else { continue }
      guard store.rows[name] != nil else { throw Undecided("prefetching for objects without rows") }
      if relationship.isToMany {
        _ = try readMembers(c, name, relationship)
      } else if let target = object.toOnes[key] {
        _ = try load(c, target)
      }
    }
  }

  /// What a parent returns for its child's fetch: its own result, with its unsaved changes.
  private mutating func fetchThrough(_ parent: Int, _ plan: FetchPlan) throws -> [ObjectName] {
    guard plan.includesPending else { throw Undecided("a child's fetch of what is saved") }
    var through = plan
    through.result = .objects
    through.prefetches = nil
    through.condition = plan.condition
    // Objects that the parent registers for the child's fetch aren't retained, but its faults are filled.
    var reader = self
    guard case .finds(let names) = try reader.fetch(parent, through) else { return [] }
    for name in contexts[parent].names(\.isFault) {
      contexts[parent].objects[name] = reader.contexts[parent].objects[name]
    }
    // The fetch may have been the read that determines a pinned state.
    for c in contexts.indices { contexts[c].generation = reader.contexts[c].generation }
    return names
  }

  private func isMeant(_ object: ReferenceObject?, _ plan: FetchPlan) -> Bool {
    object.map { isMeant($0.entity, plan) } ?? false
  }

  private func hasPending(_ c: Int, _ plan: FetchPlan) -> Bool {
    contexts[c].objects.values.contains { $0.hasChanges && isMeant($0.entity, plan) }
  }

  private func isMeant(_ entity: String, _ plan: FetchPlan) -> Bool {
    plan.includesSubentities ? model.isKind(entity, of: plan.entity) : entity == plan.entity
  }

  /// The objects of a list that are of the entity and match the condition.
  func matching(_ plan: FetchPlan, in place: Place, _ names: [ObjectName]) -> [ObjectName] {
    names.filter { name in
      guard let entity = entity(name, in: place), isMeant(entity, plan) else { return false }
      guard let condition = plan.condition else { return true }
      return fits(condition, name, in: place) == true
    }
  }

  private func sorted(
    _ names: [ObjectName], _ sorts: [Sort], in place: Place
  ) -> [ObjectName] {
    let sorts = sorts + [Sort(attribute: ModelPlan.serial)]
    return names.sorted { left, right in
      for sort in sorts {
        let (a, b) = (
          attribute(left, sort.attribute, in: place) ?? -1,
          attribute(right, sort.attribute, in: place) ?? -1
        )
        if a != b { return (a < b) == sort.isAscending }
      }
      return false
    }
  }

  private func window(_ names: [ObjectName], _ plan: FetchPlan) -> [ObjectName] {
    let rest = names.dropFirst(plan.offset)
    return Array(plan.limit > 0 ? rest.prefix(plan.limit) : rest)
  }

  /// Requires that the constants of a condition are existing objects, as the context sees it.
  mutating func requireConstants(_ condition: Condition?, _ c: Int) throws {
    for name in condition?.constants ?? [] {
      guard try load(c, name), contexts[c].objects[name]?.isDeleted == false else {
        throw Undecided(impossible: "the constant is no object")
      }
    }
  }
}

/// Where a value is looked up.
enum Place: Equatable {
  case store
  /// A context's objects, and the store for those that aren't registered.
  case context(Int)
}
