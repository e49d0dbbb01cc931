/// An expression compiled for repeated evaluation; see ``PredicateProgram``.
///
/// ```swift
/// let program = ExpressionProgram(try ExpressionTree(parsing: "hours * rate"))
/// for person in people { print(try program.value(for: person)) }
/// ```
public struct ExpressionProgram: Sendable {
  /// The original expression.
  public let tree: ExpressionTree
  private let read: Reader

  /// Compiles an expression.
  public init(_ tree: ExpressionTree) { self.init(tree, .foundation) }

  /// Compiles an expression for evaluation by other rules than Foundation's.
  package init(_ tree: ExpressionTree, _ rules: EvaluationRules) {
    self.tree = tree
    read = Compiler(rules).reader(tree)
  }

  /// Evaluates the expression with an object.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func value(
    for object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> PredicateValue {
    var context = EvaluationContext(
      subject: .init(object), bindings: bindings.mapValues { PredicateValue(reading: $0) })
    return try read(&context)
  }

  /// Evaluates the expression with only the values of its variables.
  package func value(
    of bindings: [String: PredicateValue]
  ) throws(PredicateFormatError) -> PredicateValue {
    var context = EvaluationContext(subject: .value(.null), bindings: bindings)
    return try read(&context)
  }
}

extension ExpressionTree {
  /// Evaluates the expression with an object. Returns an object or Swift value, or nil for no value. For repeated
  /// evaluation, create an ``ExpressionProgram``.
  ///
  /// - Throws: ``PredicateFormatError`` where Foundation would raise an exception.
  public func value(
    for object: Any?, bindings: [String: Any] = [:]
  ) throws(PredicateFormatError) -> Any? {
    try ExpressionProgram(self).value(for: object, bindings: bindings).foundationValue
  }
}
