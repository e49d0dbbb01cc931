/// Converts an expression to another form, case by case; see ``PredicateVisitor``.
public protocol ExpressionVisitor {
  /// The result of visiting an expression.
  associatedtype Term

  /// A constant.
  mutating func visit(constant: PredicateValue) throws -> Term
  /// `SELF`.
  mutating func visitEvaluatedObject() throws -> Term
  /// `$name`.
  mutating func visit(variable: String) throws -> Term
  /// A key path.
  mutating func visit(keyPath: ExpressionTree.KeyPath) throws -> Term
  /// A function call.
  mutating func visit(function: ExpressionTree.Function) throws -> Term
  /// `SUBQUERY`.
  mutating func visit(
    subquery collection: ExpressionTree, variable: String, predicate: PredicateTree
  ) throws -> Term
  /// `{a, b}`.
  mutating func visit(aggregate: [ExpressionTree]) throws -> Term
  /// `TERNARY`.
  mutating func visit(
    conditional predicate: PredicateTree, then: ExpressionTree, else: ExpressionTree
  ) throws -> Term
  /// Everything else: set operations, `ANYKEY`, `FETCH`, assignments, blocks.
  mutating func visit(other: ExpressionTree) throws -> Term
}

extension ExpressionVisitor {
  /// Throws an error, the default for expressions that a visitor doesn't support.
  public mutating func visit(other: ExpressionTree) throws -> Term {
    throw PredicateFormatError(.unsupported, "unsupported expression \(other)")
  }
}

extension ExpressionTree {
  /// Calls the visitor's method for this expression; the visitor itself descends into the parts.
  public func accept<Visitor: ExpressionVisitor>(
    _ visitor: inout Visitor
  ) throws -> Visitor.Term {
    switch self {
    case .constant(let value): try visitor.visit(constant: value)
    case .evaluatedObject: try visitor.visitEvaluatedObject()
    case .variable(let name): try visitor.visit(variable: name)
    case .keyPath(let keyPath): try visitor.visit(keyPath: keyPath)
    case .function(let function): try visitor.visit(function: function)
    case .subquery(let collection, let variable, let predicate):
      try visitor.visit(subquery: collection, variable: variable, predicate: predicate)
    case .aggregate(let elements): try visitor.visit(aggregate: elements)
    case .conditional(let predicate, let yes, let no):
      try visitor.visit(conditional: predicate, then: yes, else: no)
    case .keyPathSpecifier, .symbol, .set, .anyKey, .assignment, .fetch, .block:
      try visitor.visit(other: self)
    }
  }
}
