/// Evaluates a compiled predicate.
typealias Test = @Sendable (inout EvaluationContext) throws(PredicateFormatError) -> Bool
/// Evaluates a compiled expression.
typealias Reader =
  @Sendable (inout EvaluationContext) throws(PredicateFormatError) ->
  PredicateValue

/// Compiles trees to closures. Invalid parts are not rejected here, but throw when they are evaluated.
struct Compiler {
  let rules: EvaluationRules

  init(_ rules: EvaluationRules) { self.rules = rules }

  func test(_ tree: PredicateTree) -> Test {
    guard rules.nilIsUnknown else { return foundationTest(tree) }
    let truth = truth(tree)
    return { context throws(PredicateFormatError) in try truth(&context) ?? false }
  }

  /// Compiles a predicate with Foundation's logic, in which everything is true or false.
  func foundationTest(_ tree: PredicateTree) -> Test {
    switch tree {
    case .value(let value): return { _ in value }
    case .comparison(let comparison): return test(comparison)
    case .compound(let kind, let members): return test(kind, members.map { test($0) })
    case .opaque(let opaque):
      return { context in
        opaque.evaluate(
          with: context.subject.object,
          bindings: context.bindings.isEmpty
            ? nil : context.bindings.compactMapValues(\.foundationValue))
      }
    }
  }

  private func test(_ kind: PredicateTree.CompoundKind, _ members: [Test]) -> Test {
    switch kind {
    case .not:
      guard let member = members.first else { return { _ in false } }
      return { context throws(PredicateFormatError) in try !member(&context) }
    case .and:
      if members.count == 2 {
        let (first, second) = (members[0], members[1])
        return { context throws(PredicateFormatError) in
          guard try first(&context) else { return false }
          return try second(&context)
        }
      }
      return { context throws(PredicateFormatError) in
        for member in members where try !member(&context) { return false }
        return true
      }
    case .or:
      return { context throws(PredicateFormatError) in
        for member in members where try member(&context) { return true }
        return false
      }
    }
  }

  private func test(_ comparison: PredicateTree.Comparison) -> Test {
    if let fast = fastTest(comparison) { return fast }
    let relation = ValueRelation(comparison, rules)
    let right = reader(comparison.right)
    if comparison.left == .anyKey {
      return { context throws(PredicateFormatError) in
        try relation.holdsForAnyValue(of: context.subject, right(&context))
      }
    }
    let left = reader(comparison.left)
    switch comparison.modifier {
    case .direct:
      return { context throws(PredicateFormatError) in
        try relation.holds(left(&context), right(&context))
      }
    case .any, .all:
      let wantsAll = comparison.modifier == .all
      return { context throws(PredicateFormatError) in
        try relation.holds(forAll: wantsAll, of: left(&context), right(&context))
      }
    }
  }

  /// A fast path for the most frequent comparisons: a key of the object with a number.
  private func fastTest(_ comparison: PredicateTree.Comparison) -> Test? {
    guard comparison.modifier == .direct,
      case .keyPath(let path) = comparison.left, path.operand == .evaluatedObject,
      case .constant(.integer(let bound)) = comparison.right,
      let key = PreparedKeyPath(path.path).onlyKey
    else { return nil }
    let relation = ValueRelation(comparison, rules)
    let type = comparison.type
    switch type {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo, .equalTo,
      .notEqualTo:
      return { context throws(PredicateFormatError) in
        let value = try context.subject.value(forKey: key)
        guard case .integer(let number) = value else {
          return try relation.holds(value, .integer(bound))
        }
        return switch type {
        case .lessThan: number < bound
        case .lessThanOrEqualTo: number <= bound
        case .greaterThan: number > bound
        case .greaterThanOrEqualTo: number >= bound
        case .equalTo: number == bound
        default: number != bound
        }
      }
    default: return nil
    }
  }
}
