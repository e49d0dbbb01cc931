extension MigrationAnalysis {
  /// The renaming identifier that would make a new entity the successor of one that is gone: the
  /// one that has most of its properties.
  func suggestedRename(of entity: String) -> String? {
    let before = matching.removedContents[entity] ?? []
    guard !before.isEmpty else { return nil }
    // A handful is enough for a suggestion; more would make long lists slow.
    let candidates = matching.addedEntities.prefix(64).map { name in
      (name, share: (matching.addedContents[name] ?? []).intersection(before).count)
    }
    guard let best = candidates.max(by: { $0.share < $1.share }), best.share * 2 >= before.count
    else { return nil }
    return "if \(best.0) is what \(entity) was, give it the renaming identifier \(entity)"
  }

  /// The renaming identifier that would make a new property the successor of one that is gone.
  func suggestedSuccessor(
    of property: InferredMatching.Visible, in pair: InferredMatching.EntityPair
  ) -> String? {
    let alike = pair.added.prefix(256).filter { isAlike($0.element, property.element) }
    guard alike.count == 1, let successor = alike.first else { return nil }
    return "if \(successor.name) is what it was, give it the renaming identifier \(property.name)"
  }

  /// The same, seen from the new property.
  func suggestedOrigin(
    of property: InferredMatching.Visible, in pair: InferredMatching.EntityPair
  ) -> String? {
    let alike = pair.removed.prefix(256).filter { isAlike($0.element, property.element) }
    guard alike.count == 1, let origin = alike.first else { return nil }
    return "if it is what \(origin.name) was, give it the renaming identifier \(origin.name)"
  }

  private func isAlike(_ one: ModelElement, _ other: ModelElement) -> Bool {
    one.kind == other.kind && one["type"] == other["type"]
      && one["destination"] == other["destination"]
  }
}
