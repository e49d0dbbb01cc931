import Foundation
import PredicateFormat

import class DataModels.NSExpression

/// Parses and formats the predicates and expressions in sources.
enum PredicateSyntax {
  /// Parses a predicate.
  static func predicate(_ text: String) throws -> NSPredicate {
    try PredicateTree(parsing: text).predicate
  }

  /// Parses an expression.
  static func expression(_ text: String) throws -> NSExpression {
    NSExpression(try ExpressionTree(parsing: text))
  }

  /// Parses a derivation expression: `items.@count` becomes a call of `count:` with `items`, as stored by the compiler.
  static func derivation(_ text: String) throws -> NSExpression {
    NSExpression(try ExpressionTree(parsing: text).compiledForDerivation)
  }

  /// An expression's text.
  static func text(_ expression: NSExpression) -> String {
    expression.tree.canonicalFormat
  }

  /// A derivation expression's text, with operators as displayed by Xcode: `items.@count`.
  static func derivationText(_ expression: NSExpression) -> String {
    guard case .function(let function) = expression.tree, function.isBuiltIn,
      function.arguments.count == 1, case .keyPath(let path) = function.arguments[0],
      path.operand == .evaluatedObject,
      let name = aggregates.first(where: { $0.selector == function.selector })?.name
    else { return text(expression) }
    return "\(path.path).\(name)"
  }

  private static let aggregates: [(name: String, selector: String)] = [
    ("@count", "count:"), ("@sum", "sum:"), ("@min", "min:"), ("@max", "max:"),
    ("@avg", "average:"),
  ]
}
