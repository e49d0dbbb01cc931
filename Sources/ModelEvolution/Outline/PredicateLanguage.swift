import Foundation
import PredicateFormat

/// The expressions that descriptions hold.
///
/// Foundation has an empty class of the same name, so files that import both need one name for it.
typealias DescribedExpression = PredicateFormat.NSExpression
