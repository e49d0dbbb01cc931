/// Bounds that keep hostile texts and trees from using up stack, memory or time.
public enum PredicateLimits {
  /// The deepest nesting that the parser makes, in levels of the tree. Real predicates stay below
  /// 20. Chains of `AND` and `OR` are flat and don't count.
  public static let depth = 100

  /// The deepest nesting of the grammar. A level of the tree may print with an operator and
  /// parentheses, and what was printed must be read again.
  static let nesting = 2 * depth + 16

  /// The longest text that the parser takes, in UTF-8 bytes.
  public static let textLength = 16 << 20

  /// The longest time that one match of a regular expression may take, in milliseconds.
  public static let patternMilliseconds = 1_000

  /// The most work that one match of a regular expression may take, in ICU's ticks of 10,000 steps:
  /// about half a second's. Foundation has a limit of its own of 4,232 ticks, beyond which it says
  /// that there is no match; this one is below it so that the difference is told.
  static let patternTicks = 4_000
}
