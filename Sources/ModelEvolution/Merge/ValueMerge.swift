/// The merge of two edits of one fact.
enum ValueMerge {
  /// The merged value, and whether the edits contradict each other; if so, our edit is used.
  static func merge(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue, _ merging: Fact.Merging
  ) -> (value: ModelValue, isConflict: Bool) {
    if ours == theirs || theirs == base { return (ours, false) }
    if ours == base { return (theirs, false) }
    switch merging {
    case .whole:
      return (ours, true)
    case .members:
      let base = Set(base?.members ?? [])
      let mine = Set(ours.members)
      let yours = Set(theirs.members)
      let kept = base.filter { mine.contains($0) && yours.contains($0) }
      let (added, theirsAdded) = (mine.subtracting(base), yours.subtracting(base))
      // A member that neither side still has was edited by a side that added one with common parts. There is a conflict
      // if the other side removed it or edited it differently.
      let isContested = base.subtracting(mine).subtracting(yours).contains { gone in
        added.filter(gone.sharesMembers(with:)) != theirsAdded.filter(gone.sharesMembers(with:))
      }
      if isContested { return (ours, true) }
      return (.members(kept.union(added).union(theirsAdded)), false)
    case .fields:
      return mergeFields(base: base, ours: ours, theirs: theirs)
    case .elements:
      return mergeElements(base: base, ours: ours, theirs: theirs)
    case .latest:
      guard let mine = ours.members.first?.text, let yours = theirs.members.first?.text,
        ours.members.count == 1, theirs.members.count == 1, (base?.members.count ?? 0) < 2
      else { return merge(base: base, ours: ours, theirs: theirs, .members) }
      // Only of numbers is one later than the other.
      guard isNumber(mine), isNumber(yours) else { return (ours, true) }
      return (VersionName.precedes(mine, yours) ? theirs : ours, false)
    }
  }

  /// Whether a label consists of numbers: `2.10`.
  private static func isNumber(_ label: String) -> Bool {
    label.utf8.contains { (48...57).contains($0) }
      && label.utf8.allSatisfy { $0 == UInt8(ascii: ".") || (48...57).contains($0) }
  }

  private static func mergeFields(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue
  ) -> (value: ModelValue, isConflict: Bool) {
    var merged: [String: ModelValue] = [:]
    var isConflict = false
    for key in Set(ours.fields.keys).union(theirs.fields.keys) {
      let before = base?.fields[key] ?? .none
      let mine = ours.fields[key] ?? .none
      let yours = theirs.fields[key] ?? .none
      let value: ModelValue
      if mine == yours || yours == before {
        value = mine
      } else if mine == before {
        value = yours
      } else {
        value = mine
        isConflict = true
      }
      if value != .none { merged[key] = value }
    }
    return (merged.isEmpty ? .none : .record(merged), isConflict)
  }
}

extension ModelValue {
  /// Whether two lists, such as constraints over several attributes, have a common element.
  fileprivate func sharesMembers(with other: ModelValue) -> Bool {
    !Set(members).isDisjoint(with: other.members)
  }
}
