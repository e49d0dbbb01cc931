import Foundation

/// `TRUEPREDICATE` or `FALSEPREDICATE`, as an object.
final class ConstantPredicate: NSPredicate, TreeHolding {
  let heldTree: PredicateTree
  let program: LazyProgram

  init(holding tree: PredicateTree) {
    heldTree = tree
    program = LazyProgram(tree)
    super.init(value: tree == .value(true))
  }

  override var predicateFormat: String { heldTree.canonicalFormat }
  override var description: String { heldTree.canonicalFormat }
  override func copy(with zone: NSZone? = nil) -> Any { self }
  override func isEqual(_ object: Any?) -> Bool { equals(object) }
  override var hash: Int { heldTree.equivalenceHash }
}
