import Foundation

/// The sort descriptor behind `NSSortDescriptor(key:ascending:)`.
final class KeySortDescriptor: NSSortDescriptor {
  let sortKey: SortKey
  private let ownComparator: Comparator?
  private let path: PreparedKeyPath?

  init(sorting sortKey: SortKey, comparator: Comparator? = nil) {
    self.sortKey = sortKey
    ownComparator = comparator
    path = sortKey.key.map(PreparedKeyPath.init)
    let order = ValueOrder(selector: sortKey.selector ?? "compare:")
    super.init(
      keyPath: \NSObject.self, ascending: sortKey.ascending,
      comparator: comparator ?? { order.compare($0, $1) })
  }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    let left: Any? = if let path { path.leniently(from: object1) } else { object1 }
    let right: Any? = if let path { path.leniently(from: object2) } else { object2 }
    let result =
      if let ownComparator {
        ownComparator(left ?? NSNull(), right ?? NSNull())
      } else {
        ValueOrder(selector: sortKey.selector ?? "compare:").compare(left, right)
      }
    return sortKey.ascending ? result : result.reversed
  }

  override var reversedSortDescriptor: Any {
    var reversed = sortKey
    reversed.ascending.toggle()
    return KeySortDescriptor(sorting: reversed, comparator: ownComparator)
  }

  override var description: String {
    "(\(sortKey.key ?? "self"), \(sortKey.ascending ? "ascending" : "descending"), "
      + "\(ownComparator == nil ? sortKey.selector ?? "compare:" : "comparator"))"
  }

  override func isEqual(_ object: Any?) -> Bool {
    guard let other = object as? KeySortDescriptor else { return false }
    return self === other
      || (sortKey == other.sortKey && ownComparator == nil && other.ownComparator == nil)
  }

  override var hash: Int { sortKey.hashValue }

  /// Whether values are compared by a block, which no store can do.
  var hasComparator: Bool { ownComparator != nil }
}

extension ComparisonResult {
  var reversed: ComparisonResult {
    switch self {
    case .orderedAscending: .orderedDescending
    case .orderedDescending: .orderedAscending
    case .orderedSame: .orderedSame
    }
  }
}
