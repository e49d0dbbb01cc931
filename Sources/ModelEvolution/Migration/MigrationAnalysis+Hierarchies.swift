extension MigrationAnalysis {
  /// Notes entities that get a common ancestor though they had none: hierarchies don't merge.
  ///
  /// One that stood alone may join a hierarchy; two of different hierarchies may not, nor may any
  /// two under an ancestor that is new.
  mutating func judgeHierarchies() {
    let oldNames = Dictionary(matching.pairs.map { ($0.new, $0.old) }) { first, _ in first }
    var sizes: [String: Int] = [:]
    for pair in matching.pairs { sizes[root(pair.old, in: matching.old), default: 0] += 1 }
    var roots: [String: Set<String>] = [:]
    for pair in matching.pairs {
      roots[root(pair.new, in: matching.new), default: []]
        .insert(root(pair.old, in: matching.old))
    }
    for (newRoot, oldRoots) in roots where oldRoots.count > 1 {
      let home = oldNames[newRoot].map { root($0, in: matching.old) }
      let strangers = oldRoots.filter { $0 != home }.sorted()
      guard home == nil || strangers.contains(where: { (sizes[$0] ?? 0) > 1 }) else { continue }
      find(
        .hierarchiesMerged, at: .entity(newRoot),
        "\(newRoot) is above entities that had no common ancestor:"
          + " \(oldRoots.sorted().joined(separator: ", ")); hierarchies can't be merged by inference",
        suggestion: "keep them apart, or copy the objects in a custom stage")
    }
  }

  private func root(_ entity: String, in outline: ModelOutline) -> String {
    outline.lineage(of: entity).last ?? entity
  }
}
