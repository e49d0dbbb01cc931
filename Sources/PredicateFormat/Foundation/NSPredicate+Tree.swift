import Foundation

extension NSPredicate {
  /// The predicate as a value.
  ///
  /// Foundation's own predicates are supported too: constants, and compounds of any predicates. Blocks and custom
  /// classes become ``PredicateTree/opaque(_:)``.
  public var tree: PredicateTree {
    if let holder = self as? any TreeBacked { return holder.heldTree }
    if type(of: self) == Foundation.NSCompoundPredicate.self,
      let compound = self as? Foundation.NSCompoundPredicate
    {
      let kind =
        PredicateTree.CompoundKind(rawValue: Int(compound.compoundPredicateType.rawValue)) ?? .and
      return .compound(kind, compound.subpredicates.map(\.tree))
    }
    if type(of: self) == NSPredicate.self {
      if isEqual(NSPredicate(value: true)) { return .value(true) }
      if isEqual(NSPredicate(value: false)) { return .value(false) }
    }
    return .opaque(OpaquePredicate(self))
  }

  /// The levels of the tree, counted as far as ``PredicateLimits/builtDepth`` and one more.
  var treeDepth: Int { (self as? any TreeBacked)?.depth ?? tree.depth() }

  /// The text of the predicate, as Core Data prints it.
  ///
  /// This is the same as `predicateFormat`, which Foundation marks as deprecated on Linux.
  public var canonicalFormat: String { tree.canonicalFormat }
}

extension PredicateFormatting where Self: NSPredicate {
  /// Returns a copy of the predicate in which the given variables are replaced by their values.
  ///
  /// Other variables remain, to be bound at evaluation.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    let substituted = tree.substituting(variables.mapValues(PredicateValue.init(bridging:)))
    guard let predicate = substituted.predicate as? Self else { return self }
    return predicate
  }

  /// Allows a predicate decoded from an archive to be evaluated. Has no effect here, because text and archives can't
  /// refer to code.
  public func allowEvaluation() {}
}

extension PredicateTree {
  /// The tree as an object of one of Foundation's classes: an ``NSComparisonPredicate``, an `NSCompoundPredicate`, or
  /// another `NSPredicate`.
  public var predicate: NSPredicate {
    switch self {
    case .value: ConstantPredicate(holding: self)
    case .comparison(let comparison): NSComparisonPredicate(comparison)
    case .compound(let kind, let members): NSCompoundPredicate(kind, members)
    case .opaque(let opaque): opaque.predicate
    }
  }
}

/// `TRUEPREDICATE` or `FALSEPREDICATE`, as an object.
final class ConstantPredicate: NSPredicate, TreeBacked {
  let heldTree: PredicateTree
  var depth: Int { 1 }
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
