extension PredicateTree {
  /// Returns the tree with each leaf expression (constants, variables, `SELF`, …) replaced.
  public func mapLeaves(_ change: (ExpressionTree) throws -> ExpressionTree) rethrows
    -> PredicateTree
  {
    try map(leaves: change, paths: { $0 })
  }

  /// Returns the tree with each key path replaced, regardless of its operand, including those in a `SUBQUERY`.
  package func mapKeyPaths(_ change: (String) -> String) -> PredicateTree {
    map(leaves: { $0 }, paths: change)
  }

  /// Returns the tree with some expressions replaced, the outermost first. Those that `change` returns nil for are
  /// searched further, except subqueries, which are about other objects.
  package func replacing(
    _ change: (ExpressionTree) throws -> ExpressionTree?
  ) rethrows -> PredicateTree {
    switch self {
    case .value, .opaque: return self
    case .compound(let kind, let members):
      return .compound(kind, try members.map { try $0.replacing(change) })
    case .comparison(var comparison):
      comparison.left = try comparison.left.replacing(change)
      comparison.right = try comparison.right.replacing(change)
      return .comparison(comparison)
    }
  }

  fileprivate func map(
    leaves: (ExpressionTree) throws -> ExpressionTree, paths: (String) -> String
  ) rethrows -> PredicateTree {
    switch self {
    case .value, .opaque:
      return self
    case .comparison(var comparison):
      comparison.left = try comparison.left.map(leaves: leaves, paths: paths)
      comparison.right = try comparison.right.map(leaves: leaves, paths: paths)
      return .comparison(comparison)
    case .compound(let kind, let members):
      return .compound(kind, try members.map { try $0.map(leaves: leaves, paths: paths) })
    }
  }
}

extension ExpressionTree {
  /// Returns the tree with each leaf expression (constants, variables, `SELF`, …) replaced.
  ///
  /// In a `SUBQUERY`, its own variable is not replaced.
  public func mapLeaves(_ change: (ExpressionTree) throws -> ExpressionTree) rethrows
    -> ExpressionTree
  {
    try map(leaves: change, paths: { $0 })
  }

  /// Returns the tree with each key path replaced, regardless of its operand, including those in a `SUBQUERY`.
  package func mapKeyPaths(_ change: (String) -> String) -> ExpressionTree {
    map(leaves: { $0 }, paths: change)
  }

  /// Returns the tree with expressions replaced for which `change` returns others; in these, nothing more is replaced.
  package func replacing(
    _ change: (ExpressionTree) throws -> ExpressionTree?
  ) rethrows -> ExpressionTree {
    if let new = try change(self) { return new }
    switch self {
    case .function(var function):
      function.arguments = try function.arguments.map { try $0.replacing(change) }
      return .function(function)
    case .aggregate(let elements): return .aggregate(try elements.map { try $0.replacing(change) })
    case .conditional(let predicate, let yes, let no):
      return .conditional(
        try predicate.replacing(change), try yes.replacing(change), try no.replacing(change))
    default: return self
    }
  }

  fileprivate func map(
    leaves change: (ExpressionTree) throws -> ExpressionTree, paths: (String) -> String
  ) rethrows -> ExpressionTree {
    func map(_ tree: ExpressionTree) throws -> ExpressionTree {
      try tree.map(leaves: change, paths: paths)
    }
    switch self {
    case .constant, .evaluatedObject, .variable, .keyPathSpecifier, .symbol, .anyKey:
      return try change(self)
    case .keyPath(var keyPath):
      keyPath.path = paths(keyPath.path)
      if keyPath.operand != .evaluatedObject { keyPath.operand = try map(keyPath.operand) }
      return .keyPath(keyPath)
    case .function(var function):
      if !function.isBuiltIn { function.operand = try map(function.operand) }
      function.arguments = try function.arguments.map(map)
      return .function(function)
    case .set(let operation, let left, let right):
      return .set(operation, try map(left), try map(right))
    case .subquery(let collection, let variable, let predicate):
      return .subquery(
        collection: try map(collection), variable: variable,
        predicate: try predicate.map(
          leaves: { $0 == .variable(variable) ? $0 : try change($0) }, paths: paths))
    case .aggregate(let elements):
      return .aggregate(try elements.map(map))
    case .conditional(let predicate, let yes, let no):
      return .conditional(
        try predicate.map(leaves: change, paths: paths), try map(yes), try map(no))
    case .assignment(let variable, let value):
      return .assignment(variable: variable, value: try map(value))
    case .fetch(let request, let context, let countOnly):
      return .fetch(
        request: try map(request), context: try map(context), countOnly: countOnly)
    case .block(let block, let arguments):
      return .block(block, try arguments.map(map))
    }
  }
}

extension PredicateTree {
  /// Returns the tree with variables replaced by the given values. A `SUBQUERY`'s own variable is not replaced.
  public func substituting(_ values: [String: PredicateValue]) -> PredicateTree {
    values.isEmpty ? self : mapLeaves { $0.substituted(values) }
  }
}

extension ExpressionTree {
  /// Returns the tree with variables replaced by the given values.
  public func substituting(_ values: [String: PredicateValue]) -> ExpressionTree {
    values.isEmpty ? self : mapLeaves { $0.substituted(values) }
  }

  fileprivate func substituted(_ values: [String: PredicateValue]) -> ExpressionTree {
    guard case .variable(let name) = self, let value = values[name] else { return self }
    return .constant(value)
  }
}
