import Foundation

/// A predicate that combines others. It replaces Foundation's class of the same name, whose description and equality
/// are wrong off Apple's systems.
///
/// ```swift
/// let isAdult = NSPredicate(format: "age >= 18")
/// let isNamed = NSPredicate(format: "name BEGINSWITH %@", "A")
/// let both = NSCompoundPredicate(andPredicateWithSubpredicates: [isAdult, isNamed])
/// print(both.predicateFormat)  // age >= 18 AND name BEGINSWITH "A"
/// ```
///
/// It is a subclass of Foundation's class, so it can be used where that is required. `import MomKit` and `import
/// CoreData` make this name refer to it, even in files that import Foundation.
open class NSCompoundPredicate: Foundation.NSCompoundPredicate, TreeBacked {
  let heldTree: PredicateTree
  let depth: Int
  let program: LazyProgram

  /// Combines predicates by AND, OR or NOT; see ``PredicateLimits/builtDepth`` for how deeply.
  public override init(type: LogicalType, subpredicates: [NSPredicate]) {
    let kind = PredicateTree.CompoundKind(rawValue: Int(type.rawValue)) ?? .and
    let (members, depth) = Self.bounded(subpredicates, kind)
    let tree =
      depth > PredicateLimits.builtDepth
      ? .tooDeep : PredicateTree.compound(kind, members.map(\.tree))
    heldTree = tree
    self.depth = depth > PredicateLimits.builtDepth ? 1 : depth
    program = LazyProgram(tree)
    super.init(type: type, subpredicates: Self.acceptable(members, kind))
  }

  /// Archives of Foundation's class are not supported; models don't contain them.
  public required init?(coder: NSCoder) { nil }

  convenience init(_ kind: PredicateTree.CompoundKind, _ members: [PredicateTree]) {
    self.init(
      type: LogicalType(rawValue: UInt(kind.rawValue)) ?? .and,
      subpredicates: members.map(\.predicate))
  }

  /// The members and the depth of a compound of them. Conditions are often added one by one, each time to a compound of
  /// all before: such a chain becomes flat where it is long.
  private static func bounded(
    _ members: [NSPredicate], _ kind: PredicateTree.CompoundKind
  ) -> (members: [NSPredicate], depth: Int) {
    func depth(_ members: [NSPredicate]) -> Int { 1 + (members.map(\.treeDepth).max() ?? 0) }
    let given = depth(members)
    guard given > PredicateLimits.depth, kind != .not else {
      // Nothing deep is held, so that releasing it needs no deep stack either.
      return (given > PredicateLimits.builtDepth ? [] : members, given)
    }
    var flat: [NSPredicate] = []
    var pending = Array(members.reversed())
    while let member = pending.popLast() {
      if let compound = member as? NSCompoundPredicate,
        case .compound(kind, let inner) = compound.heldTree,
        inner.count == compound.subpredicates.count
      {
        pending += compound.subpredicates.reversed()
      } else {
        flat.append(member)
      }
    }
    let flattened = depth(flat)
    return (flattened > PredicateLimits.builtDepth ? [] : flat, flattened)
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
