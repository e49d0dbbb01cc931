import Foundation
import PredicateFormat

/// Collects the key paths that an expression or a predicate reads from the object being evaluated, without recursion.
///
/// Key paths read from a subquery's elements or from a variable are not included.
package struct KeyPathReader {
  private var paths: [String] = []
  private var expressions: [ExpressionTree] = []
  private var predicates: [PredicateTree] = []

  /// The key paths in an expression.
  package static func paths(in expression: ExpressionTree) -> [String] {
    var reader = KeyPathReader()
    reader.expressions = [expression]
    return reader.read()
  }

  /// The key paths in a predicate.
  package static func paths(in predicate: PredicateTree) -> [String] {
    var reader = KeyPathReader()
    reader.predicates = [predicate]
    return reader.read()
  }

  private mutating func read() -> [String] {
    while true {
      if let expression = expressions.popLast() {
        read(expression)
      } else if let predicate = predicates.popLast() {
        read(predicate)
      } else {
        return paths
      }
    }
  }

  private mutating func read(_ predicate: PredicateTree) {
    switch predicate {
    case .comparison(let comparison): expressions += [comparison.right, comparison.left]
    case .compound(_, let members): predicates += members.reversed()
    case .value, .opaque: break
    }
  }

  private mutating func read(_ expression: ExpressionTree) {
    switch expression {
    case .keyPath(let keyPath):
      if keyPath.operand == .evaluatedObject {
        paths.append(keyPath.path)
      } else {
        expressions.append(keyPath.operand)
      }
    case .function(let function):
      expressions += function.arguments.reversed()
      if !function.isBuiltIn { expressions.append(function.operand) }
    case .set(_, let left, let right): expressions += [right, left]
    case .aggregate(let members): expressions += members.reversed()
    case .subquery(let collection, _, _): expressions.append(collection)
    case .conditional(let condition, let yes, let no):
      expressions += [no, yes]
      predicates.append(condition)
    case .assignment(_, let value): expressions.append(value)
    default: break
    }
  }
}
