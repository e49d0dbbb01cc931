/// An expression made ready to be evaluated many times; see ``PredicateProgram``.
public struct ExpressionProgram: Sendable {
  /// The expression it was made of.
  public let tree: ExpressionTree
  private let read: Reader

  /// Prepares an expression.
  public init(_ tree: ExpressionTree) { self.init(tree, .foundation) }

  /// Prepares an expression that is evaluated by other rules than Foundation's.
  package init(_ tree: ExpressionTree, _ rules: EvaluationRules) {
    self.tree = tree
    read = Compiler(rules).reader(tree)
  }

  /// The expression's value for an object.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func value(
    for object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> PredicateValue {
    var context = EvaluationContext(
      subject: .init(object), bindings: bindings.mapValues { PredicateValue(reading: $0) })
    return try read(&context)
  }

  /// The value of an expression over values that stand for its variables.
  package func value(
    of bindings: [String: PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    var context = EvaluationContext(subject: .value(.null), bindings: bindings)
    return try read(&context)
  }
}

extension ExpressionTree {
  /// The expression's value for an object, as an object or Swift value; nil for no value. To ask
  /// often, make an ``ExpressionProgram``.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func value(
    for object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Any? {
    try ExpressionProgram(self).value(for: object, bindings: bindings).foundationValue
  }
}
