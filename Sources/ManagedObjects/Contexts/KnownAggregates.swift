import PredicateFormat

/// The values of a predicate's aggregates over an entity, for putting them in their places.
///
/// nil can't stand for an aggregate without a value: `number == max(number)` would become `number == nil`, which every
/// object without a number satisfies. What is unknown is false where it stands, and true where it stands negated, so that
/// no object is found by it in any kind of store.
struct KnownAggregates {
  private let values: [ExpressionTree: ExpressionTree]
  private let missing: Set<ExpressionTree>

  init(_ values: [ExpressionTree: ExpressionTree]) {
    self.values = values
    missing = Set(values.filter(\.value.isNothing).keys)
  }

  /// The predicate with the values.
  ///
  /// - Parameter isNegated: whether it stands in an odd number of negations.
  func resolved(_ tree: PredicateTree, isNegated: Bool = false) -> PredicateTree {
    switch tree {
    case .value, .opaque: return tree
    case .compound(let kind, let members):
      let isNegated = kind == .not ? !isNegated : isNegated
      return .compound(kind, members.map { resolved($0, isNegated: isNegated) })
    case .comparison(var comparison):
      // A list without what is unknown has its other members; that a value isn't in it, nobody knows.
      if comparison.type == .in, !isNegated, case .aggregate(let elements) = comparison.right {
        comparison.right = .aggregate(elements.filter { !isUnknown($0) })
      }
      if isUnknown(comparison) { return .value(isNegated) }
      return PredicateTree.comparison(comparison).replacing { values[$0] }
    }
  }

  /// Whether a comparison is neither true nor false. A comparison with nil asks whether there is a value.
  private func isUnknown(_ comparison: PredicateTree.Comparison) -> Bool {
    guard !missing.isEmpty, !comparison.left.isNothing, !comparison.right.isNothing else {
      return false
    }
    return isUnknown(comparison.left) || isUnknown(comparison.right)
  }

  private func isUnknown(_ expression: ExpressionTree) -> Bool {
    if missing.contains(expression) { return true }
    return switch expression {
    case .aggregate(let elements): elements.contains(where: isUnknown)
    case .function(let function) where function.isBuiltIn && !function.skipsNil:
      function.arguments.contains(where: isUnknown)
    default: false
    }
  }
}

extension ExpressionTree.Function {
  /// Whether the function of many values has a result without some of them.
  fileprivate var skipsNil: Bool {
    ["count:", "sum:", "average:", "min:", "max:", "median:", "mode:", "stddev:"]
      .contains(selector)
  }
}
