extension PredicateTree {
  /// Parses a predicate's format string.
  ///
  /// ```swift
  /// try PredicateTree(parsing: "age > %d AND name BEGINSWITH[cd] %@", arguments: [30, "a"])
  /// ```
  ///
  /// Takes time and memory in proportion to the text, and nests at most ``PredicateLimits/depth``
  /// levels.
  ///
  /// - Parameters:
  ///   - format: the text; its `%@`, `%K`, `%d` … take the arguments in order.
  ///   - arguments: one value for each specifier.
  /// - Throws: ``PredicateFormatError`` with the column of the mistake and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    self = try PredicateTree(parsing: format, arguments: arguments, allowingUnused: false)
  }

  /// - Parameter allowingUnused: whether more arguments than specifiers are ignored, as Foundation
  ///   does.
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
  ///   - format: the text; its `%@`, `%K`, `%d` … take the arguments in order.
  ///   - arguments: one value for each specifier.
  /// - Throws: ``PredicateFormatError`` with the column of the mistake and what was expected.
  public init(parsing format: String, arguments: [PredicateValue] = []) throws {
    self = try ExpressionTree(parsing: format, arguments: arguments, allowingUnused: false)
  }

  /// - Parameter allowingUnused: whether more arguments than specifiers are ignored, as Foundation
  ///   does.
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
