import Foundation
import Synchronization

/// The regular expression of a `MATCHES` comparison: ICU syntax, matched against the whole string, with a time limit.
struct RegularPattern: Sendable {
  private let expression: NSRegularExpression
  private let strings: StringComparison

  /// The longest pattern allowed, in UTF-16 units.
  private static let lengthLimit = 20_000

  /// Recently compiled patterns, for patterns that aren't constants.
  private static let cache = Mutex<[Key: Result<RegularPattern, PredicateFormatError>]>([:])
  private static let cacheSize = 64

  private struct Key: Hashable {
    var text: ExactText
    var strings: StringComparison
  }

  /// Compiles a pattern, or returns the error in it.
  static func prepare(
    _ text: String, _ strings: StringComparison
  ) -> Result<RegularPattern, PredicateFormatError> {
    let key = Key(text: ExactText(text), strings: strings)
    if let known = cache.withLock({ $0[key] }) { return known }
    let made = Result { () throws(PredicateFormatError) in try RegularPattern(text, strings) }
    cache.withLock {
      if $0.count >= cacheSize { $0.removeAll(keepingCapacity: true) }
      $0[key] = made
    }
    return made
  }

  private init(_ text: String, _ strings: StringComparison) throws(PredicateFormatError) {
    self.strings = strings
    guard text.utf16.count <= Self.lengthLimit else {
      throw PredicateFormatError(
        .tooLarge, "the regular expression is longer than \(Self.lengthLimit) characters")
    }
    let folded =
      strings.ignoresDiacritics ? text.folding(options: .diacriticInsensitive, locale: nil) : text
    let options: NSRegularExpression.Options = strings.ignoresCase ? .caseInsensitive : []
    // Compile the pattern alone first, so that an unbalanced parenthesis can't pair with ours. Foundation rejects the
    // empty pattern, which matches the empty string.
    guard folded.isEmpty || (try? NSRegularExpression(pattern: folded, options: options)) != nil,
      let whole = (try? NSRegularExpression(pattern: "\\A(?:\(folded))\\z", options: options))
        ?? (try? NSRegularExpression(pattern: "\\A(?:\(folded)\n)\\z", options: options))
    else {
      throw PredicateFormatError(
        .badPattern, "not a regular expression: '\(text.prefix(60))'")
    }
    expression = whole
  }

  func matches(_ string: String) throws(PredicateFormatError) -> Bool {
    let text =
      strings.ignoresDiacritics
      ? string.folding(options: .diacriticInsensitive, locale: nil) : string
    let range = NSRange(location: 0, length: text.utf16.count)
    let start = ContinuousClock.now
    let limit = Duration.milliseconds(PredicateLimits.patternMilliseconds)
    var isMatch = false
    var ticks = 0
    var isTooLong = false
    var isTooComplex = false
    expression.enumerateMatches(
      in: text, options: [.reportProgress, .reportCompletion], range: range
    ) {
      match, flags, stop in
      if match != nil {
        isMatch = true
        stop.pointee = true
      } else if flags.contains(.internalError), !isTooLong {
        isTooComplex = true
      } else if flags.contains(.progress) {
        ticks += 1
        isTooLong = ticks > PredicateLimits.patternTicks || ContinuousClock.now - start > limit
        if isTooLong { stop.pointee = true }
      }
    }
    if isMatch { return true }
    guard !isTooLong, !isTooComplex else {
      throw PredicateFormatError(
        .patternTimeout,
        "the regular expression '\(expression.pattern.prefix(60))' "
          + (isTooLong ? "takes too long" : "needs too much memory")
          + " on a string of \(range.length) characters")
    }
    return false
  }
}
