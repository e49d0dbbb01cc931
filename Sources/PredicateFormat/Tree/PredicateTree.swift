/// A predicate as a value: what `NSPredicate(format:)` parses to, what a compiled model stores, and
/// what a store turns into SQL.
///
/// A tree is a plain value (`Sendable`, `Hashable`), exact in every detail that Core Data archives,
/// and compares by structure. The classes with Foundation's names (`NSPredicate`,
/// ``NSComparisonPredicate``) are a coat over it: `predicate.tree` takes the coat off,
/// `NSPredicate.from(tree)` puts it on.
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
  /// `NOT` has one member. Empty `AND` is true, empty `OR` false.
  case compound(CompoundKind, [PredicateTree])

  /// A predicate that has no text: a block, or a class of the user's own. It can be evaluated and
  /// compared, but neither archived nor turned into SQL.
  case opaque(OpaquePredicate)

  /// How the members of a compound predicate are joined; raw values as archived.
  public enum CompoundKind: Int, Hashable, Sendable, CaseIterable {
    /// The negation of its one member.
    case not = 0
    /// True when every member is.
    case and = 1
    /// True when some member is.
    case or = 2
  }
}

extension PredicateTree {
  /// A comparison of two expressions.
  public static func compare(
    _ left: ExpressionTree, _ type: ComparisonOperator, _ right: ExpressionTree,
    modifier: ComparisonModifier = .direct, options: ComparisonOptions = []
  ) -> PredicateTree {
    .comparison(
      Comparison(left: left, type: type, right: right, modifier: modifier, options: options))
  }

  /// True when every member is; the members are kept as they are.
  public static func and(_ members: [PredicateTree]) -> PredicateTree { .compound(.and, members) }

  /// True when some member is; the members are kept as they are.
  public static func or(_ members: [PredicateTree]) -> PredicateTree { .compound(.or, members) }

  /// The negation of `member`.
  public static func not(_ member: PredicateTree) -> PredicateTree { .compound(.not, [member]) }
}
