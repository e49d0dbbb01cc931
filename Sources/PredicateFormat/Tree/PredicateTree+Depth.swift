/// How deeply trees are nested.
///
/// What works through a tree works through its levels on the stack, down to the release of the tree. So predicates and
/// expressions that are built as objects are at most ``PredicateLimits/builtDepth`` levels deep: what would be deeper
/// becomes one that can't be evaluated.
extension PredicateTree {
  /// The levels of the tree, counted no further than a bound.
  func depth(upTo bound: Int = PredicateLimits.builtDepth + 1) -> Int {
    guard bound > 1 else { return bound }
    switch self {
    case .value, .opaque: return 1
    case .comparison(let comparison):
      return 1
        + max(comparison.left.depth(upTo: bound - 1), comparison.right.depth(upTo: bound - 1))
    case .compound(_, let members):
      return 1 + (members.map { $0.depth(upTo: bound - 1) }.max() ?? 0)
    }
  }

  /// What a predicate that is nested too deeply becomes.
  static let tooDeep = compare(.tooDeep, .equalTo, .constant(.bool(true)))

  /// Whether this is the predicate that stands for one nested too deeply.
  package var isTooDeep: Bool { self == .tooDeep }
}

extension ExpressionTree {
  /// The levels of the tree, counted no further than a bound.
  func depth(upTo bound: Int = PredicateLimits.builtDepth + 1) -> Int {
    guard bound > 1 else { return bound }
    func deepest(_ parts: [ExpressionTree]) -> Int {
      parts.map { $0.depth(upTo: bound - 1) }.max() ?? 0
    }
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPathSpecifier, .symbol, .anyKey: return 1
    case .keyPath(let path):
      return path.operand == .evaluatedObject ? 1 : 1 + deepest([path.operand])
    case .function(let function):
      return 1
        + deepest(function.isBuiltIn ? function.arguments : function.arguments + [function.operand])
    case .set(_, let left, let right): return 1 + deepest([left, right])
    case .subquery(let collection, _, let predicate):
      return 1 + max(deepest([collection]), predicate.depth(upTo: bound - 1))
    case .aggregate(let elements): return 1 + deepest(elements)
    case .conditional(let condition, let yes, let no):
      return 1 + max(condition.depth(upTo: bound - 1), deepest([yes, no]))
    case .assignment(_, let value): return 1 + deepest([value])
    case .fetch(let request, let context, _): return 1 + deepest([request, context])
    case .block(_, let arguments): return 1 + deepest(arguments)
    }
  }

  /// What an expression that is nested too deeply becomes.
  static let tooDeep = ExpressionTree.block(.tooDeep, [])

  /// The expression itself, unless it is nested too deeply.
  var bounded: ExpressionTree {
    depth() > PredicateLimits.builtDepth ? .tooDeep : self
  }
}

extension OpaqueBlock {
  /// Stands for what is nested too deeply.
  static let tooDeep = OpaqueBlock { _, _, _ in false }
}

extension PredicateFormatError {
  /// The error for evaluating what is nested too deeply.
  package static let nestedTooDeeply = PredicateFormatError(
    .tooDeep, "Expression tree is too large (maximum depth \(PredicateLimits.builtDepth))")
}
