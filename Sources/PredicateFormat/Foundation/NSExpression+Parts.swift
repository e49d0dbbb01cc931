import Foundation

extension NSExpression {
  /// The types of expressions, with Foundation's numbers.
  public enum ExpressionType: UInt, Hashable, Sendable {
    /// A constant.
    case constantValue = 0
    /// `SELF`.
    case evaluatedObject = 1
    /// `$variable`.
    case variable = 2
    /// A key path.
    case keyPath = 3
    /// A function.
    case function = 4
    /// `UNION`.
    case unionSet = 5
    /// `INTERSECT`.
    case intersectSet = 6
    /// `MINUS`.
    case minusSet = 7
    /// `SUBQUERY`.
    case subquery = 13
    /// `{a, b}`.
    case aggregate = 14
    /// `ANYKEY`.
    case anyKey = 15
    /// A block.
    case block = 19
    /// `TERNARY`.
    case conditional = 20
    /// `FETCH`; in Core Data programs `NSFetchRequestExpressionType`.
    case fetchRequest = 50
  }

  /// The type of the expression. Types not included in Foundation's enumeration are treated as functions.
  public var expressionType: ExpressionType {
    ExpressionType(rawValue: UInt(tree.archivedType)) ?? .function
  }

  /// The value of a constant.
  ///
  /// - Precondition: The expression is a constant.
  public var constantValue: Any? {
    guard case .constant(let value) = tree else { wrongKind("constantValue") }
    return value.foundationValue
  }

  /// The key path of a key path expression.
  ///
  /// - Precondition: The expression is a key path.
  public var keyPath: String {
    switch tree {
    case .keyPath(let keyPath): return keyPath.path
    case .keyPathSpecifier(let path): return path
    default: wrongKind("keyPath")
    }
  }

  /// The selector of a function.
  ///
  /// - Precondition: The expression is a function.
  public var function: String {
    switch tree {
    case .function(let function): return function.selector
    case .keyPath(let keyPath): return keyPath.selector
    default: wrongKind("function")
    }
  }

  /// The name of a variable, without the `$`; for a subquery, that of its iterator.
  ///
  /// - Precondition: The expression is a variable, a subquery or an assignment.
  public var variable: String {
    switch tree {
    case .variable(let name), .assignment(let name, _), .subquery(_, let name, _): return name
    default: wrongKind("variable")
    }
  }

  /// The target of a function, or the expression that a key path is read from.
  ///
  /// - Precondition: The expression is a function or a key path.
  public var operand: NSExpression {
    switch tree {
    case .function(let function): return NSExpression(function.operand)
    case .keyPath(let keyPath): return NSExpression(keyPath.operand)
    default: wrongKind("operand")
    }
  }

  /// The arguments of a function, a key path or a block.
  ///
  /// - Precondition: The expression is one of those.
  public var arguments: [NSExpression]? {
    switch tree {
    case .function(let function): return function.arguments.map(NSExpression.init)
    case .keyPath(let keyPath): return [NSExpression(.keyPathSpecifier(keyPath.path))]
    case .block(_, let arguments): return arguments.map(NSExpression.init)
    default: wrongKind("arguments")
    }
  }

  /// The elements of an aggregate, as expressions, or the collection of a subquery, as an expression.
  ///
  /// - Precondition: The expression is an aggregate or a subquery.
  public var collection: Any {
    switch tree {
    case .aggregate(let elements): return elements.map(NSExpression.init)
    case .subquery(let collection, _, _): return NSExpression(collection)
    default: wrongKind("collection")
    }
  }

  /// The predicate of a subquery or a conditional.
  ///
  /// - Precondition: The expression is one of those.
  public var predicate: NSPredicate {
    switch tree {
    case .subquery(_, _, let predicate), .conditional(let predicate, _, _):
      return predicate.predicate
    default: wrongKind("predicate")
    }
  }

  /// The left side of a set expression.
  ///
  /// - Precondition: The expression is `UNION`, `INTERSECT` or `MINUS`.
  public var left: NSExpression {
    guard case .set(_, let left, _) = tree else { wrongKind("left") }
    return NSExpression(left)
  }

  /// The right side of a set expression.
  ///
  /// - Precondition: The expression is `UNION`, `INTERSECT` or `MINUS`.
  public var right: NSExpression {
    guard case .set(_, _, let right) = tree else { wrongKind("right") }
    return NSExpression(right)
  }

  /// The value of a conditional if its predicate is true.
  ///
  /// - Precondition: The expression is a conditional.
  public var `true`: NSExpression {
    guard case .conditional(_, let value, _) = tree else { wrongKind("true") }
    return NSExpression(value)
  }

  /// The value of a conditional if its predicate is false.
  ///
  /// - Precondition: The expression is a conditional.
  public var `false`: NSExpression {
    guard case .conditional(_, _, let value) = tree else { wrongKind("false") }
    return NSExpression(value)
  }

  /// The block.
  ///
  /// - Precondition: The expression is a block.
  public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
    guard case .block(let block, _) = tree else { wrongKind("expressionBlock") }
    return block.body
  }

  /// Foundation raises an exception when an expression doesn't have the requested part.
  private func wrongKind(_ part: String) -> Never {
    preconditionFailure("NSExpression.\(part): the expression \(self) has no such part")
  }
}
