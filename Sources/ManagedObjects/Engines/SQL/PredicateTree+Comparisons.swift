import PredicateFormat

/// The forms of predicates that a compiler to SQL looks for.
extension PredicateTree.Comparison {
  /// The comparison with its sides exchanged; nil if it has no mirror image.
  var flipped: PredicateTree.Comparison? {
    let mirrored: ComparisonOperator
    switch type {
    case .equalTo, .notEqualTo: mirrored = type
    case .lessThan: mirrored = .greaterThan
    case .lessThanOrEqualTo: mirrored = .greaterThanOrEqualTo
    case .greaterThan: mirrored = .lessThan
    case .greaterThanOrEqualTo: mirrored = .lessThanOrEqualTo
    default: return nil
    }
    var flipped = self
    (flipped.left, flipped.right, flipped.type) = (right, left, mirrored)
    return flipped
  }
}

extension PredicateTree {
  /// The members of a conjunction or disjunction, and instead of those that are of the same kind, their members. What
  /// programs put together step by step is nested as deep as it is long, and parsers of SQL limit the depth.
  var flattenedMembers: [PredicateTree] {
    guard case .compound(let kind, let members) = self else { return [] }
    var flat: [PredicateTree] = []
    var pending = Array(members.reversed())
    while let member = pending.popLast() {
      if case .compound(kind, let inner) = member {
        pending += inner.reversed()
      } else {
        flat.append(member)
      }
    }
    return flat
  }

  /// The operand and constant of an equality test; nil for other predicates.
  var alternative: (left: ExpressionTree, value: PredicateValue)? {
    guard case .comparison(let comparison) = self, comparison.modifier == .direct,
      comparison.type == .equalTo, comparison.options.isEmpty, !comparison.left.isConstant,
      !comparison.right.isNothing, case .constant(let value) = comparison.right
    else { return nil }
    return (comparison.left, value)
  }
}

extension ExpressionTree {
  /// Whether the expression is a constant.
  var isConstant: Bool {
    if case .constant = self { true } else { false }
  }

  /// The members of a list.
  var members: [ExpressionTree]? {
    switch self {
    case .constant(.array(let values)), .constant(.set(let values)),
      .constant(.orderedSet(let values)):
      values.map { .constant($0) }
    case .aggregate(let elements): elements
    default: nil
    }
  }

  /// The members of a list of constants.
  var constantMembers: [PredicateValue]? {
    guard let members else { return nil }
    let values = members.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    return values.count == members.count ? values : nil
  }
}
