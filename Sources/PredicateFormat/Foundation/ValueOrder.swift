import Foundation

/// The order of two values for sorting, given by the selector of a sort descriptor. nil comes first.
package struct ValueOrder: Sendable {
  private let strings: StringComparison
  private let isStandard: Bool

  package init(selector: String) {
    switch selector {
    case "caseInsensitiveCompare:": strings = StringComparison(.caseInsensitive)
    case "localizedCompare:": strings = StringComparison(.localeSensitive)
    case "localizedCaseInsensitiveCompare:":
      strings = StringComparison([.localeSensitive, .caseInsensitive])
    default: strings = .literal
    }
    isStandard = selector == "localizedStandardCompare:"
  }

  /// Compares two values; values that can't be ordered are considered equal.
  package func compare(_ left: PredicateValue, _ right: PredicateValue) -> ComparisonResult {
    switch (left.isNothing, right.isNothing) {
    case (true, true): return .orderedSame
    case (true, false): return .orderedAscending
    case (false, true): return .orderedDescending
    default: break
    }
    if isStandard, case .string(let a) = left, case .string(let b) = right {
      return a.compare(
        b, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering],
        locale: .current)
    }
    return (try? left.order(right, strings)) ?? .orderedSame
  }
}
