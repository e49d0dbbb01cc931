/// What a batch deletion does to rows that stay.
extension ReferenceWorld {
  /// The rows that stay of those which rows of an entity that go lead to.
  private func staying(
    _ gone: Set<ObjectName>, _ entity: String, _ relationship: RelationshipPlan
  ) -> Set<ObjectName> {
    let rows = gone.filter { store.rows[$0]?.entity == entity }
    return Set(rows.flatMap { destinations($0, relationship) }).subtracting(gone)
  }

  /// The code of the error, where relationships forbid that rows go.
  func refusal(of gone: Set<ObjectName>) throws -> Int? {
    var codes: Set<Int> = []
    for entity in model.concreteEntities {
      for relationship in model.relationships(of: entity) {
        let staying = staying(gone, entity, relationship)
        guard !staying.isEmpty else { continue }
        if relationship.rule == .deny { codes.insert(ErrorCode.denied) }
        guard relationship.rule == .nullify, let inverse = model.inverse(of: relationship) else {
          continue
        }
        if !inverse.isToMany, !inverse.isOptional { codes.insert(ErrorCode.conflicts) }
        guard inverse.isToMany, inverse.minimum > 0 else { continue }
        let isShort = staying.contains { name in
          Set(store.members(name, inverse)).subtracting(gone).count < inverse.minimum
        }
        guard isShort else { continue }
        if inverse.isOptional { throw Undecided("whether it may be empty") }
        codes.insert(ErrorCode.conflicts)
      }
    }
    guard codes.count < 2 else { throw Undecided("which refusal comes first") }
    return codes.first
  }

  /// Takes rows that go out of the relationships of those that stay.
  mutating func release(_ gone: Set<ObjectName>) {
    for entity in model.concreteEntities {
      for relationship in model.relationships(of: entity) where relationship.rule == .nullify {
        let inverse = model.inverse(of: relationship)
        if inverse == nil, !relationship.isToMany { continue }
        for target in staying(gone, entity, relationship) {
          if let inverse, !inverse.isToMany {
            // Contexts that write the two sides of a one-to-one may leave it one-sided.
            guard store.rows[target]?.toOnes[inverse.name].map(gone.contains) == true else {
              continue
            }
            store.rows[target]?.toOnes[inverse.name] = nil
          }
          // A one-to-many's owner has nothing of it in its own row.
          let isOwner = inverse?.isToMany == true && !relationship.isToMany
          if !isOwner { store.rows[target]?.version += 1 }
        }
      }
    }
  }
}
