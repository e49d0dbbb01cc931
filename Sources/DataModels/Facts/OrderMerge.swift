/// The three-way merge of the order of named things.
///
/// What both sides have is in the order of the side that changed it. What only one side has follows the thing that it
/// follows there; where both sides put something at the same place, names decide, so that exchanging the sides changes
/// nothing.
package enum OrderMerge {
  /// Merges two orders.
  ///
  /// - Parameters:
  ///   - kept: What the merge has; each of them is on at least one side.
  ///   - prefersTheirs: Whose order to use if both sides changed it differently.
  ///   - name: The name that decides at one place.
  package static func merge<Key: Hashable>(
    base: [Key], ours: [Key], theirs: [Key], kept: Set<Key>, prefersTheirs: Bool = false,
    name: (Key) -> String
  ) -> (order: [Key], isConflict: Bool) {
    let shared = kept.intersection(ours).intersection(theirs)
    func common(_ keys: [Key]) -> [Key] { keys.filter(shared.contains) }
    let (before, mine, yours) = (common(base), common(ours), common(theirs))
    let isConflict = mine != yours && yours != before && mine != before
    let frame = isConflict ? (prefersTheirs ? yours : mine) : (yours == before ? mine : yours)
    let ourRuns = runs(ours.filter(kept.contains), between: shared)
    let theirRuns = runs(theirs.filter(kept.contains), between: shared)
    var order: [Key] = []
    for place in [Key?.none] + frame.map(Optional.some) {
      if let place { order.append(place) }
      let (mine, yours) = (ourRuns[place] ?? [], theirRuns[place] ?? [])
      guard let first = mine.first, let other = yours.first else {
        order += mine + yours
        continue
      }
      order += name(other) < name(first) ? yours + mine : mine + yours
    }
    return (order, isConflict)
  }

  /// What only one side has, by the shared thing that it follows; nil for what is in front of all of them.
  private static func runs<Key: Hashable>(
    _ keys: [Key], between shared: Set<Key>
  ) -> [Key?: [Key]] {
    var runs: [Key?: [Key]] = [:]
    var place: Key?
    for key in keys {
      if shared.contains(key) { place = key } else { runs[place, default: []].append(key) }
    }
    return runs
  }
}
