extension ExpressionTree {
  /// A function call.
  public struct Function: Hashable, Sendable {
    /// The class that implements the built-in functions, as named in archives.
    public static let builtInClassName = "_NSPredicateUtilities"

    /// The selector, such as `sum:`, `add:to:`, `now`.
    public var selector: String
    /// The target of the selector: the constant class ``builtInClassName`` for built-in functions.
    public var operand: ExpressionTree
    /// The arguments, in order.
    public var arguments: [ExpressionTree]
    /// Whether archives store the arguments in an `NSMutableArray`, as for a call parsed from text, or in an `NSArray`,
    /// as for one created in code.
    ///
    /// It indicates the origin rather than the meaning, and is not part of equality.
    public var hasMutableArguments: Bool

    /// Creates a call.
    ///
    /// - Parameters:
    ///   - selector: The function's name, with its colons.
    ///   - arguments: The arguments, one for each colon.
    ///   - operand: The target. Default: that of built-in functions.
    ///   - hasMutableArguments: Whether archives store the arguments in a mutable array.
    public init(
      _ selector: String, _ arguments: [ExpressionTree],
      on operand: ExpressionTree = .constant(.className(builtInClassName)),
      hasMutableArguments: Bool = true
    ) {
      self.selector = selector
      self.operand = operand
      self.arguments = arguments
      self.hasMutableArguments = hasMutableArguments
    }

    /// Whether this is a call of a built-in function rather than a method of some target.
    public var isBuiltIn: Bool {
      operand == .constant(.className(Self.builtInClassName))
    }

    /// Whether two calls have equal selectors, targets and arguments.
    public static func == (left: Function, right: Function) -> Bool {
      left.selector == right.selector && left.operand == right.operand
        && left.arguments == right.arguments
    }

    /// Hashes the properties that ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(selector)
      hasher.combine(operand)
      hasher.combine(arguments)
    }
  }
}
