/// What becomes of the objects that the old model's relationships lead to.
struct EntityFates: Sendable {
  /// The new entity that continues each old one.
  private let successors: [String: String]
  /// The old entities that can have objects, by themselves and by each of their ancestors.
  private let members: [String: [String]]

  init(_ matching: InferredMatching) {
    successors = Dictionary(
      matching.pairs.map { ($0.old, $0.new) }, uniquingKeysWith: { first, _ in first })
    var members: [String: [String]] = [:]
    for entity in matching.oldEntities where !entity.element["abstract"].isTrue {
      for ancestor in entity.lineage { members[ancestor, default: []].append(entity.name) }
    }
    self.members = members
  }

  /// Whether an old entity or one of its subentities can have objects.
  func canHaveObjects(_ entity: String) -> Bool { members[entity] != nil }

  /// The old entities that a relationship may lead to, by what becomes of them.
  struct Reach {
    /// Those that the relationship may still lead to.
    var kept: [String] = []
    /// Those that continue where it can't lead to any more.
    var strays: [String] = []
    /// Those that the new model doesn't have.
    var gone: [String] = []
  }

  /// What becomes of the objects of an old destination, when the new one is `destination`.
  func reach(of oldDestination: String, under destination: String, in new: ModelOutline) -> Reach {
    var reach = Reach()
    for member in members[oldDestination] ?? [] {
      guard let successor = successors[member] else {
        reach.gone.append(member)
        continue
      }
      if new.lineage(of: successor).contains(destination) {
        reach.kept.append(member)
      } else {
        reach.strays.append(member)
      }
    }
    return reach
  }
}

// Relationships that can't lead to all of their objects any more.
extension MigrationAnalysis {
  /// Whether an entity is gone, or has other ancestors than before: then relationships may lose objects although they
  /// are unchanged themselves. In most models none is.
  var hasMovedEntities: Bool {
    !matching.removedEntities.isEmpty
      || matching.pairs.contains { pair in
        guard !pair.isShared else { return false }
        let before = pair.oldEntity.lineage
        return (matching.hasRenamedEntities ? before.map { matching.newNames[$0] ?? $0 } : before)
          != pair.newEntity.lineage
      }
  }

  /// Analyses where all relationships of an entity lead to.
  mutating func judgeReach(of pair: InferredMatching.EntityPair) {
    for (old, new) in pair.properties
    where new.isRelationship && old.element.entersEntityHash && new.element.entersEntityHash {
      judgeReach(old, new, in: pair)
    }
  }

  /// Analyses whether a relationship's objects are among those that it may lead to in the new model.
  mutating func judgeReach(
    _ old: InferredMatching.Visible, _ new: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) {
    let path = new.path
    let (before, after) = (old.element, new.element)
    let oldDestination = before["destination"].entityName ?? ""
    let destination = after["destination"].entityName ?? ""
    let expected = matching.newNames[oldDestination] ?? oldDestination
    let reach = reach(old, new, in: pair)
    if let stray = reach.strays.first, isStoredItself(new) {
      let what =
        expected == destination
        ? "\(path) refers to \(destination), which no longer includes \(stray); a store in which it"
          + " refers to objects of \(stray) fails"
        : "\(path) refers to \(destination), not \(oldDestination) any more; a store whose objects"
          + " are related fails"
      find(
        .relationshipDestination, at: path, what,
        suggestion:
          "add a new relationship beside it, fill it in a custom stage, then remove the old one")
    } else if let gone = reach.gone.first, after.demandsValue, after["maxCount"].integer == 1 {
      find(
        .relationshipDestination, at: path,
        "\(path) is mandatory, and \(gone) is gone; a store in which it refers to objects of"
          + " \(gone) fails",
        suggestion: "make it optional, or let it refer to other objects in a custom stage first")
    } else if let lost = reach.strays.first
      ?? (expected != destination && reach.kept.isEmpty ? reach.gone.first : nil)
    {
      find(
        .relationshipReferencesLost, at: path,
        expected == destination
          ? "\(path) refers to \(destination), which no longer includes \(lost): its references to"
            + " objects of \(lost) are lost"
          : "\(path) refers to \(destination), not \(oldDestination) any more: its references are"
            + " lost")
    } else if expected != destination {
      // If the entity itself has no objects, those of its subentities decide.
      guard !isAbstract(pair.oldEntity) || !fates.canHaveObjects(pair.old) else { return }
      let isAbove = matching.new.lineage(of: expected).contains(destination)
      find(
        .relationshipInverse, at: path,
        "\(path) refers to \(destination), \(isAbove ? "above" : "which has the objects of")"
          + " \(expected)")
    } else if (before["inverse"] == .none) != (after["inverse"] == .none) {
      find(
        .relationshipInverse, at: path,
        "\(path) has \(after["inverse"] == .none ? "no" : "an") inverse now")
    }
  }

  /// Analyses a relationship whose new form holds each object for one owner only: the old form may have let owners
  /// share it, or its values aren't carried over because those of the inverse are.
  mutating func judgeSharing(
    _ old: InferredMatching.Visible, _ new: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) {
    let reach = reach(old, new, in: pair)
    guard !reach.kept.isEmpty else { return }
    let oldInverse = inverse(of: old, in: matching.oldEntity)
    if let newInverse = inverse(of: new, in: matching.newEntity) {
      guard newInverse.isToOne else { return }
      if let partner = predecessor(of: newInverse, in: new.element["destination"].entityName) {
        if !new.isToOne, partner.path != oldInverse?.path {
          find(
            .relationshipReferencesLost, at: new.path,
            "\(new.path) is the inverse of \(newInverse.path) now, whose references it follows: its"
              + " own are lost")
        }
        return
      }
    } else if new.isToOne {
      return
    }
    let wasShared = oldInverse.map { !$0.isToOne } ?? old.isToOne
    origins[new.path, default: []].insert(old.path)
    guard wasShared || (origins[new.path]?.count ?? 0) > 1 else { return }
    find(
      .relationshipShared, at: new.path,
      "\(new.path) holds each \(new.element["destination"].entityName ?? "") for one object only"
        + " now; a store in which several share one fails",
      suggestion: "give it a to-many inverse, or resolve what is shared in a custom stage first")
  }

  /// What becomes of the objects that a relationship leads to from an entity's own objects, if it can have any.
  private mutating func reach(
    _ old: InferredMatching.Visible, _ new: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) -> EntityFates.Reach {
    guard !isAbstract(pair.oldEntity) else { return EntityFates.Reach() }
    return fates.reach(
      of: old.element["destination"].entityName ?? "",
      under: new.element["destination"].entityName ?? "", in: matching.new)
  }

  /// Whether the store has values of a relationship itself, rather than those of its to-one inverse alone.
  private func isStoredItself(_ new: InferredMatching.Visible) -> Bool {
    new.isToOne || inverse(of: new, in: matching.newEntity)?.isToOne != true
  }

  /// The inverse of a relationship, given the entities of its model.
  private func inverse(
    of relationship: InferredMatching.Visible,
    in entity: (String) -> VisibleProperties.Entity?
  ) -> InferredMatching.Visible? {
    guard let name = relationship.element["inverse"].propertyName,
      let destination = relationship.element["destination"].entityName
    else { return nil }
    return entity(destination)?.contents[name]
  }

  /// The old to-one relationship that a new one of an entity continues.
  private func predecessor(
    of new: InferredMatching.Visible, in entity: String?
  ) -> InferredMatching.Visible? {
    guard let pair = matching.pairs.first(where: { $0.new == entity }),
      let old = pair.properties.first(where: { $0.new.name == new.name && $0.new.isRelationship })?
        .old,
      old.isToOne, old.element.entersEntityHash
    else { return nil }
    return old
  }

  private func isAbstract(_ entity: VisibleProperties.Entity) -> Bool {
    entity.element["abstract"].isTrue
  }
}

extension InferredMatching.Visible {
  /// Whether the property is a to-one relationship.
  fileprivate var isToOne: Bool { isRelationship && element["maxCount"].integer == 1 }
}
