extension PredicateTree {
  /// Parses a format string.
  ///
  /// - Parameters:
  ///   - format: the text; `%@`, `%K`, `%d` … take the arguments in order.
  ///   - arguments: the values for the format's specifiers.
  /// - Throws: ``PredicateError`` with the column of the mistake and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    throw PredicateError(.unsupported, "the parser is not built yet")
  }
}

extension ExpressionTree {
  /// Parses an expression's format string.
  ///
  /// - Throws: ``PredicateError`` with the column of the mistake and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    throw PredicateError(.unsupported, "the parser is not built yet")
  }
}
