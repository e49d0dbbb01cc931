extension PredicateTree {
  /// The tree with each expression that has no parts (constants, variables, `SELF`, …) replaced.
  public func mapLeaves(_ change: (ExpressionTree) throws -> ExpressionTree) rethrows
    -> PredicateTree
  {
    switch self {
    case .value, .opaque:
      return self
    case .comparison(var comparison):
      comparison.left = try comparison.left.mapLeaves(change)
      comparison.right = try comparison.right.mapLeaves(change)
      return .comparison(comparison)
    case .compound(let kind, let members):
      return .compound(kind, try members.map { try $0.mapLeaves(change) })
    }
  }
}

extension ExpressionTree {
  /// The tree with each expression that has no parts (constants, variables, `SELF`, …) replaced.
  ///
  /// Inside a `SUBQUERY` its own variable is left alone.
  public func mapLeaves(_ change: (ExpressionTree) throws -> ExpressionTree) rethrows
    -> ExpressionTree
  {
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPathSpecifier, .symbol, .anyKey:
      return try change(self)
    case .keyPath(var keyPath):
      guard keyPath.operand != .evaluatedObject else { return self }
      keyPath.operand = try keyPath.operand.mapLeaves(change)
      return .keyPath(keyPath)
    case .function(var function):
      if !function.isBuiltIn { function.operand = try function.operand.mapLeaves(change) }
      function.arguments = try function.arguments.map { try $0.mapLeaves(change) }
      return .function(function)
    case .set(let operation, let left, let right):
      return .set(operation, try left.mapLeaves(change), try right.mapLeaves(change))
    case .subquery(let collection, let variable, let predicate):
      return .subquery(
        collection: try collection.mapLeaves(change), variable: variable,
        predicate: try predicate.mapLeaves {
          $0 == .variable(variable) ? $0 : try change($0)
        })
    case .aggregate(let elements):
      return .aggregate(try elements.map { try $0.mapLeaves(change) })
    case .conditional(let predicate, let yes, let no):
      return .conditional(
        try predicate.mapLeaves(change), try yes.mapLeaves(change), try no.mapLeaves(change))
    case .assignment(let variable, let value):
      return .assignment(variable: variable, value: try value.mapLeaves(change))
    case .fetch(let request, let context, let countOnly):
      return .fetch(
        request: try request.mapLeaves(change), context: try context.mapLeaves(change),
        countOnly: countOnly)
    case .block(let block, let arguments):
      return .block(block, try arguments.map { try $0.mapLeaves(change) })
    }
  }
}

extension PredicateTree {
  /// The tree with the variables that `values` names replaced by constants. A `SUBQUERY`'s own
  /// variable is left alone.
  public func substituting(_ values: [String: PredicateValue]) -> PredicateTree {
    values.isEmpty ? self : mapLeaves { $0.substituted(values) }
  }
}

extension ExpressionTree {
  /// The tree with the variables that `values` names replaced by constants.
  public func substituting(_ values: [String: PredicateValue]) -> ExpressionTree {
    values.isEmpty ? self : mapLeaves { $0.substituted(values) }
  }

  fileprivate func substituted(_ values: [String: PredicateValue]) -> ExpressionTree {
    guard case .variable(let name) = self, let value = values[name] else { return self }
    return .constant(value)
  }
}
