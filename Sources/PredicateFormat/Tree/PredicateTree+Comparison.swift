extension PredicateTree {
  /// `left operator right`, with a modifier and options: everything an archived
  /// `NSComparisonPredicate` and its operator object say.
  ///
  /// The class of the archived operator, its `NSNegate`, `NSVariant` and `NSPosition` follow from
  /// ``type``; its `NSOptions` or `NSFlags` are the raw value of ``options``.
  public struct Comparison: Hashable, Sendable {
    /// The left side; with a modifier, the collection.
    public var left: ExpressionTree
    /// The operator.
    public var type: ComparisonOperator
    /// The right side.
    public var right: ExpressionTree
    /// Whether the left side is compared as a whole (`direct`), or each (`all`) or some (`any`) of
    /// its elements.
    public var modifier: ComparisonModifier
    /// How strings are compared. Bits that have no name are kept.
    public var options: ComparisonOptions
    /// The selector of a ``ComparisonOperator/customSelector`` comparison, else nil.
    public var customSelector: String?

    /// Makes a comparison.
    public init(
      left: ExpressionTree, type: ComparisonOperator, right: ExpressionTree,
      modifier: ComparisonModifier = .direct, options: ComparisonOptions = [],
      customSelector: String? = nil
    ) {
      self.left = left
      self.type = type
      self.right = right
      self.modifier = modifier
      self.options = options
      self.customSelector = customSelector
    }
  }
}

/// Whether a comparison is about its left side or about that side's elements; raw values are those
/// of `NSComparisonPredicate.Modifier`, which is this type, and of `NSModifier` in archives.
public enum ComparisonModifier: UInt, Hashable, Sendable, CaseIterable {
  /// The left side itself.
  case direct = 0
  /// `ALL`: every element of the left side.
  case all = 1
  /// `ANY`, `SOME`: at least one element of the left side.
  case any = 2
}

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
