// Edits that merge fact by fact, but together have a meaning that neither side intended.
extension OutlineMerge {
  /// Reports that one side changed an attribute's type, while the other changed settings that are meaningful only for
  /// the old type, such as a default value or bounds.
  mutating func reportType(
    of identity: ModelPath, base before: Entry, ours mine: Entry, theirs yours: Entry
  ) -> Bool {
    let kind = mine.element.kind
    guard let type = Fact.index(of: "type", for: kind), before.element.kind == kind,
      mine.element.values[type] != yours.element.values[type]
    else { return false }
    let old = before.element.values
    for (side, retyped, other) in [
      (MergeSide.ours, mine.element.values, yours.element.values),
      (.theirs, yours.element.values, mine.element.values),
    ] where other[type] == old[type] {
      let changed = Fact.table(for: kind).enumerated().filter { index, fact in
        fact.dependsOnType && other[index] != old[index] && other[index] != retyped[index]
      }
      guard !changed.isEmpty else { continue }
      let names = changed.map(\.element.name).joined(separator: ", ")
      conflict(identity) { path in
        MergeConflict(
          .changedDifferently, at: path, fact: "type", base: old[type],
          ours: mine.element.values[type], theirs: yours.element.values[type], taken: .ours,
          "\(side.rawValue) made it \(retyped[type]); \(side.other.rawValue) changed what goes with"
            + " \(old[type]): \(names)")
      }
      return true
    }
    return false
  }

  /// Reports that one side combined several properties into one, or split one into several, while the other side
  /// changed one of them: the change would apply to all, or only to one.
  mutating func reportRegrouping() {
    for side in [MergeSide.ours, .theirs] {
      let outline = entries(of: side)
      let moved = outline.entries.filter { identity, entry in
        identity.isInsideEntity && entry.element.kind.isProperty && base[identity] != nil
          && entry.home != identity.entityName
      }
      guard !moved.isEmpty else { continue }
      let strays = strayProperties(of: outline)
      for (identity, entry) in moved {
        guard let before = base[identity], let home = entry.home,
          let other = entries(
            of: side.other)[identity]
        else { continue }
        // A side that moved it to the same place was aware of the properties there.
        if other.home == home { continue }
        let isUp = outline.lineage(of: identity.entityName).contains(home)
        let rivals = (strays[Stray(before)] ?? []).filter { rival in
          let place = rival.entityName
          return rival != identity
            && (isUp
              ? base[rival] != nil && outline.lineage(of: place).contains(home)
              : base[rival] == nil
                && outline.lineage(of: place).contains(identity.entityName ?? ""))
        }
        let isDropped = isUp && rivals.contains { entries(of: side.other)[$0] == nil }
        guard !rivals.isEmpty, isDropped || other != before else { continue }
        let names = ([identity] + rivals).map(\.description).sorted().joined(separator: ", ")
        let one = isUp ? "\(names) one" : "one property several"
        conflict(identity) { path in
          MergeConflict(
            .regroupedAndChanged, at: path, taken: nil,
            "\(side.rawValue) made \(one), \(side.other.rawValue) changed one of them alone")
        }
      }
    }
  }

  /// The key by which properties that only one side has are matched.
  private struct Stray: Hashable {
    let kind: ModelElementKind
    let identifier: String

    init(_ entry: Entry) {
      kind = entry.element.kind
      identifier = entry.element["renamingIdentifier"].text ?? entry.name
    }
  }

  /// The properties that only the base or only the side has.
  private func strayProperties(of side: IdentifiedOutline) -> [Stray: [ModelPath]] {
    var found: [Stray: [ModelPath]] = [:]
    for (one, other) in [(base, side), (side, base)] {
      for (identity, entry) in one.entries
      where entry.element.kind.isProperty && other[identity] == nil {
        found[Stray(entry), default: []].append(identity)
      }
    }
    return found
  }
}

extension IdentifiedOutline {
  /// The identities of an entity and its ancestors, nearest first.
  fileprivate func lineage(of entity: String?) -> [String] {
    var lineage: [String] = []
    var seen = Set<String>()
    var next = entity
    while let current = next, seen.insert(current).inserted {
      lineage.append(current)
      next = entries[.entity(current)]?.element["superentity"].entityName
    }
    return lineage
  }
}
