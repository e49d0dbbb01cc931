/// The merge of two edits of one fact.
enum ValueMerge {
  /// The merged value, and whether the edits contradict each other; then it is ours where they do.
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
      return (.members(kept.union(mine.subtracting(base)).union(yours.subtracting(base))), false)
    case .fields:
      return mergeFields(base: base, ours: ours, theirs: theirs)
    }
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
