import Foundation

/// A predicate that compares two expressions. It replaces Foundation's class of the same name, which doesn't work on
/// Linux.
///
/// ```swift
/// let predicate = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "age"),
///   rightExpression: NSExpression(forConstantValue: 18),
///   modifier: .direct, type: .greaterThanOrEqualTo, options: [])
/// print(predicate.predicateFormat)  // age >= 18
/// ```
open class NSComparisonPredicate: NSPredicate, TreeBacked {
  /// Whether the left side itself or its elements are compared.
  public typealias Modifier = ComparisonModifier
  /// The operator of a comparison.
  public typealias Operator = ComparisonOperator
  /// The options for comparing strings.
  public typealias Options = ComparisonOptions

  /// The comparison as a value.
  public let comparison: PredicateTree.Comparison

  var heldTree: PredicateTree { .comparison(comparison) }
  let depth: Int
  let program: LazyProgram

  /// Creates a predicate from a comparison.
  public init(_ comparison: PredicateTree.Comparison) {
    var comparison = comparison
    let depth = PredicateTree.comparison(comparison).depth()
    if depth > PredicateLimits.builtDepth {
      (comparison.left, comparison.right) = (.tooDeep, .constant(.bool(true)))
    }
    self.comparison = comparison
    self.depth = min(depth, PredicateLimits.builtDepth)
    program = LazyProgram(.comparison(comparison))
    super.init(value: false)
  }

  /// Creates a comparison with an operator.
  public convenience init(
    leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    self.init(
      PredicateTree.Comparison(
        left: leftExpression.tree, type: type, right: rightExpression.tree, modifier: modifier,
        options: options))
  }

  /// Creates a comparison by a custom selector.
  ///
  /// Without the Objective-C runtime it can be printed and archived, but not evaluated.
  public convenience init(
    leftExpression: NSExpression, rightExpression: NSExpression, customSelector: Selector
  ) {
    self.init(
      PredicateTree.Comparison(
        left: leftExpression.tree, type: .customSelector, right: rightExpression.tree,
        customSelector: customSelector.name))
  }

  /// The left side.
  open var leftExpression: NSExpression { NSExpression(comparison.left) }
  /// The right side.
  open var rightExpression: NSExpression { NSExpression(comparison.right) }
  /// The operator.
  open var predicateOperatorType: Operator { comparison.type }
  /// Whether the left side itself or its elements are compared.
  open var comparisonPredicateModifier: Modifier { comparison.modifier }
  /// The options for comparing strings.
  open var options: Options { comparison.options }
  /// The selector of a comparison of type ``ComparisonOperator/customSelector``, otherwise nil.
  open var customSelector: Selector? { comparison.customSelector.map { Selector($0) } }

  /// Whether `object` satisfies the comparison.
  ///
  /// Returns false where Foundation would raise an exception, also for a larger predicate that contains this
  /// comparison. A fetch throws an error instead, as does `tree.evaluate(with:bindings:)`.
  open override func evaluate(with object: Any?) -> Bool { answer(object, nil) }

  /// Whether `object` satisfies the comparison with the given values for its variables; false where Foundation would
  /// raise an exception.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    answer(object, bindings)
  }

  /// The text, as Core Data prints it.
  open override var predicateFormat: String { heldTree.canonicalFormat }
  /// The text, as Core Data prints it.
  open override var description: String { heldTree.canonicalFormat }
  /// Returns the same object, since predicates are immutable.
  open override func copy(with zone: NSZone? = nil) -> Any { self }
  /// Whether the predicates are structurally equal, with numbers compared by value.
  open override func isEqual(_ object: Any?) -> Bool { equals(object) }
  /// A hash that is consistent with ``isEqual(_:)``.
  open override var hash: Int { heldTree.equivalenceHash }
}
