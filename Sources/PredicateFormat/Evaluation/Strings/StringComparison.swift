import Foundation

/// The way two strings are compared, given by the `[cdnl]` options of a comparison.
struct StringComparison: Hashable, Sendable {
  /// Exact comparison.
  static let literal = StringComparison([])

  let ignoresCase: Bool
  let ignoresDiacritics: Bool
  let followsLocale: Bool

  init(_ options: ComparisonOptions) {
    // `[n]` asserts that the strings need no folding.
    let isNormalized = options.contains(.normalized)
    ignoresCase = options.contains(.caseInsensitive) && !isNormalized
    ignoresDiacritics = options.contains(.diacriticInsensitive) && !isNormalized
    followsLocale = options.contains(.localeSensitive) && !isNormalized
  }

  private var isLiteral: Bool { !ignoresCase && !ignoresDiacritics }

  private var options: String.CompareOptions {
    var options: String.CompareOptions = []
    if ignoresCase { options.insert(.caseInsensitive) }
    if ignoresDiacritics { options.insert(.diacriticInsensitive) }
    return options
  }

  /// The string with ignored differences removed, so that strings considered equal become identical.
  func folded(_ string: String) -> String {
    if isLiteral { return string }
    if string.utf8.allSatisfy({ $0 < 0x80 }) {
      return ignoresCase ? string.lowercased() : string
    }
    return string.folding(options: options, locale: nil)
  }

  func equal(_ a: String, _ b: String) -> Bool {
    if followsLocale {
      return a.compare(b, options: options, locale: .current) == .orderedSame
    }
    if isLiteral { return ExactText.equal(a, b) }
    return folded(a) == folded(b)
  }

  func order(_ a: String, _ b: String) -> ComparisonResult {
    if followsLocale { return a.compare(b, options: options, locale: .current) }
    // By bytes, as SQLite orders strings.
    if isLiteral { return ExactText.order(a, b) }
    let (a, b) = (folded(a), folded(b))
    return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
  }

  /// Whether a value can be looked up in a table of strings converted by ``lookedUp(_:)``.
  func canLookUp(_ value: PredicateValue) -> Bool {
    if case .string = value { !followsLocale } else { true }
  }

  /// The string in the form used in tables, in which strings that this comparison considers equal are identical byte by
  /// byte.
  func lookedUp(_ string: String) -> String {
    if isLiteral || string.utf8.allSatisfy({ $0 < 0x80 }) { return folded(string) }
    return folded(string).precomposedStringWithCanonicalMapping
  }

  /// Whether `part` occurs in `string`.
  func contains(_ string: String, _ part: String) -> Bool {
    StringSearch(folded(part)).occurs(in: folded(string))
  }
}
