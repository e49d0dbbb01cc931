/// Evaluates a compiled predicate; the result is nil if it is neither true nor false.
typealias Truth = @Sendable (inout EvaluationContext) throws(PredicateFormatError) -> Bool?

/// SQL's three-valued logic, in which a comparison with a missing value is neither true nor false.
extension Compiler {
  func truth(_ tree: PredicateTree) -> Truth {
    switch tree {
    case .value(let value): return { _ in value }
    case .comparison(let comparison): return truth(comparison)
    case .compound(let kind, let members): return truth(kind, members.map { truth($0) })
    case .opaque:
      let test = foundationTest(tree)
      return { context throws(PredicateFormatError) in try test(&context) }
    }
  }

  private func truth(_ kind: PredicateTree.CompoundKind, _ members: [Truth]) -> Truth {
    switch kind {
    case .not:
      guard let member = members.first else { return { _ in false } }
      return { context throws(PredicateFormatError) in try member(&context).map { !$0 } }
    case .and, .or:
      // The value that decides the result, regardless of the other members.
      let settles = kind == .or
      return { context throws(PredicateFormatError) in
        var isKnown = true
        for member in members {
          guard let answer = try member(&context) else {
            isKnown = false
            continue
          }
          if answer == settles { return settles }
        }
        return isKnown ? !settles : nil
      }
    }
  }

  private func truth(_ comparison: PredicateTree.Comparison) -> Truth {
    guard comparison.modifier == .direct, comparison.left != .anyKey else {
      // A comparison with some or all elements of a collection is always true or false.
      let test = foundationTest(.comparison(comparison))
      return { context throws(PredicateFormatError) in try test(&context) }
    }
    let relation = ValueRelation(comparison, rules)
    let (left, right) = (reader(comparison.left), reader(comparison.right))
    return { context throws(PredicateFormatError) in
      try relation.truth(left(&context), right(&context))
    }
  }
}
