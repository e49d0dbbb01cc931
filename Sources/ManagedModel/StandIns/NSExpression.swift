import Foundation

/// Stands in until PredicateFormat has the class of this name.
open class NSExpression: NSObject, @unchecked Sendable {
  /// Makes an expression.
  public override init() {}
}
