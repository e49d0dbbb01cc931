import Foundation
import PredicateFormat

/// An expression whose value is what a fetch request finds, or how many it finds: `FETCH(…)`.
///
/// ```swift
/// let count = NSFetchRequestExpression.expression(
///   forFetch: NSExpression(forConstantValue: request),
///   context: NSExpression(forVariable: "CONTEXT"), countOnly: true)
/// ```
///
/// Mapping models hold such expressions; they are read, shown and written, and not evaluated here.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  // Sendable: never changed once it is made; a block in it is the program's to be called anywhere.

  /// Makes an expression of a request and a context, each given as an expression.
  ///
  /// - Parameters:
  ///   - fetch: What gives the fetch request.
  ///   - context: What gives the context to fetch in.
  ///   - countFlag: Whether the value is the number of results rather than the results.
  public class func expression(
    forFetch fetch: NSExpression, context: NSExpression, countOnly countFlag: Bool
  ) -> NSExpression {
    NSFetchRequestExpression(
      .fetch(request: fetch.tree, context: context.tree, countOnly: countFlag))
  }

  /// What gives the fetch request.
  open var requestExpression: NSExpression { NSExpression(parts.request) }

  /// What gives the context to fetch in.
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

/// The kind of expression that an ``NSFetchRequestExpression`` is.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest
