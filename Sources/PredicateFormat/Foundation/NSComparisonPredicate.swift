import Foundation

/// A predicate that compares two expressions, as Foundation's class of that name, which doesn't
/// work on Linux.
///
/// ```swift
/// let predicate = NSComparisonPredicate(
///   leftExpression: NSExpression(forKeyPath: "age"),
///   rightExpression: NSExpression(forConstantValue: 18),
///   modifier: .direct, type: .greaterThanOrEqualTo, options: [])
/// print(predicate.predicateFormat)  // age >= 18
/// ```
open class NSComparisonPredicate: NSPredicate, TreeBacked {
  /// Whether the left side or its elements are compared.
  public typealias Modifier = ComparisonModifier
  /// The operators.
  public typealias Operator = ComparisonOperator
  /// How strings are compared.
  public typealias Options = ComparisonOptions

  /// The comparison as a value.
  public let comparison: PredicateTree.Comparison

  var heldTree: PredicateTree { .comparison(comparison) }
  let program: LazyProgram

  /// The object of a comparison.
  public init(_ comparison: PredicateTree.Comparison) {
    self.comparison = comparison
    program = LazyProgram(.comparison(comparison))
    super.init(value: false)
  }

  /// A comparison by one of the operators.
  public convenience init(
    leftExpression: NSExpression, rightExpression: NSExpression, modifier: Modifier,
    type: Operator, options: Options = []
  ) {
    self.init(
      PredicateTree.Comparison(
        left: leftExpression.tree, type: type, right: rightExpression.tree, modifier: modifier,
        options: options))
  }

  /// A comparison by a selector of the program's own.
  ///
  /// Without an Objective-C runtime it can be printed and archived, not evaluated.
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
  /// Whether the left side or its elements are compared.
  open var comparisonPredicateModifier: Modifier { comparison.modifier }
  /// How strings are compared.
  open var options: Options { comparison.options }
  /// The selector of a comparison of type ``ComparisonOperator/customSelector``, else nil.
  open var customSelector: Selector? { comparison.customSelector.map { Selector($0) } }

  /// Whether `object` satisfies the comparison.
  ///
  /// False where Foundation would raise an exception, also for the whole of a predicate of which this is
  /// a part: what can't be answered holds of nothing. A fetch throws an error instead, and so does
  /// `tree.evaluate(with:bindings:)`.
  open override func evaluate(with object: Any?) -> Bool { answer(object, nil) }

  /// Whether `object` satisfies the comparison with these values for its variables; false where
  /// Foundation would raise an exception.
  open override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    answer(object, bindings)
  }

  /// The text, as Core Data prints it.
  open override var predicateFormat: String { heldTree.canonicalFormat }
  /// The text, as Core Data prints it.
  open override var description: String { heldTree.canonicalFormat }
  /// The same object: predicates don't change.
  open override func copy(with zone: NSZone? = nil) -> Any { self }
  /// Equal by structure; numbers by value.
  open override func isEqual(_ object: Any?) -> Bool { equals(object) }
  /// Follows ``isEqual(_:)``.
  open override var hash: Int { heldTree.equivalenceHash }
}
