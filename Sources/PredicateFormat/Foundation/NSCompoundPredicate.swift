import Foundation

/// A predicate that joins others, as Foundation's class of that name, which off Apple's systems prints itself
/// wrongly and is equal to nothing.
///
/// It is Foundation's to whoever asks for that. `import MomKit` and `import CoreData` show this one, beside
/// Foundation too.
open class NSCompoundPredicate: Foundation.NSCompoundPredicate, TreeBacked {
  let heldTree: PredicateTree
  let program: LazyProgram

  /// Joins predicates by AND, OR or NOT.
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    let kind = PredicateTree.CompoundKind(rawValue: Int(type.rawValue)) ?? .and
    let tree = PredicateTree.compound(kind, subpredicates.map(\.tree))
    heldTree = tree
    program = LazyProgram(tree)
    super.init(type: type, subpredicates: Self.acceptable(subpredicates, kind))
  }

  /// An archive of Foundation's own, which models don't have: nothing is read.
  public required init?(coder: NSCoder) { nil }

  init(_ kind: PredicateTree.CompoundKind, _ members: [PredicateTree]) {
    let tree = PredicateTree.compound(kind, members)
    heldTree = tree
    program = LazyProgram(tree)
    super.init(
      type: LogicalType(rawValue: UInt(kind.rawValue)) ?? .and,
      subpredicates: Self.acceptable(members.map(\.predicate), kind))
  }

  /// Foundation stops at a NOT of nothing, which an archive can hold: it gets a true member, so that it is false,
  /// as the program answers.
  private static func acceptable(
    _ members: [NSPredicate], _ kind: PredicateTree.CompoundKind
  ) -> [NSPredicate] {
    kind == .not && members.isEmpty ? [NSPredicate(value: true)] : members
  }

  /// Whether `object` satisfies the predicate; false where Foundation would raise an exception.
  open override func evaluate(with object: Any?) -> Bool { answer(object, nil) }

  /// Whether `object` satisfies the predicate with these values for its variables; false where Foundation
  /// would raise an exception.
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
