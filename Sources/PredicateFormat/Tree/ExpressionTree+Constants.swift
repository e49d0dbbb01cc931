extension ExpressionTree {
  /// Whether the expression is the constant nil.
  package var isNothing: Bool {
    if case .constant(let value) = self { value.isNothing } else { false }
  }

  /// Whether the expression is a list that the predicate itself holds.
  var isList: Bool {
    switch self {
    case .aggregate: true
    case .constant(let value): value.collectionElements != nil
    default: false
    }
  }
}
