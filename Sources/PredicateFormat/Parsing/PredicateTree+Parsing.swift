extension PredicateTree {
  /// Parses a predicate's format string.
  ///
  /// ```swift
  /// try PredicateTree(parsing: "age > %d AND name BEGINSWITH[cd] %@", arguments: [30, "a"])
  /// ```
  ///
  /// The time and memory used are proportional to the text's length. The tree has at most ``PredicateLimits/depth``
  /// levels.
  ///
  /// - Parameters:
  ///   - format: The text; its specifiers `%@`, `%K`, `%d` … consume the arguments in order.
  ///   - arguments: One value for each specifier.
  /// - Throws: ``PredicateFormatError`` with the column of the error and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    self = try PredicateTree(parsing: format, arguments: arguments, allowingUnused: false)
  }

  /// - Parameter allowingUnused: Whether surplus arguments are ignored, as in Foundation.
  init(
    parsing format: String, arguments: [PredicateValue], allowingUnused: Bool
  ) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self = try parser.parsePredicate()
    if !allowingUnused { try parser.expectNoUnusedArguments() }
  }
}

extension ExpressionTree {
  /// Parses an expression's format string, such as `sum:(items.price) * 2`.
  ///
  /// - Parameters:
  ///   - format: The text; its specifiers `%@`, `%K`, `%d` … consume the arguments in order.
  ///   - arguments: One value for each specifier.
  /// - Throws: ``PredicateFormatError`` with the column of the error and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    self = try ExpressionTree(parsing: format, arguments: arguments, allowingUnused: false)
  }

  /// - Parameter allowingUnused: Whether surplus arguments are ignored, as in Foundation.
  init(
    parsing format: String, arguments: [PredicateValue], allowingUnused: Bool
  ) throws(PredicateFormatError) {
    var parser = try FormatParser(format, arguments: arguments)
    self = try parser.parseExpression()
    if !allowingUnused { try parser.expectNoUnusedArguments() }
  }
}

extension FormatParser {
  func expectNoUnusedArguments() throws(PredicateFormatError) {
    guard arguments.unusedCount > 0 else { return }
    throw PredicateFormatError(
      .formatArguments,
      "\(arguments.unusedCount) argument\(arguments.unusedCount == 1 ? "" : "s") more than the "
        + "format has specifiers")
  }
}
