/// Analyses two matched models and records, rule by rule, how migration handles each change.
struct MigrationAnalysis {
  let matching: InferredMatching
  private(set) var findings: [MigrationFinding] = []
  /// The findings already reported; a property inherited by several entities is reported once.
  private var told = Set<Told>()
  /// What becomes of the old entities' objects.
  private(set) lazy var fates = EntityFates(matching)
  /// The old paths of the relationships that continue in one that holds each object for one owner only.
  var origins: [ModelPath: Set<ModelPath>] = [:]

  private struct Told: Hashable {
    let rule: MigrationRule
    let path: ModelPath
  }

  init(_ matching: InferredMatching) {
    self.matching = matching
  }

  mutating func find(
    _ rule: MigrationRule, at path: ModelPath, _ message: String, suggestion: String? = nil
  ) {
    guard told.insert(Told(rule: rule, path: path)).inserted else { return }
    findings.append(MigrationFinding(rule, at: path, message, suggestion: suggestion))
  }

  mutating func run() {
    for path in matching.ambiguous {
      find(
        .ambiguousIdentifier, at: path,
        "\(path) has the renaming identifier of another in the same place; no mapping is inferred",
        suggestion: "give each its own renaming identifier")
    }
    judgeHierarchies()
    for name in matching.addedEntities {
      find(.entityAdded, at: .entity(name), "the entity \(name) is new and starts empty")
    }
    for name in matching.removedEntities {
      find(
        .entityRemoved, at: .entity(name), "the entity \(name) is gone, with its objects",
        suggestion: suggestedRename(of: name))
    }
    let hasMovedEntities = hasMovedEntities
    for pair in matching.pairs {
      if hasMovedEntities { judgeReach(of: pair) }
      guard !pair.isShared || matching.hasRenamedEntities else { continue }
      judgeEntity(pair)
      if pair.isSame {
        judgeDestinations(of: pair)
        continue
      }
      for (old, new) in pair.properties { judge(old, new, in: pair) }
      judgeAdded(pair)
      judgeRemoved(pair)
    }
  }

  private mutating func judgeEntity(_ pair: InferredMatching.EntityPair) {
    let (old, new) = (pair.oldEntity.element, pair.newEntity.element)
    // Most entities are unchanged, and have no ancestors that might have changed.
    if pair.old == pair.new, old == new,
      new["superentity"] == .none
        || !matching.hasRenamedEntities && pair.oldEntity.lineage == pair.newEntity.lineage,
      pair.isSame || constraints(of: new).isEmpty
    {
      return
    }
    let path = ModelPath.entity(pair.new)
    if pair.old != pair.new {
      find(.entityRenamed, at: path, "\(pair.old) is now called \(pair.new); its objects are kept")
    }
    let oldParent = old["superentity"].entityName.map { matching.newNames[$0] ?? $0 }
    if oldParent != new["superentity"].entityName {
      find(.entityMoved, at: path, "\(pair.new) has a different parent; its objects are kept")
    }
    if old["versionHashModifier"] != new["versionHashModifier"] {
      find(
        .entityModifier, at: path, "\(pair.new) has a different hash modifier; nothing else changes"
      )
    }
    if old["abstract"] != new["abstract"] {
      if new["abstract"].isTrue {
        find(
          .entityAbstract, at: path,
          "\(pair.new) is now abstract; stores can't keep objects of exactly this entity",
          suggestion: "move its objects to a subentity in a custom stage first")
      } else {
        find(.entityConcrete, at: path, "\(pair.new) may now have objects of its own")
      }
    }
    judgeUniqueness(of: pair, from: old, to: new)
  }

  private mutating func judgeUniqueness(
    of pair: InferredMatching.EntityPair, from old: ModelElement, to new: ModelElement
  ) {
    // Most entities have neither constraints nor a parent.
    guard
      [old, new].contains(where: {
        $0["superentity"] != .none || !constraints(of: $0).isEmpty
      })
    else { return }
    let names = Dictionary(
      pair.properties.map { ($0.old.name, $0.new.name) }, uniquingKeysWith: { first, _ in first })
    let before = Set(constraints(of: old).map { $0.map { names[$0] ?? $0 } })
    let after = Set(constraints(of: new))
    let known = before.union(
      matching.old.lineage(of: pair.old).compactMap { matching.old[.entity($0)] }
        .flatMap { constraints(of: $0) }.map { $0.map { names[$0] ?? $0 } })
    // An entity with a new parent must satisfy the parent's uniqueness constraints.
    let ancestors = Set(
      matching.old.lineage(of: pair.old).map { matching.newNames[$0] ?? $0 })
    let inherited = matching.new.lineage(of: pair.new).dropFirst().filter {
      !ancestors.contains($0)
    }.compactMap { matching.new[.entity($0)] }.flatMap { constraints(of: $0) }
    let path = ModelPath.entity(pair.new)
    if let added = after.union(inherited).subtracting(known).sorted(by: {
      $0.lexicographicallyPrecedes($1)
    }).first {
      find(
        .uniquenessAdded, at: path,
        "\(pair.new) must be unique by \(added.joined(separator: ", ")) now; a store with two equal"
          + " objects fails",
        suggestion: "remove duplicates in a custom stage before this version")
    }
    if !before.subtracting(after).isEmpty {
      find(.uniquenessRemoved, at: path, "\(pair.new) has one fewer uniqueness constraint")
    }
  }

  /// The uniqueness constraints that an entity declares, as names.
  private func constraints(of entity: ModelElement) -> [[String]] {
    entity["uniquenessConstraints"].members.map { $0.members.compactMap(\.propertyName) }
  }

  private mutating func judgeAdded(_ pair: InferredMatching.EntityPair) {
    let removed = Dictionary(pair.removed.map { ($0.name, $0) }) { first, _ in first }
    for property in pair.added {
      if let namesake = removed[property.name] { judgeNamesake(property, namesake, in: pair) }
      let element = property.element
      guard element.entersEntityHash, element.kind != .derivedAttribute else { continue }
      let name = "\(pair.new).\(property.name)"
      switch (property.isRelationship, !element.demandsValue) {
      case (true, false):
        find(
          .relationshipAddedMandatory, at: property.path,
          "\(name) is new and mandatory; it fails validation where \(pair.new) has objects",
          suggestion: "make it optional, fill it in a custom stage, then make it mandatory")
      case (true, true):
        find(.relationshipAdded, at: property.path, "\(name) is new and empty")
      case (false, false) where !element.fillsItself(insteadOf: nil):
        find(
          .attributeAddedMandatory, at: property.path,
          "\(name) is new and mandatory without a default; it fails where \(pair.new) has objects",
          suggestion: "give it a default, or make it optional"
            + (suggestedOrigin(of: property, in: pair).map { "; \($0)" } ?? ""))
      case (false, false):
        find(
          .attributeAddedWithDefault, at: property.path,
          "\(name) is new; objects get \(element.describedDefault)")
      case (false, true):
        find(.attributeAdded, at: property.path, "\(name) is new and optional")
      }
    }
  }

  /// Analyses a property that has the name of an old one but doesn't correspond to it.
  private mutating func judgeNamesake(
    _ new: InferredMatching.Visible, _ old: InferredMatching.Visible,
    in pair: InferredMatching.EntityPair
  ) {
    let name = "\(pair.new).\(new.name)"
    if new.isRelationship != old.isRelationship {
      find(
        .propertyKind, at: new.path,
        "\(name) is now another kind of property: the old values are lost")
    } else {
      find(
        .identifierLost, at: new.path,
        "\(name) has the renaming identifier \(new.identifier), which nothing had: it counts as new,"
          + " and the old values are lost",
        suggestion: "clear the renaming identifier, or set it to \(old.identifier)")
    }
  }

  private mutating func judgeRemoved(_ pair: InferredMatching.EntityPair) {
    let added = Set(pair.added.map(\.name))
    for property in pair.removed where !added.contains(property.name) {
      guard property.element.entersEntityHash, property.element.kind != .derivedAttribute else {
        continue
      }
      find(
        property.isRelationship ? .relationshipRemoved : .attributeRemoved, at: property.path,
        "\(pair.old).\(property.name) is gone, with its values",
        suggestion: suggestedSuccessor(of: property, in: pair))
    }
  }
}

extension MigrationAnalysis {
  /// Reports entities that get a common ancestor although they had none before: hierarchies can't be merged.
  ///
  /// An entity without a hierarchy may join one, but entities of two different hierarchies can't be combined, nor can
  /// any two be placed under a new ancestor.
  mutating func judgeHierarchies() {
    // Most hierarchies have the same root as before.
    guard
      matching.hasRenamedEntities
        || !matching.pairs.allSatisfy({ $0.isShared || $0.oldEntity.root == $0.newEntity.root })
    else { return }
    let oldHomes = Dictionary(matching.pairs.map { ($0.new, $0.oldEntity.root) }) { first, _ in
      first
    }
    var sizes: [String: Int] = [:]
    var roots: [String: Set<String>] = [:]
    for pair in matching.pairs {
      sizes[pair.oldEntity.root, default: 0] += 1
      roots[pair.newEntity.root, default: []].insert(pair.oldEntity.root)
    }
    for (newRoot, oldRoots) in roots where oldRoots.count > 1 {
      let home = oldHomes[newRoot]
      let strangers = oldRoots.filter { $0 != home }.sorted()
      guard home == nil || strangers.contains(where: { (sizes[$0] ?? 0) > 1 }) else { continue }
      find(
        .hierarchiesMerged, at: .entity(newRoot),
        "\(newRoot) is above entities that had no common ancestor:"
          + " \(oldRoots.sorted().joined(separator: ", ")); hierarchies can't be merged by inference",
        suggestion: "keep them apart, or copy the objects in a custom stage")
    }
  }
}

extension MigrationAnalysis {
  /// The renaming identifier that would make a new entity the successor of a removed one: the added entity that shares
  /// most of its properties.
  func suggestedRename(of entity: String) -> String? {
    let before = matching.removedContents[entity] ?? []
    guard !before.isEmpty else { return nil }
    // A limited number of candidates is enough for a suggestion; more would make long lists slow.
    let candidates = matching.addedEntities.prefix(64).map { name in
      (name, share: (matching.addedContents[name] ?? []).intersection(before).count)
    }
    guard let best = candidates.max(by: { $0.share < $1.share }), best.share * 2 >= before.count
    else { return nil }
    return "if \(best.0) is what \(entity) was, give it the renaming identifier \(entity)"
  }

  /// The renaming identifier that would make a new property the successor of a removed one.
  func suggestedSuccessor(
    of property: InferredMatching.Visible, in pair: InferredMatching.EntityPair
  ) -> String? {
    only(pair.added, like: property).map {
      "if \($0.name) is what it was, give it the renaming identifier \(property.name)"
    }
  }

  /// The same, starting from the new property.
  func suggestedOrigin(
    of property: InferredMatching.Visible, in pair: InferredMatching.EntityPair
  ) -> String? {
    only(pair.removed, like: property).map {
      "if it is what \($0.name) was, give it the renaming identifier \($0.name)"
    }
  }

  /// The only property that is similar to another, if there is exactly one.
  private func only(
    _ candidates: [InferredMatching.Visible], like property: InferredMatching.Visible
  ) -> InferredMatching.Visible? {
    let alike = candidates.prefix(256).filter { candidate in
      ["type", "destination"].allSatisfy { candidate.element[$0] == property.element[$0] }
        && candidate.element.kind == property.element.kind
    }
    return alike.count == 1 ? alike.first : nil
  }
}
