extension ExpressionTree {
  /// The key path operators that may end derivation expressions, and the corresponding functions.
  private static let aggregates = [
    "@count": "count:", "@sum": "sum:", "@min": "min:", "@max": "max:", "@avg": "average:",
  ]

  /// The expression as stored by a derived attribute: `items.@count` becomes a call of `count:` with `items`.
  ///
  /// Such a call is created in code rather than by the parser, so archives store its argument in another kind of array.
  /// This method also restores such a call after it was printed and parsed again.
  public var compiledForDerivation: ExpressionTree {
    switch self {
    case .keyPath(let path) where path.operand == .evaluatedObject:
      guard let point = path.path.lastIndex(of: "."),
        let selector = Self.aggregates[String(path.path[path.path.index(after: point)...])]
      else { return self }
      return .function(
        Function(selector, [.key(String(path.path[..<point]))], hasMutableArguments: false))
    case .function(var function):
      guard function.isBuiltIn, Self.aggregates.values.contains(function.selector),
        function.arguments.count == 1, case .keyPath = function.arguments[0]
      else { return self }
      function.hasMutableArguments = false
      return .function(function)
    default: return self
    }
  }
}
