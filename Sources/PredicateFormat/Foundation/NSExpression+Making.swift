import Foundation

extension NSExpression {
  /// An expression from a format string and its arguments.
  ///
  /// - Precondition: The format is correct and fits its arguments; otherwise the program stops with
  ///   a message that says where the mistake is. For text from outside use
  ///   ``init(parsing:arguments:)``.
  public convenience init(format: String, _ arguments: Any?...) {
    self.init(format: format, argumentArray: arguments.map { $0 ?? NSNull() })
  }

  /// An expression from a format string and an array of arguments.
  ///
  /// - Precondition: As for ``init(format:_:)``.
  public convenience init(format: String, argumentArray: [Any]) {
    do {
      try self.init(parsing: format, arguments: argumentArray)
    } catch {
      preconditionFailure("Unable to parse the format string \"\(format)\": \(error)")
    }
  }

  /// An expression from text that came from outside the program.
  ///
  /// - Throws: ``PredicateFormatError`` with the column of the mistake and what was expected.
  public convenience init(parsing format: String, arguments: [Any] = []) throws {
    self.init(
      try ExpressionTree(
        parsing: format, arguments: arguments.map(PredicateValue.init(bridging:))))
  }

  /// A value. An `NSExpression` given as the value is that expression's object, not a constant.
  public convenience init(forConstantValue value: Any?) {
    self.init(.constant(PredicateValue(bridging: value)))
  }

  /// A `$variable`, without the `$`.
  public convenience init(forVariable name: String) { self.init(.variable(name)) }

  /// A key path from the evaluated object.
  public convenience init(forKeyPath keyPath: String) { self.init(.key(keyPath)) }

  /// A built-in function, by its selector (`sum:`), or the function of that selector of `NSNumber`…
  ///
  /// - Parameters:
  ///   - name: the selector.
  ///   - parameters: the arguments: expressions, or values.
  /// - Precondition: The function exists; Foundation raises an exception at once, too.
  public convenience init(forFunction name: String, arguments parameters: [Any]) {
    guard BuiltInFunction(selector: name) != nil else {
      preconditionFailure("NSExpression(forFunction:arguments:): there is no function \"\(name)\"")
    }
    self.init(
      .function(
        .init(name, parameters.map(Self.tree(of:)), hasMutableArguments: false)))
  }

  /// A selector sent to a target when the expression is evaluated.
  public convenience init(
    forFunction target: NSExpression, selectorName name: String, arguments parameters: [Any]?
  ) {
    self.init(
      .function(
        .init(
          name, (parameters ?? []).map(Self.tree(of:)), on: target.tree,
          hasMutableArguments: false)))
  }

  /// An array of other expressions' values.
  public convenience init(forAggregate subexpressions: [Any]) {
    self.init(.aggregate(subexpressions.map(Self.tree(of:))))
  }

  /// The elements of either side; the left must be a set.
  public convenience init(forUnionSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.union, left.tree, right.tree))
  }

  /// The elements of both sides; the left must be a set.
  public convenience init(forIntersectSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.intersect, left.tree, right.tree))
  }

  /// The elements of the left side, a set, that the right side lacks.
  public convenience init(forMinusSet left: NSExpression, with right: NSExpression) {
    self.init(.set(.minus, left.tree, right.tree))
  }

  /// The elements of a collection for which a predicate over `$variable` is true.
  public convenience init(
    forSubquery expression: NSExpression, usingIteratorVariable variable: String,
    predicate: NSPredicate
  ) {
    self.init(
      .subquery(collection: expression.tree, variable: variable, predicate: predicate.tree))
  }

  /// One of two expressions, by a predicate.
  public convenience init(
    forConditional predicate: NSPredicate, trueExpression: NSExpression,
    falseExpression: NSExpression
  ) {
    self.init(.conditional(predicate.tree, trueExpression.tree, falseExpression.tree))
  }

  /// The value that a block makes of the evaluated object and the arguments' values.
  public convenience init(
    block: @escaping (Any?, [Any], NSMutableDictionary?) -> Any, arguments: [NSExpression]?
  ) {
    self.init(.block(OpaqueBlock(block), (arguments ?? []).map(\.tree)))
  }

  /// `SELF`, or `ANYKEY`: the types of expression that hold nothing.
  ///
  /// - Precondition: No other type.
  public convenience init(expressionType type: ExpressionType) {
    switch type {
    case .evaluatedObject: self.init(.evaluatedObject)
    case .anyKey: self.init(.anyKey)
    default:
      preconditionFailure("NSExpression(expressionType: .\(type)): that type needs its parts")
    }
  }

  /// `SELF`.
  public class func expressionForEvaluatedObject() -> NSExpression {
    NSExpression(.evaluatedObject)
  }

  /// `ANYKEY`.
  public class func expressionForAnyKey() -> NSExpression { NSExpression(.anyKey) }

  /// An expression's tree, or a value as a constant.
  private static func tree(of part: Any) -> ExpressionTree {
    (part as? NSExpression)?.tree ?? .constant(PredicateValue(bridging: part))
  }
}
