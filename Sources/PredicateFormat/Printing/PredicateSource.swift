/// How a tree is turned into text.
enum PrintStyle {
  /// As `predicateFormat` prints it.
  case canonical
  /// So that parsing gives the same tree again; what has no literal becomes an argument.
  case source
}

/// A format string and the arguments for its `%@` and `%K`: a tree as text that loses nothing.
///
/// `PredicateTree(parsing: source.format, arguments: source.arguments)` is the tree again.
public struct PredicateSource: Hashable, Sendable {
  /// The text.
  public var format: String
  /// Values that have no literal (dates, data, decimals, arrays), in order; usually none.
  public var arguments: [PredicateValue]
}
