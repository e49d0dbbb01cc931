import Foundation

extension NSExpression {
  /// Creates an expression from a format string and its arguments.
  ///
  /// - Precondition: The format is valid and matches its arguments; otherwise the program stops with a message that
  ///   gives the location of the error. For untrusted text, use ``init(parsing:arguments:)``.
  public convenience init(format: String, _ arguments: CVarArg...) {
    self.init(format: format, argumentArray: arguments)
  }

  /// Creates an expression from a format string and arguments of any type, nil included.
  ///
  /// - Precondition: As for `init(format:_:)`.
  @_disfavoredOverload
  public convenience init(format: String, _ arguments: Any?...) {
    self.init(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
  }

  /// Creates an expression from a format string and an array of arguments.
  ///
  /// - Precondition: As for `init(format:_:)`.
  public convenience init(format: String, argumentArray: [Any]) {
    do {
      try self.init(parsing: format, arguments: argumentArray)
    } catch {
      preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
    }
  }

  /// Creates an expression from untrusted text.
  ///
  /// - Throws: ``PredicateFormatError`` with the column of the error and what was expected.
  public convenience init(parsing format: String, arguments: [Any] = []) throws {
    self.init(
      try ExpressionTree(
        parsing: format, arguments: arguments.map(PredicateValue.init(bridging:))))
  }

  /// Creates a constant. If the value is an `NSExpression`, the result is that expression rather than a constant.
  public convenience init(forConstantValue value: Any?) {
    self.init(.constant(PredicateValue(bridging: value)))
  }

  /// Creates a variable, given its name without the `$`.
  public convenience init(forVariable name: String) { self.init(.variable(name)) }

  /// Creates a key path from the evaluated object.
  public convenience init(forKeyPath keyPath: String) { self.init(.key(keyPath)) }

  /// Creates a call of a built-in function, given its selector (`sum:`).
  ///
  /// - Parameters:
  ///   - name: The selector.
  ///   - parameters: The arguments, as expressions or values.
  /// - Precondition: The function exists; Foundation also raises an exception immediately.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard BuiltInFunction(selector: name) != nil else {
      preconditionFailure("NSExpression(forFunction:arguments:): there is no function \"\(name)\"")
    }
    self.init(
      .function(
        .init(name, parameters.map(Self.tree(of:)), hasMutableArguments: false)))
  }

  /// Creates a call of a method of a target, performed when the expression is evaluated.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    self.init(
      .function(
        .init(
          name, (parameters ?? []).map(Self.tree(of:)), on: target.tree,
          hasMutableArguments: false)))
  }

  /// Creates an array of the values of other expressions.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(.aggregate(subexpressions.map(Self.tree(of:))))
  }

  /// Creates the union of both sides; the left must be a set.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.union, left.tree, right.tree))
  }

  /// Creates the intersection of both sides; the left must be a set.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.intersect, left.tree, right.tree))
  }

  /// Creates the difference of the left side, a set, and the right side.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.minus, left.tree, right.tree))
  }

  /// Creates an expression for the elements of a collection for which a predicate with `$variable` is true.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(
      .subquery(collection: expression.tree, variable: variable, predicate: predicate.tree))
  }

  /// Creates a conditional expression.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(predicate.tree, trueExpression.tree, falseExpression.tree))
  }

  /// Creates an expression whose value is computed by a block from the evaluated object and the arguments' values.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
  ) {
    self.init(.block(OpaqueBlock(block), (arguments ?? []).map(\.tree)))
  }

  /// Creates `SELF` or `ANYKEY`, the types of expressions without contents.
  ///
  /// - Precondition: The type is one of these.
  public convenience init(expressionType type: ExpressionType) {
    switch type {
    case .evaluatedObject: self.init(.evaluatedObject)
    case .anyKey: self.init(.anyKey)
    default:
      preconditionFailure("NSExpression(expressionType: .\(type)): that type needs its parts")
    }
  }

  /// Creates `SELF`.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// Creates `ANYKEY`.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  /// The tree of an expression, or a constant for any other value.
  private static func tree(of part: Any) -> ExpressionTree {
    (part as? NSExpression)?.tree ?? .constant(PredicateValue(bridging: part))
  }
}
