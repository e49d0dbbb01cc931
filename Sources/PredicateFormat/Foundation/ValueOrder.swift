import Foundation

/// The order of two values for sorting, given by the selector of a sort descriptor. nil comes first. Objects are in the
/// order of their rows' keys, those that were never saved last.
package struct ValueOrder: Sendable {
  private let strings: StringComparison
  private let isStandard: Bool

  /// The selectors that fetches know, as in Core Data.
  package static let selectors: Set<String> = [
    "compare:", "caseInsensitiveCompare:", "localizedCompare:", "localizedCaseInsensitiveCompare:",
    "localizedStandardCompare:",
  ]

  /// Creates the order for one of ``selectors``.
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

  /// Compares two strings by their bytes if that is sufficient, without creating strings; returns nil otherwise.
  package func compare(
    _ left: TextBytes, _ right: TextBytes
  ) -> ComparisonResult? {
    isStandard && PlainTextOrder.isLocales ? PlainTextOrder.compare(left, right) : nil
  }

  /// The order; values that can't be ordered count as equal.
  package func compare(_ left: PredicateValue, _ right: PredicateValue) -> ComparisonResult {
    switch (left.isNothing, right.isNothing) {
    case (true, true): return .orderedSame
    case (true, false): return .orderedAscending
    case (false, true): return .orderedDescending
    default: break
    }
    if isStandard, case .string(let a) = left, case .string(let b) = right {
      if PlainTextOrder.isLocales, let order = PlainTextOrder.compare(a, b) { return order }
      return a.compare(
        b, options: [.caseInsensitive, .numeric, .widthInsensitive, .forcedOrdering],
        locale: .current)
    }
    switch (left, right) {
    // Predicates don't order these; a SQLite store sorts by their columns.
    case (.object(let a), .object(let b)):
      guard let a = a.identity, let b = b.identity else { return .orderedSame }
      return a.order(b)
    case (.data(let a), .data(let b)):
      return a == b
        ? .orderedSame : a.lexicographicallyPrecedes(b) ? .orderedAscending : .orderedDescending
    case (.url(let a), .url(let b)): return ExactText.order(a.absoluteString, b.absoluteString)
    default: return (try? left.order(right, strings: strings)) ?? .orderedSame
    }
  }
}
