import Foundation

/// A predicate made ready to be evaluated many times.
public struct PredicateProgram: Sendable {
  let tree: PredicateTree

  /// Prepares a predicate.
  public init(_ tree: PredicateTree) { self.tree = tree }

  /// Whether `object` satisfies the predicate.
  public func evaluate(with object: Any?, bindings: [String: Any] = [:]) throws -> Bool {
    throw PredicateFormatError(.unsupported, "evaluation is not built yet")
  }
}

extension ExpressionTree {
  /// The expression's value for an object.
  public func value(for object: Any?, bindings: [String: Any] = [:]) throws -> Any? {
    throw PredicateFormatError(.unsupported, "evaluation is not built yet")
  }
}

struct PreparedKeyPath {
  let path: String
  init(_ p: String) { path = p }
  func leniently(from: Any) -> Any? { nil }
}
struct ValueOrder {
  let selector: String
  func compare(_ a: Any?, _ b: Any?) -> ComparisonResult { .orderedSame }
}
