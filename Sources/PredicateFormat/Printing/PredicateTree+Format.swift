extension PredicateTree {
  /// The text that Core Data and Foundation print for the predicate (`predicateFormat`).
  ///
  /// Parsing it gives a predicate that means the same, with two exceptions of Foundation's: dates
  /// print as `CAST(…, "NSDate")`, and objects without a literal print their description. Use
  /// ``source`` where nothing may be lost.
  public var canonicalFormat: String {
    var printer = PredicatePrinter(style: .canonical)
    printer.print(self)
    return printer.text
  }

  /// The predicate as a format string, and arguments for what has no literal: parsing them gives
  /// the same tree.
  public var source: PredicateSource {
    var printer = PredicatePrinter(style: .source)
    printer.print(self)
    return PredicateSource(format: printer.text, arguments: printer.arguments)
  }
}

extension PredicateTree: CustomStringConvertible {
  /// ``canonicalFormat``.
  public var description: String { canonicalFormat }
}

extension ExpressionTree {
  /// The text that Core Data and Foundation print for the expression (`NSExpression.description`);
  /// version hashes of derived attributes are made from it.
  public var canonicalFormat: String {
    var printer = PredicatePrinter(style: .canonical)
    printer.print(self)
    return printer.text
  }

  /// The expression as a format string, and arguments for what has no literal: parsing them gives
  /// the same tree.
  public var source: PredicateSource {
    var printer = PredicatePrinter(style: .source)
    printer.print(self)
    return PredicateSource(format: printer.text, arguments: printer.arguments)
  }
}

extension ExpressionTree: CustomStringConvertible {
  /// ``canonicalFormat``.
  public var description: String { canonicalFormat }
}

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
