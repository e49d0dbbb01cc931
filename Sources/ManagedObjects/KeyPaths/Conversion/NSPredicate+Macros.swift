import Foundation
import PredicateFormat

import class PredicateFormat.NSExpression

extension PredicateFormatting where Self: NSPredicate {
  /// The predicate that a `#Predicate` is, for stores and everything else that takes an `NSPredicate`.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(#Predicate<Person> { $0.age > 17 && $0.name.contains("a") })
  /// ```
  ///
  /// Key paths become keys, `contains(where:)`, `allSatisfy` and `filter` subqueries, an optional chain the path
  /// it walks. As in Core Data, a comparison with `!=` in a store doesn't find what has no value.
  ///
  /// - Returns: nil where predicates have no counterpart: key paths that read no property of the model, or
  ///   compute something of it, casts, regular expressions, parts of collections.
  public init?<Input: NSObject>(_ predicate: Foundation.Predicate<Input>) {
    var conversion = PredicateConversion(about: predicate.variable.key)
    guard let tree = try? conversion.condition(predicate.expression) else { return nil }
    self.init(tree)
  }
}

extension NSExpression {
  /// The expression that an `#Expression` is.
  ///
  /// ```swift
  /// let total = NSExpressionDescription()
  /// total.expression = NSExpression(#Expression<Item, Double> { $0.price * $0.discount })
  /// ```
  ///
  /// - Returns: nil where expressions have no counterpart, as for `NSPredicate`.
  public convenience init?<Input: NSObject, Output>(
    _ expression: Foundation.Expression<Input, Output>
  ) {
    var conversion = PredicateConversion(about: expression.variable.key)
    guard let tree = try? conversion.value(expression.expression) else { return nil }
    self.init(tree)
  }
}
