/// How a comparison treats strings; raw values are those of `NSComparisonPredicate.Options`, which
/// is this type, and of `NSOptions` and `NSFlags` in archives.
public struct ComparisonOptions: OptionSet, Hashable, Sendable {
  /// The option bits; bits without a name here are kept.
  public let rawValue: UInt

  /// Makes options of their bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `[c]`: upper and lower case are equal.
  public static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// `[d]`: letters with and without diacritical marks are equal.
  public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
  /// `[n]`: the strings are known to be normalised; supersedes the other options.
  public static let normalized = ComparisonOptions(rawValue: 4)
  /// `[l]`: strings are ordered as the current locale orders them.
  public static let localeSensitive = ComparisonOptions(rawValue: 8)
}

extension ComparisonOptions {
  /// The options as the format language writes them between brackets: `cd`; empty without any.
  var letters: String {
    let letters: [(ComparisonOptions, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
      (.localeSensitive, "l"),
    ]
    return letters.filter { contains($0.0) }.map(\.1).joined()
  }
}
