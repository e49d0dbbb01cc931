/// Changes of the model: all contexts are reset, and rows get the default values of new properties.
extension ReferenceWorld {
  mutating func evolve(_ evolution: Evolution) throws {
    guard !contexts.contains(where: \.plan.isRemote),
      contexts.allSatisfy({ $0.generation == .newest })
    else { throw Undecided(impossible: "another process, or a pinned context") }
    guard let evolved = model.evolved(by: evolution) else {
      throw Undecided(impossible: "it doesn't fit")
    }
    for c in contexts.indices {
      (contexts[c].objects, contexts[c].undo, contexts[c].lastSave) = ([:], UndoState(), nil)
    }
    (metadata.set, hasUntoldChanges) = (metadata.saved, false)
    take(evolved)
    switch evolution {
    case .attribute(let attribute, let entity):
      for (name, row) in store.rows where model.isKind(row.entity, of: entity) {
        store.rows[name]?.attributes[attribute.name] = attribute.defaultValue
      }
    case .withoutAttribute(let key, _):
      for name in store.rows.keys { store.rows[name]?.attributes[key] = nil }
    case .relationship, .entity: break
    }
  }

  /// Requires that the model has the properties an operation names: the step that added them may be missing.
  func requireNames(_ operation: Operation) throws {
    let names = Set(
      model.entities.flatMap { $0.attributes.map(\.name) + $0.relationships.map(\.name) })
    guard names.isSuperset(of: operation.keys) else {
      throw Undecided(impossible: "no such property")
    }
  }
}

extension Operation {
  /// The properties that the operation names.
  var keys: [String] {
    switch self {
    case .insert(_, _, _, let values): Array(values.keys)
    case .set(_, _, let key, _), .point(_, _, let key, _), .add(_, _, let key, _),
      .remove(_, _, let key, _), .replace(_, _, let key, _):
      [key]
    case .fetch(_, let plan):
      (plan.condition?.keys ?? []) + plan.sorts.map(\.attribute) + (plan.prefetches ?? [])
    case .select(_, let plan): plan.keys
    case .batchInsert(_, _, let rows, _): rows.flatMap(\.keys)
    case .batchUpdate(_, _, let condition, let key, _, _): [key] + (condition?.keys ?? [])
    case .batchDelete(_, _, let condition, _): condition?.keys ?? []
    case .rare(_, let step): step.keys
    case .under(_, let operation): operation.keys
    default: []
    }
  }
}
