import Foundation

/// A predicate that combines others. It replaces Foundation's class of the same name, whose description and equality
/// are wrong off Apple's systems.
///
/// It is a subclass of Foundation's class, so it can be used where that is required. `import MomKit` and `import
/// CoreData` make this name refer to it, even in files that import Foundation.
open class NSCompoundPredicate: Foundation.NSCompoundPredicate, TreeBacked {
  let heldTree: PredicateTree
  let program: LazyProgram

  /// Combines predicates by AND, OR or NOT.
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    let kind = PredicateTree.CompoundKind(rawValue: Int(type.rawValue)) ?? .and
    let tree = PredicateTree.compound(kind, subpredicates.map(\.tree))
    heldTree = tree
    program = LazyProgram(tree)
    super.init(type: type, subpredicates: Self.acceptable(subpredicates, kind))
  }

  /// Archives of Foundation's class are not supported; models don't contain them.
  public required init?(coder: NSCoder) { nil }

  init(_ kind: PredicateTree.CompoundKind, _ members: [PredicateTree]) {
    let tree = PredicateTree.compound(kind, members)
    heldTree = tree
    program = LazyProgram(tree)
    super.init(
      type: LogicalType(rawValue: UInt(kind.rawValue)) ?? .and,
      subpredicates: Self.acceptable(members.map(\.predicate), kind))
  }

  /// Foundation crashes on a NOT without members, which an archive may contain. It is given a true member, so that it
  /// is false, consistent with the compiled predicate.
  private static func acceptable(
    _ members: [NSPredicate], _ kind: PredicateTree.CompoundKind
  ) -> [NSPredicate] {
    kind == .not && members.isEmpty ? [NSPredicate(value: true)] : members
  }

  /// Whether `object` satisfies the predicate; false where Foundation would raise an exception.
  open override func evaluate(with object: Any?) -> Bool { answer(object, nil) }

  /// Whether `object` satisfies the predicate with the given values for its variables; false where Foundation would
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
