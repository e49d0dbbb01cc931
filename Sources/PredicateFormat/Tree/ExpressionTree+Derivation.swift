extension ExpressionTree {
  /// The operators of key paths that derivation expressions may end with, and their functions.
  private static let aggregates = [
    "@count": "count:", "@sum": "sum:", "@min": "min:", "@max": "max:", "@avg": "average:",
  ]

  /// The expression as a derived attribute stores it: `items.@count` becomes a call of `count:` over
  /// `items`.
  ///
  /// Such a call is made by code, not by the parser, so that archives hold its argument in another
  /// kind of array; one that was printed and parsed again is that call again.
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
