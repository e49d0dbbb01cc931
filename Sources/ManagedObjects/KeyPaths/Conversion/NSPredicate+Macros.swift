import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

extension PredicateFormatting where Self: NSPredicate {
  /// Creates a predicate from a `#Predicate`, for stores and all other uses of `NSPredicate`.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Person> { $0.age > 17 && $0.name.contains("a") })
  /// ```
  ///
  /// Key paths become keys; `contains(where:)`, `allSatisfy` and `filter` become subqueries; an optional chain
  /// becomes a path. As in Core Data, a comparison with `!=` in a store doesn't match null values.
  ///
  /// - Returns: nil if the predicate has no equivalent: for key paths that aren't properties of the model or compute
  ///   something from one, for casts, regular expressions, and slices of collections.
  public init?<Input: NSObject>(_ predicate: Foundation.Predicate<Input>) {
    var conversion = PredicateConversion(about: predicate.variable.key)
    guard let tree = try? conversion.condition(predicate.expression) else { return nil }
    self.init(tree)
  }
}

extension NSExpression {
  /// Creates an expression from an `#Expression`.
  ///
  /// ```swift
  /// let total = NSExpressionDescription()
  /// total.expression = NSExpression(#Expression<Item, Double> { $0.price * $0.discount })
  /// ```
  ///
  /// - Returns: nil if the expression has no equivalent, as with `NSPredicate`.
  public convenience init?<Input: NSObject, Output>(
    _ expression: Foundation.Expression<Input, Output>
  ) {
    var conversion = PredicateConversion(about: expression.variable.key)
    guard let tree = try? conversion.value(expression.expression) else { return nil }
    self.init(tree)
  }
}
