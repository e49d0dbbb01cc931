/// Limits that prevent malicious texts and trees from exhausting stack, memory or time.
public enum PredicateLimits {
  /// The deepest nesting that the parser produces, in levels of the tree. Real predicates stay below 20. Chains of
  /// `AND` and `OR` are flat and don't count.
  public static let depth = 100

  /// The deepest nesting of predicates and expressions that are built as objects; Core Data's SQLite stores have the
  /// same limit. A predicate that is nested more deeply can't be evaluated. `AND` within `AND`, and `OR` within `OR`,
  /// become flat beyond ``depth`` levels and don't count.
  public static let builtDepth = 1000

  /// The deepest nesting of the grammar. One level of the tree may print as an operator and parentheses, and printed
  /// text must be parseable again.
  static let nesting = 2 * depth + 16

  /// The longest text that the parser accepts, in UTF-8 bytes.
  public static let textLength = 16 << 20

  /// The time limit for matching a regular expression, in milliseconds.
  public static let patternMilliseconds = 1_000

  /// The work limit for matching a regular expression, in ICU's ticks of 10,000 steps: about half a second. Foundation
  /// has a limit of its own of 4,232 ticks, beyond which it reports no match. This limit is lower, so that exceeding it
  /// is reported.
  static let patternTicks = 4_000
}
