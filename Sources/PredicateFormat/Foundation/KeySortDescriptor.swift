import Foundation

/// The sort descriptor behind `NSSortDescriptor(key:ascending:)`.
final class KeySortDescriptor: NSSortDescriptor {
  let sortKey: SortKey
  private let ownComparator: Comparator?
  private let path: PreparedKeyPath?
  private let order: ValueOrder

  init(sorting sortKey: SortKey, comparator: Comparator? = nil) {
    self.sortKey = sortKey
    ownComparator = comparator
    path = sortKey.key.map(PreparedKeyPath.init)
    let order = ValueOrder(selector: sortKey.selector ?? "compare:")
    self.order = order
    super.init(
      keyPath: \NSObject.self, ascending: sortKey.ascending,
      comparator: comparator ?? {
        order.compare(PredicateValue(reading: $0), PredicateValue(reading: $1))
      })
  }

  override func compare(_ object1: Any, to object2: Any) -> ComparisonResult {
    order(value(of: object1), value(of: object2))
  }

  /// The order of two objects that have these values of the key.
  func order(_ left: PredicateValue, _ right: PredicateValue) -> ComparisonResult {
    let result =
      if let ownComparator {
        ownComparator(left.foundationValue ?? NSNull(), right.foundationValue ?? NSNull())
      } else {
        order.compare(left, right)
      }
    return sortKey.ascending ? result : result.reversed
  }

  /// The value to compare; nil if the path can't be read from the object.
  private func value(of object: Any) -> PredicateValue {
    guard let path else { return PredicateValue(reading: object) }
    return (try? path.value(from: EvaluationContext.Subject(object))) ?? .null
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

  /// Whether values are compared by a closure, which stores don't support.
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

/// A sort by a key as a value, as stored in an archived `NSSortDescriptor`.
///
/// ```swift
/// let byName = SortKey("name", selector: "caseInsensitiveCompare:")
/// request.sortDescriptors = [NSSortDescriptor(byName)]
/// ```
public struct SortKey: Hashable, Sendable {
  /// The key path; nil sorts by the objects themselves.
  public var key: String?
  /// Whether the order is ascending.
  public var ascending: Bool
  /// The selector of the comparison method: `compare:`, `caseInsensitiveCompare:`, …
  public var selector: String?
  /// The archived value of `NSReverseNullOrder`; nil if the key is missing, as in older archives.
  public var reversesNullOrder: Bool?

  /// Creates a sort key.
  public init(
    _ key: String?, ascending: Bool = true, selector: String? = "compare:",
    reversesNullOrder: Bool? = nil
  ) {
    self.key = key
    self.ascending = ascending
    self.selector = selector
    self.reversesNullOrder = reversesNullOrder
  }
}
