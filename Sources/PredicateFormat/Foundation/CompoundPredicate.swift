import Foundation

/// A compound predicate that was parsed or read: an `NSCompoundPredicate` that also copies,
/// compares, prints and evaluates as Foundation's does on Apple's systems.
final class CompoundPredicate: NSCompoundPredicate, TreeHolding {
  let heldTree: PredicateTree
  let program: LazyProgram

  init(_ kind: PredicateTree.CompoundKind, _ members: [PredicateTree]) {
    let tree = PredicateTree.compound(kind, members)
    heldTree = tree
    program = LazyProgram(tree)
    // Foundation stops at a NOT of nothing, which an archive can hold: it gets a true member, so
    // that it is false, as the program answers.
    let predicates = members.map(\.predicate)
    super.init(
      type: NSCompoundPredicate.LogicalType(rawValue: UInt(kind.rawValue)) ?? .and,
      subpredicates: kind == .not && predicates.isEmpty ? [NSPredicate(value: true)] : predicates)
  }

  override func evaluate(with object: Any?) -> Bool { answer(object, nil) }
  override func evaluate(with object: Any?, substitutionVariables bindings: [String: Any]?) -> Bool
  {
    answer(object, bindings)
  }

  override var predicateFormat: String { heldTree.canonicalFormat }
  override var description: String { heldTree.canonicalFormat }
  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { equals(object) }
  override var hash: Int { heldTree.equivalenceHash }
}
