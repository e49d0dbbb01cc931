/// The words of the format language, which are no keys unless written with a `#`.
enum ReservedWord: String, CaseIterable {
  case and, or, not
  case any, some, all, none
  case `in`, contains, beginswith, endswith, like, matches, between
  case null, `nil`, `true`, yes, `false`, no
  case `self`, anykey, first, last, size
  case subquery, ternary, function, cast, fetch
  case union, intersect, minus
  case truepredicate, falsepredicate
  case caseinsensitive, ci

  /// Whether the word is never a key. The others are words only where the grammar asks for them: an
  /// attribute may be called `size` or `first`.
  var isAlwaysReserved: Bool {
    switch self {
    case .first, .last, .size, .subquery, .ternary, .function, .cast, .fetch, .union, .intersect,
      .minus, .caseinsensitive, .ci:
      false
    default: true
    }
  }

  private static let longest = allCases.map(\.rawValue.utf8.count).max() ?? 0

  private static let table: [String: ReservedWord] = Dictionary(
    uniqueKeysWithValues: allCases.map { ($0.rawValue, $0) })

  /// The word of that spelling, in any case.
  init?(text: some StringProtocol) {
    guard text.utf8.count <= Self.longest else { return nil }
    guard let word = Self.table[text.lowercased()] else { return nil }
    self = word
  }
}
