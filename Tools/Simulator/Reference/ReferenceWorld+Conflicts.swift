/// Conflicts with other writers, and values that must be unique.
extension ReferenceWorld {
  /// Resolves conflicts of versions as the context's policy says.
  ///
  /// - Returns: the code of the error when it throws.
  mutating func resolveVersions(_ c: Int) throws -> Int? {
    var conflicts: [ObjectName] = []
    for name in contexts[c].names({ ($0.isUpdated || $0.isDeleted) && !$0.isInserted }) {
      guard let object = contexts[c].objects[name], let stored = object.stored else { continue }
      if object.isDeleted, store.rows[name] == nil { continue }
      let writes =
        object.isDeleted || object.differsFromRow { isStored($0, object.entity) }
        || writesJoins(object)
      guard writes else { continue }
      if contexts.count > 1, store.uncertain.contains(name) {
        throw Undecided("whether a position gave the row another version")
      }
      if store.rows[name]?.version != stored.version { conflicts.append(name) }
    }
    guard !conflicts.isEmpty else { return nil }
    if KnownGaps.severalStores, model.storeCount > 1 { throw Undecided("A8") }
    guard contexts[c].plan.policy != .error else { return ErrorCode.merge }
    for name in conflicts { try merge(c, name, contexts[c].plan.policy) }
    return nil
  }

  /// Merges an object with its row, which another writer changed.
  private mutating func merge(
    _ c: Int, _ name: ObjectName, _ policy: ContextPlan.Policy
  ) throws {
    guard var object = contexts[c].objects[name], let stored = object.stored,
      let row = store.rows[name]
    else { throw Undecided("changed here, deleted there") }
    guard !object.isDeleted else { throw Undecided("deleted here, changed there") }
    guard row.toOnes == stored.toOnes, object.toOnes == stored.toOnes, !writesJoins(object) else {
      throw Undecided("relationships in a conflict")
    }
    let mine = object.attributes
    object.take(row)
    for attribute in model.attributes(of: object.entity) {
      let key = attribute.name
      let isMine = mine[key] != stored.attributes[key]
      let isTheirs = row.attributes[key] != stored.attributes[key]
      let keepsMine: Bool =
        switch policy {
        case .storeTrump: isMine && !isTheirs
        case .objectTrump: isMine
        case .overwrite: true
        case .error, .rollback: false
        }
      if keepsMine || attribute.isTransient { object.attributes[key] = mine[key] }
    }
    if policy == .rollback {
      guard object.toManys.values.allSatisfy({ !$0.hasChanges }) else {
        throw Undecided("relationships in a conflict")
      }
      (object.isUpdated, object.toManys) = (false, [:])
    }
    // Members are no values: what nobody changed here is read anew.
    object.toManys = object.toManys.filter(\.value.hasChanges)
    contexts[c].objects[name] = object
  }

  /// Whether saving an object writes rows of join tables, which gives its own row a new version.
  func writesJoins(_ object: ReferenceObject) -> Bool {
    model.relationships(of: object.entity).contains { relationship in
      object.toManys[relationship.name]?.hasChanges == true
        && model.inverse(of: relationship)?.isToMany == true
    }
  }

  /// Resolves clashes of unique values as the context's policy says.
  ///
  /// - Returns: the code of the error when it throws.
  mutating func resolveConstraints(_ c: Int) throws -> Int? {
    for _ in 0...contexts[c].objects.count {
      guard let clash = try findClash(c) else { return nil }
      let policy = contexts[c].plan.policy
      guard policy != .error else { return ErrorCode.constraint }
      try replace(clash.object, by: clash.present, c, policy)
    }
    throw Undecided("clashes without end")
  }

  /// An object and what has its values already.
  private func findClash(
    _ c: Int
  ) throws -> (object: ObjectName, present: ObjectName)? {
    let changed = contexts[c].names { ($0.isInserted || $0.isUpdated) && !$0.isDeleted }
    let deleted = Set(contexts[c].names(\.isDeleted))
    for name in changed {
      guard let object = contexts[c].objects[name], object.isInserted || store.rows[name] != nil
      else { continue }
      if KnownGaps.severalStores, model.storeCount > 1,
        !model.constraints(of: object.entity).isEmpty
      {
        throw Undecided("A8")
      }
      for (declaring, keys) in model.constraints(of: object.entity) {
        guard let values = values(of: keys, object.attributes) else { continue }
        let others = store.rows.filter { other, row in
          other != name && !deleted.contains(other) && model.isKind(row.entity, of: declaring)
        }
        for (other, row) in others {
          let wasSame = self.values(of: keys, row.attributes) == values
          let present = contexts[c].objects[other].flatMap { $0.isUpdated ? $0.attributes : nil }
          let isSame = self.values(of: keys, present ?? row.attributes) == values
          if isSame { return (name, other) }
          if wasSame { throw Undecided("a value moves from row to row") }
        }
        let news = changed.filter { $0 != name && contexts[c].objects[$0]?.isInserted == true }
        for other in news {
          guard let object = contexts[c].objects[other],
            model.isKind(object.entity, of: declaring)
          else { continue }
          if self.values(of: keys, object.attributes) == values { return (name, other) }
        }
      }
    }
    return nil
  }

  /// The values that must differ; nil where one is missing, as that equals nothing.
  private func values(of keys: [String], _ attributes: [String: Int]) -> [Int]? {
    let values = keys.compactMap { attributes[$0] }
    return values.count == keys.count ? values : nil
  }
}
