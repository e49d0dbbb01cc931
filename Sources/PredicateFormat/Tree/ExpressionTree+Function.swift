extension ExpressionTree {
  /// A function call.
  public struct Function: Hashable, Sendable {
    /// The class whose methods are the built-in functions, as archives name it.
    public static let builtInClassName = "_NSPredicateUtilities"

    /// The selector, such as `sum:`, `add:to:`, `now`.
    public var selector: String
    /// What the selector is sent to: the constant class ``builtInClassName`` for built-in functions.
    public var operand: ExpressionTree
    /// The arguments, in order.
    public var arguments: [ExpressionTree]
    /// Whether archives hold the arguments in an `NSMutableArray`, as they do for a call that was
    /// parsed from text, or in an `NSArray`, as for one made in code.
    ///
    /// A mark of origin, not of meaning: it takes no part in equality.
    public var hasMutableArguments: Bool

    /// Makes a call.
    ///
    /// - Parameters:
    ///   - selector: the function's name, with its colons.
    ///   - arguments: the arguments, one for each colon.
    ///   - operand: the target; the built-in functions by default.
    ///   - hasMutableArguments: whether an archive has them in a mutable array.
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

    /// Whether this is a call of a built-in function rather than of a selector on some target.
    public var isBuiltIn: Bool {
      operand == .constant(.className(Self.builtInClassName))
    }

    /// Two calls are equal when they call the same with the same.
    public static func == (left: Function, right: Function) -> Bool {
      left.selector == right.selector && left.operand == right.operand
        && left.arguments == right.arguments
    }

    /// Hashes what ``==(_:_:)`` compares.
    public func hash(into hasher: inout Hasher) {
      hasher.combine(selector)
      hasher.combine(operand)
      hasher.combine(arguments)
    }
  }
}
