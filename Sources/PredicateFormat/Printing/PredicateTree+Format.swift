extension PredicateTree: CustomStringConvertible {
  /// The text that Core Data and Foundation print for the predicate (`predicateFormat`).
  ///
  /// Parsing it gives a predicate that means the same, with two exceptions of Foundation's: dates
  /// print as `CAST(…, "NSDate")`, and objects without a literal print their description. Use
  /// ``source`` where nothing may be lost.
  public var canonicalFormat: String { PredicatePrinter.canonicalFormat { $0.print(self) } }

  /// The predicate as a format string, and arguments for what has no literal: parsing them gives
  /// the same tree.
  public var source: PredicateSource { PredicatePrinter.source { $0.print(self) } }

  /// ``canonicalFormat``.
  public var description: String { canonicalFormat }
}

extension ExpressionTree: CustomStringConvertible {
  /// The text that Core Data and Foundation print for the expression (`NSExpression.description`);
  /// version hashes of derived attributes are made from it.
  public var canonicalFormat: String { PredicatePrinter.canonicalFormat { $0.print(self) } }

  /// The expression as a format string, and arguments for what has no literal: parsing them gives
  /// the same tree.
  public var source: PredicateSource { PredicatePrinter.source { $0.print(self) } }

  /// ``canonicalFormat``.
  public var description: String { canonicalFormat }
}

extension PredicatePrinter {
  fileprivate static func canonicalFormat(_ print: (inout PredicatePrinter) -> Void) -> String {
    var printer = PredicatePrinter(style: .canonical)
    print(&printer)
    return printer.text
  }

  fileprivate static func source(_ print: (inout PredicatePrinter) -> Void) -> PredicateSource {
    var printer = PredicatePrinter(style: .source)
    print(&printer)
    return PredicateSource(format: printer.text, arguments: printer.arguments)
  }
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
