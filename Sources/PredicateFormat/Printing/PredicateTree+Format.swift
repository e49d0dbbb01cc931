extension PredicateTree: CustomStringConvertible {
  /// The text that Core Data and Foundation print for the predicate (`predicateFormat`).
  ///
  /// Parsing it results in an equivalent predicate, with two exceptions inherited from Foundation: dates print as
  /// `CAST(…, "NSDate")`, and objects without a literal print their description. Use ``source`` for a lossless
  /// representation.
  public var canonicalFormat: String { PredicatePrinter.canonicalFormat { $0.print(self) } }

  /// The predicate as a format string, with arguments for values without a literal. Parsing them results in the same
  /// tree.
  public var source: PredicateSource { PredicatePrinter.source { $0.print(self) } }

  /// ``canonicalFormat``.
  public var description: String { canonicalFormat }
}

extension ExpressionTree: CustomStringConvertible {
  /// The text that Core Data and Foundation print for the expression (`NSExpression.description`); version hashes of
  /// derived attributes are computed from it.
  public var canonicalFormat: String { PredicatePrinter.canonicalFormat { $0.print(self) } }

  /// The expression as a format string, with arguments for values without a literal. Parsing them results in the same
  /// tree.
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

/// The style in which a tree is printed.
enum PrintStyle {
  /// As `predicateFormat` prints it.
  case canonical
  /// A form that parses to the same tree; values without a literal become arguments.
  case source
}

/// A lossless textual form of a tree: a format string and the arguments for its `%@` and `%K`.
///
/// ```swift
/// let source = predicate.tree.source
/// let same = try PredicateTree(parsing: source.format, arguments: source.arguments)
/// ```
///
/// `PredicateTree(parsing: source.format, arguments: source.arguments)` restores the tree.
public struct PredicateSource: Hashable, Sendable {
  /// The text.
  public var format: String
  /// Values without a literal (dates, data, decimals, arrays), in order; usually none.
  public var arguments: [PredicateValue]
}
