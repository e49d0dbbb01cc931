import Foundation
import ManagedModel
import PredicateFormat

/// The expressions that descriptions hold.
///
/// Foundation has an empty class of the same name, so files that import both need one name for it.
typealias DescribedExpression = ManagedModel.NSExpression

extension NSPredicate {
  /// The predicate in the predicate language.
  var languageText: String { description }
}

extension DescribedExpression {
  /// The expression in the predicate language.
  var languageText: String { description }
}

extension NSSortDescriptor {
  /// The key and the direction.
  var languageText: String { description }
}
