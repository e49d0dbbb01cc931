import Foundation
import PredicateFormat

/// An expression whose value is the result of a fetch request, or the number of results: `FETCH(…)`.
///
/// ```swift
/// let count = NSFetchRequestExpression.expression(
///   forFetch: NSExpression(forConstantValue: request),
///   context: NSExpression(forVariable: "CONTEXT"), countOnly: true)
/// ```
///
/// Mapping models contain such expressions. They are read, displayed and written, but not evaluated here.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  // Sendable: immutable; a block in it must be safe to call on any thread.

  /// Creates an expression from a request and a context, each given as an expression.
  ///
  /// - Parameters:
  ///   - fetch: The expression that yields the fetch request.
  ///   - context: The expression that yields the context to fetch in.
  ///   - countFlag: Whether the value is the number of results rather than the results.
  public class func expression(
    forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
  ) -> NSExpression {
    NSFetchRequestExpression(
      .fetch(request: fetch.tree, context: context.tree, countOnly: countFlag))
  }

  /// The expression that yields the fetch request.
  open var requestExpression: NSExpression { NSExpression(parts.request) }

  /// The expression that yields the context to fetch in.
  open var contextExpression: NSExpression { NSExpression(parts.context) }

  /// Whether the value is the number of results rather than the results.
  open var isCountOnlyRequest: Bool { parts.countOnly }

  private var parts: (request: ExpressionTree, context: ExpressionTree, countOnly: Bool) {
    guard case .fetch(let request, let context, let countOnly) = tree else {
      preconditionFailure(
        "NSFetchRequestExpression: make one with expression(forFetch:context:countOnly:)")
    }
    return (request, context, countOnly)
  }
}

/// The expression type of ``NSFetchRequestExpression``.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest
