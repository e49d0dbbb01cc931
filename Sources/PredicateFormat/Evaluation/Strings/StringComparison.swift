import Foundation

/// How two strings are compared: the `[cdnl]` of a comparison.
struct StringComparison: Hashable, Sendable {
  /// Character by character.
  static let literal = StringComparison([])

  let ignoresCase: Bool
  let ignoresDiacritics: Bool
  let followsLocale: Bool

  init(_ options: ComparisonOptions) {
    // `[n]` promises that the strings need no folding.
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

  /// The string with what is ignored taken out, so that equal strings become the same.
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
    // As SQLite orders texts, by their bytes.
    if isLiteral { return ExactText.order(a, b) }
    let (a, b) = (folded(a), folded(b))
    return a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
  }

  /// Whether the value can be found in a table of strings as ``lookedUp(_:)`` gives them.
  func canLookUp(_ value: PredicateValue) -> Bool {
    if case .string = value { !followsLocale } else { true }
  }

  /// The string as tables have it, in which strings that this comparison takes for equal are the same to
  /// the byte.
  func lookedUp(_ string: String) -> String {
    if isLiteral || string.utf8.allSatisfy({ $0 < 0x80 }) { return folded(string) }
    return folded(string).precomposedStringWithCanonicalMapping
  }

  /// Whether `part` occurs in `string`.
  func contains(_ string: String, _ part: String) -> Bool {
    StringSearch(folded(part)).occurs(in: folded(string))
  }
}
