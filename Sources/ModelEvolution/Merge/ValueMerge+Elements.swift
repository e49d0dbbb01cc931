import DataModels

extension ValueMerge {
  /// Merges the elements of a composite by name, fact by fact, and their order.
  // The recursion follows nested composites, whose depth was bounded by reading.
  static func mergeElements(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue
  ) -> (value: ModelValue, isConflict: Bool) {
    let sides = [base ?? .none, ours, theirs].map { Elements($0) }
    let (before, mine, yours) = (sides[0], sides[1], sides[2])
    guard sides.allSatisfy({ $0.byName.count == $0.names.count }) else { return (ours, true) }
    var merged: [String: ModelValue] = [:]
    var isConflict = false
    for name in Set(mine.names).union(yours.names) {
      switch (before.byName[name], mine.byName[name], yours.byName[name]) {
      case (let old, let one?, let other?):
        let result = mergeElement(base: old, ours: one, theirs: other)
        merged[name] = result.value
        if result.isConflict { isConflict = true }
      case (let old?, let only?, nil), (let old?, nil, let only?):
        // One side removed it.
        guard only != old else { continue }
        merged[name] = only
        isConflict = true
      case (nil, let only?, nil), (nil, nil, let only?): merged[name] = only
      case (_, nil, nil): break
      }
    }
    let result = OrderMerge.merge(
      base: before.names, ours: mine.names, theirs: yours.names, kept: Set(merged.keys),
      name: { $0 })
    return (.list(result.order.compactMap { merged[$0] }), isConflict || result.isConflict)
  }

  private struct Elements {
    let names: [String]
    let byName: [String: ModelValue]

    init(_ list: ModelValue) {
      names = list.members.map { $0.fields["name"]?.text ?? "" }
      byName = Dictionary(zip(names, list.members), uniquingKeysWith: { first, _ in first })
    }
  }

  private static func mergeElement(
    base: ModelValue?, ours: ModelValue, theirs: ModelValue
  ) -> (value: ModelValue, isConflict: Bool) {
    if ours == theirs || theirs == base { return (ours, false) }
    if ours == base { return (theirs, false) }
    guard ours.fields["kind"] == theirs.fields["kind"],
      let kind = ours.fields["kind"]?.text.flatMap(ModelElementKind.init(rawValue:)),
      ours.fields["type"] == theirs.fields["type"]
    else {
      // A value is meaningful only together with its type.
      return (ours, true)
    }
    var fields = ours.fields
    var isConflict = false
    for fact in Fact.table(for: kind) {
      func value(_ element: ModelValue) -> ModelValue { element.fields[fact.name] ?? .none }
      let (merged, isContested) = merge(
        base: base.map(value), ours: value(ours), theirs: value(theirs), fact.merging)
      fields[fact.name] = merged == .none ? nil : merged
      if isContested { isConflict = true }
    }
    return (.record(fields), isConflict)
  }
}
