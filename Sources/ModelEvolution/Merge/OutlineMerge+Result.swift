extension OutlineMerge {
  /// The path of an element in the merged model.
  func finalPath(of identity: ModelPath) -> ModelPath {
    let entry = merged[identity]
    let path = identity.renamed(entry?.name ?? identity.name)
    guard path.isInsideEntity, let home = entry?.home ?? identity.entityName else { return path }
    return path.inside(merged[.entity(home)]?.name ?? home)
  }

  /// The merged outline.
  func outline() -> ModelOutline {
    var outline = ModelOutline()
    for (identity, entry) in merged {
      outline.elements[finalPath(of: identity)] = named(entry.element)
    }
    return outline
  }

  /// The matching of our outline's elements with those of the merged outline.
  func matching(from mine: ModelOutline, to result: ModelOutline) -> ElementMatching {
    ElementMatching(
      from: mine, to: result,
      pairs: ours.identities.compactMap { path, identity in
        guard let entry = merged[identity], entry.element.kind == ours[identity]?.element.kind
        else { return nil }
        let goal = finalPath(of: identity)
        // Indexes can't be renamed or moved: a new one is created.
        if case .index(let name, let home) = path,
          name != goal.name || entry.home != ours.identities[.entity(home)]?.name
        {
          return nil
        }
        return (old: path, new: goal)
      })
  }

  /// The conflicts, sorted by path.
  func conflicts() -> [MergeConflict] {
    pending.map { identity, make in make(finalPath(of: identity)) }.sorted()
  }

  /// An element with identities replaced by the names of the merged model.
  private func named(_ element: ModelElement) -> ModelElement {
    var result = element
    for (index, fact) in Fact.table(for: element.kind).enumerated() where fact.holdsReferences {
      result.values[index] = element.values[index].mapReferences { merged[$0]?.name ?? $0.name }
    }
    return result
  }
}
