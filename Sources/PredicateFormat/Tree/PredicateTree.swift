/// A predicate as a value: the result of parsing `NSPredicate(format:)`, the content of a compiled model, and the input
/// for generating SQL.
///
/// A tree is a plain value (`Sendable`, `Hashable`) that represents every detail that Core Data archives, and compares
/// by structure. The classes with Foundation's names (`NSPredicate`, ``NSComparisonPredicate``) are wrappers: use
/// `predicate.tree` to get the tree, and `tree.predicate` to convert it back.
///
/// ```swift
/// let tree = try PredicateTree(parsing: "age > %@ AND name BEGINSWITH[cd] %@", arguments: [30, "a"])
/// print(tree.canonicalFormat)  // age > 30 AND name BEGINSWITH[cd] "a"
/// ```
public indirect enum PredicateTree: Hashable, Sendable {
  /// `TRUEPREDICATE` or `FALSEPREDICATE` (archived as `NSTruePredicate`, `NSFalsePredicate`).
  case value(Bool)

  /// Two expressions and an operator (archived as `NSComparisonPredicate`).
  case comparison(Comparison)

  /// `AND`, `OR` or `NOT` of other predicates (archived as `NSCompoundPredicate`).
  ///
  /// `NOT` has one member. An empty `AND` is true, an empty `OR` false.
  case compound(CompoundKind, [PredicateTree])

  /// A predicate without a textual form: a block, or a custom class. It can be evaluated and compared, but neither
  /// archived nor converted to SQL.
  case opaque(OpaquePredicate)

  /// The way the members of a compound predicate are combined. The raw values are those of archives.
  public enum CompoundKind: Int, Hashable, Sendable, CaseIterable {
    /// The negation of its only member.
    case not = 0
    /// True if every member is.
    case and = 1
    /// True if at least one member is.
    case or = 2
  }
}

extension PredicateTree {
  /// Creates a comparison of two expressions.
  public static func compare(
    _ left: ExpressionTree, _ type: ComparisonOperator, _ right: ExpressionTree,
    modifier: ComparisonModifier = .direct, options: ComparisonOptions = []
  ) -> PredicateTree {
    .comparison(
      Comparison(left: left, type: type, right: right, modifier: modifier, options: options))
  }

  /// Creates a conjunction; the members are kept as they are.
  public static func and(_ members: [PredicateTree]) -> PredicateTree { .compound(.and, members) }

  /// Creates a disjunction; the members are kept as they are.
  public static func or(_ members: [PredicateTree]) -> PredicateTree { .compound(.or, members) }

  /// Creates the negation of `member`.
  public static func not(_ member: PredicateTree) -> PredicateTree { .compound(.not, [member]) }
}
