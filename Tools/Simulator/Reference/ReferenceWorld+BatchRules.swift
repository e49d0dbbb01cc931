/// How a batch deletion affects the remaining rows.
extension ReferenceWorld {
  /// The remaining rows that are destinations of an entity's deleted rows.
  private func staying(
    _ gone: Set<ObjectName>, _ entity: String, _ relationship: RelationshipPlan
  ) -> Set<ObjectName> {
    let rows = gone.filter { store.rows[$0]?.entity == entity }
    return Set(rows.flatMap { destinations($0, relationship) }).subtracting(gone)
  }

  /// The error code, if relationships forbid the deletion.
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

  /// Removes deleted rows from the relationships of the remaining ones.
  mutating func release(_ gone: Set<ObjectName>) {
    for entity in model.concreteEntities {
      for relationship in model.relationships(of: entity) where relationship.rule == .nullify {
        let inverse = model.inverse(of: relationship)
        if inverse == nil, !relationship.isToMany { continue }
        for target in staying(gone, entity, relationship) {
          if let inverse, !inverse.isToMany {
            // Several contexts that each write one side of a one-to-one relationship can leave it one-sided.
            guard store.rows[target]?.toOnes[inverse.name].map(gone.contains) == true else {
              continue
            }
            store.rows[target]?.toOnes[inverse.name] = nil
          }
          // Only a to-one relationship is stored in the row.
          if inverse?.isToMany == false { store.rows[target]?.version += 1 }
        }
      }
    }
  }
}
