import OrderedCollections

extension OutlineMerge {
  /// Restores elements that one side removed but that are still referenced in the merge.
  mutating func restoreUsed() {
    var queue = Array(merged.keys)
    var restored = Set<ModelPath>()
    let contents = Dictionary(grouping: removers.keys.filter(\.isInsideEntity)) {
      $0.entityName ?? ""
    }
    while let identity = queue.popLast() {
      guard let entry = merged[identity] else { continue }
      var needed = entry.element.referencedIdentities
      if let home = entry.home { needed.append(.entity(home)) }
      for need in needed where merged[need] == nil {
        guard let remover = removers[need], let kept = entries(of: remover.other)[need],
          !leavesDangling(need, of: identity, remover: remover)
        else { continue }
        merged[need] = kept
        // An element that is restored only for the sake of another doesn't need its own conflict.
        if !restored.contains(identity) { reportUse(of: need, by: identity, remover: remover) }
        restored.insert(need)
        queue.append(need)
        guard case .entity(let name) = need else { continue }
        // An entity is restored with its contents.
        for inside in (contents[name] ?? []).sorted() where merged[inside] == nil {
          guard removers[inside] == remover, let kept = entries(of: remover.other)[inside] else {
            continue
          }
          merged[inside] = kept
          restored.insert(inside)
          queue.append(inside)
        }
      }
    }
  }

  /// Whether the side that removed an element left the same dangling reference; then it isn't a consequence of the
  /// merge.
  private func leavesDangling(
    _ need: ModelPath, of user: ModelPath, remover: MergeSide
  ) -> Bool {
    entries(of: remover)[user]?.element.referencedIdentities.contains(need) ?? false
  }

  private mutating func reportUse(
    of identity: ModelPath, by user: ModelPath, remover: MergeSide
  ) {
    let user = displayName(of: user)
    conflict(identity) { path in
      MergeConflict(
        .removedButUsed, at: path, taken: remover.other,
        "\(remover.rawValue) removed it, but \(remover.other.rawValue) uses it in \(user)")
    }
  }

  /// Breaks cycles in the hierarchy.
  mutating func breakCycles() {
    // Ours alone has no cycle, so the second pass finds only cycles that theirs alone added.
    for pass in 0..<2 {
      for cycle in cycles() {
        for identity in cycle {
          let mine = pass == 0 ? ours[identity]?.element["superentity"] ?? .none : ModelValue.none
          if let index = Fact.index(of: "superentity", for: .entity) {
            merged[identity]?.element.values[index] = mine
          }
        }
        guard let first = cycle.min() else { continue }
        let names = cycle.map(displayName(of:)).sorted().joined(separator: ", ")
        conflict(first) { path in
          MergeConflict(
            .hierarchyCycle, at: path, fact: "superentity", taken: .ours,
            "with both sides' parents these entities would be their own ancestors: \(names)")
        }
      }
    }
  }

  private func cycles() -> [[ModelPath]] {
    var cycles: [[ModelPath]] = []
    var done = Set<ModelPath>()
    for (identity, entry) in merged where entry.element.kind == .entity {
      var trail: [ModelPath] = []
      var onTrail = Set<ModelPath>()
      var next: ModelPath? = identity
      while let current = next, !done.contains(current) {
        if onTrail.contains(current) {
          cycles.append(Array(trail.drop { $0 != current }))
          break
        }
        trail.append(current)
        onTrail.insert(current)
        next = merged[current]?.element["superentity"].entityName.map(ModelPath.entity)
      }
      done.formUnion(trail)
    }
    return cycles
  }

  /// Makes inverses mutual again where the two sides paired relationships differently.
  mutating func pairInverses() {
    guard let index = Fact.index(of: "inverse", for: .relationship) else { return }
    func inverse(_ outline: (ModelPath) -> Entry?, _ identity: ModelPath) -> ModelPath? {
      guard let entry = outline(identity), entry.element.kind == .relationship else { return nil }
      return entry.element.values[index].propertyName.flatMap(PropertyIdentity.decode)
    }
    func isMutual(_ outline: (ModelPath) -> Entry?, _ identity: ModelPath) -> Bool {
      guard let partner = inverse(outline, identity) else { return true }
      return inverse(outline, partner) == identity
    }
    let relationships = merged.filter { $0.value.element.kind == .relationship }.map(\.key)
    // Of two relationships with one inverse, either may be the one that loses it, depending on the side: one conflict.
    var contested = Set<ModelPath>()
    for identity in relationships {
      let merged = self.merged
      guard let partner = inverse({ merged[$0] }, identity), !isMutual({ merged[$0] }, identity),
        isMutual({ ours[$0] }, identity), isMutual({ theirs[$0] }, identity)
      else { continue }
      let keepsPair = inverse({ ours[$0] }, identity) == partner && ours[partner] != nil
      if keepsPair {
        // What theirs paired it with has no inverse then.
        if let former = inverse({ merged[$0] }, partner), inverse({ merged[$0] }, former) == partner
        {
          self.merged[former]?.element.values[index] = .none
        }
        self.merged[partner]?.element.values[index] = .property(PropertyIdentity.encode(identity))
        restoreDestination(of: partner)
      } else {
        self.merged[identity]?.element.values[index] =
          ours[identity].map { $0.element.values[index] } ?? .none
        // Ours may pair it with a relationship that now has another inverse.
        let now = self.merged
        if !isMutual({ now[$0] }, identity) { self.merged[identity]?.element.values[index] = .none }
      }
      guard contested.insert(partner).inserted else { continue }
      let other = displayName(of: partner)
      conflict(identity) { path in
        MergeConflict(
          .inverseNotMutual, at: path, fact: "inverse", taken: .ours,
          "the two sides paired it differently; after both, its inverse \(other) would have another"
        )
      }
    }
  }

  /// Lets a relationship that has our inverse again refer to our destination, too: theirs has no such inverse.
  private mutating func restoreDestination(of relationship: ModelPath) {
    guard let index = Fact.index(of: "destination", for: .relationship),
      let mine = ours[relationship]?.element.values[index], let entity = mine.entityName,
      merged[.entity(entity)] != nil
    else { return }
    merged[relationship]?.element.values[index] = mine
  }

  /// Renames elements whose name is already taken in their entity or an ancestor.
  mutating func separateNames() {
    settleIndexMarks()
    var followed: [ModelPath: String] = [:]
    nameSynthesizedIndexes(&followed)
    defer { nameSynthesizedIndexes(&followed) }
    // Our names take precedence: elements that keep the name they have on our side come first.
    let settled = merged.keys.filter { identity in
      ours[identity].map { $0.name == merged[identity]?.name && $0.home == merged[identity]?.home }
        ?? false
    }
    let settledSet = Set(settled)
    var taken: [NameKey: ModelPath] = [:]
    for identity in settled + merged.keys.filter({ !settledSet.contains($0) }) {
      guard let entry = merged[identity] else { continue }
      let key = NameKey(entry, identity)
      if let holder = taken[key] {
        rename(identity, because: holder, &taken)
      } else {
        taken[key] = identity
      }
    }
    for identity in Array(merged.keys) where merged[identity]?.element.kind.isProperty == true {
      guard let entry = merged[identity], let home = entry.home,
        let holder = inherited(entry.name, above: home, taken), !isInheritedTwice(identity, holder)
      else { continue }
      rename(settledSet.contains(identity) ? holder : identity, because: identity, &taken)
    }
  }

  /// Whether one side alone already has the two properties in this relation.
  private func isInheritedTwice(_ identity: ModelPath, _ holder: ModelPath) -> Bool {
    [MergeSide.ours, .theirs].contains { side in
      let outline = entries(of: side)
      guard let one = outline[identity], let other = outline[holder], one.name == other.name else {
        return false
      }
      return one.home == merged[identity]?.home && other.home == merged[holder]?.home
    }
  }

  private func inherited(
    _ name: String, above home: String, _ taken: [NameKey: ModelPath]
  ) -> ModelPath? {
    var seen: Set = [home]
    var next = merged[.entity(home)]?.element["superentity"].entityName
    while let current = next, seen.insert(current).inserted {
      if let holder = taken[NameKey(group: .property, home: current, name: name)] { return holder }
      next = merged[.entity(current)]?.element["superentity"].entityName
    }
    return nil
  }

  private mutating func rename(
    _ identity: ModelPath, because holder: ModelPath, _ taken: inout [NameKey: ModelPath]
  ) {
    guard let entry = merged[identity] else { return }
    var name = entry.name + "_theirs"
    var key = NameKey(entry, identity)
    key.name = name
    while taken[key] != nil {
      name += "_"
      key.name = name
    }
    taken[key] = identity
    merged[identity]?.name = name
    let other = displayName(of: holder)
    conflict(identity) { path in
      MergeConflict(
        .nameTaken, at: path, ours: .text(entry.name), theirs: .text(name), taken: nil,
        "after both sides' edits its name \(entry.name) would be taken by \(other) as well;"
          + " it is called \(name) here")
    }
  }

  /// An identity for display, with the names of the merged model.
  func displayName(of identity: ModelPath) -> String { finalPath(of: identity).description }
}

/// A scope in which names must be unique, together with a name.
struct NameKey: Hashable {
  enum Group { case model, entity, property, index, fetchRequest, configuration }

  let group: Group
  let home: String?
  var name: String

  init(group: Group, home: String?, name: String) {
    self.group = group
    self.home = home
    self.name = name
  }

  init(_ entry: IdentifiedOutline.Entry, _ identity: ModelPath) {
    group =
      switch identity {
      case .model: .model
      case .entity: .entity
      case .property: .property
      case .index: .index
      case .fetchRequest: .fetchRequest
      case .configuration: .configuration
      }
    home = entry.home
    name = entry.name
  }
}
