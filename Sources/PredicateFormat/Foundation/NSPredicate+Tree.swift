import Foundation

extension NSPredicate {
  /// The predicate as a value.
  ///
  /// Predicates of Foundation's own are understood too: constants, and compounds of any predicates.
  /// A block, or a class of the program's own, becomes ``PredicateTree/opaque(_:)``.
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

  /// The text of the predicate, as Core Data prints it.
  ///
  /// The same as `predicateFormat`, which Foundation marks deprecated on Linux.
  public var canonicalFormat: String { tree.canonicalFormat }
}

extension PredicateFormatting where Self: NSPredicate {
  /// A copy of the predicate in which each `$VARIABLE` that `variables` names has its value.
  ///
  /// The others stay, to be bound at evaluation.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    let substituted = tree.substituting(variables.mapValues(PredicateValue.init(bridging:)))
    guard let predicate = substituted.predicate as? Self else { return self }
    return predicate
  }

  /// Allows a predicate that was decoded from an archive to be evaluated. Nothing to do here: no
  /// text or archive can name code to run.
  public func allowEvaluation() {}
}

extension PredicateTree {
  /// The tree in the clothes of Foundation's classes: an ``NSComparisonPredicate``, an
  /// `NSCompoundPredicate`, or another `NSPredicate`.
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
