extension PredicateTree {
  /// A comparison of two expressions with a modifier and options: the complete content of an archived
  /// `NSComparisonPredicate` and its operator object.
  ///
  /// The class of the archived operator and its `NSNegate`, `NSVariant` and `NSPosition` follow from ``type``; its
  /// `NSOptions` or `NSFlags` are the raw value of ``options``.
  public struct Comparison: Hashable, Sendable {
    /// The left side; with a modifier, a collection.
    public var left: ExpressionTree
    /// The operator.
    public var type: ComparisonOperator
    /// The right side.
    public var right: ExpressionTree
    /// Whether the left side is compared as a whole (`direct`), or all (`all`) or some (`any`) of its elements.
    public var modifier: ComparisonModifier
    /// The options for comparing strings. Unknown bits are preserved.
    public var options: ComparisonOptions
    /// The selector of a ``ComparisonOperator/customSelector`` comparison, otherwise nil.
    public var customSelector: String?

    /// Creates a comparison.
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

/// Whether a comparison applies to its left side or to that side's elements. The raw values are those of
/// `NSComparisonPredicate.Modifier`, which is an alias of this type, and of `NSModifier` in archives.
public enum ComparisonModifier: UInt, Hashable, Sendable, CaseIterable {
  /// The left side itself.
  case direct = 0
  /// `ALL`: every element of the left side.
  case all = 1
  /// `ANY`, `SOME`: at least one element of the left side.
  case any = 2
}

/// The options for comparing strings. The raw values are those of `NSComparisonPredicate.Options`, which is an alias of
/// this type, and of `NSOptions` and `NSFlags` in archives.
public struct ComparisonOptions: OptionSet, Hashable, Sendable {
  /// The option bits; unknown bits are preserved.
  public let rawValue: UInt

  /// Creates options from bits.
  public init(rawValue: UInt) { self.rawValue = rawValue }

  /// `[c]`: ignores case.
  public static let caseInsensitive = ComparisonOptions(rawValue: 1)
  /// `[d]`: ignores diacritical marks.
  public static let diacriticInsensitive = ComparisonOptions(rawValue: 2)
  /// `[n]`: the strings are known to be normalized; overrides the other options.
  public static let normalized = ComparisonOptions(rawValue: 4)
  /// `[l]`: uses the order of the current locale.
  public static let localeSensitive = ComparisonOptions(rawValue: 8)
}

extension ComparisonOptions {
  /// The options as written between brackets in the predicate format, such as `cd`; empty if there are none.
  var letters: String {
    let letters: [(ComparisonOptions, String)] = [
      (.caseInsensitive, "c"), (.diacriticInsensitive, "d"), (.normalized, "n"),
      (.localeSensitive, "l"),
    ]
    return letters.filter { contains($0.0) }.map(\.1).joined()
  }
}
