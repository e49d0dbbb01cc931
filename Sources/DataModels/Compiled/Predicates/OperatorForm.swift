import Foundation
import PredicateFormat
import PropertyLists

/// The class of operator object that an operator is archived as.
enum OperatorForm {
  case equality, order, matching, like, membership, substring, between, custom

  init(_ type: ComparisonOperator) {
    switch type {
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo: self = .order
    case .equalTo, .notEqualTo: self = .equality
    case .matches: self = .matching
    case .like: self = .like
    case .beginsWith, .endsWith: self = .substring
    case .in, .contains: self = .membership
    case .between: self = .between
    case .customSelector: self = .custom
    }
  }

  /// The class and its superclasses.
  var archiveClass: ArchiveClass {
    let names: [String] =
      switch self {
      case .equality: ["NSEqualityPredicateOperator"]
      case .order: ["NSComparisonPredicateOperator"]
      case .matching: ["NSMatchingPredicateOperator", "NSStringPredicateOperator"]
      case .like:
        ["NSLikePredicateOperator", "NSMatchingPredicateOperator", "NSStringPredicateOperator"]
      case .membership: ["NSInPredicateOperator"]
      case .substring: ["NSSubstringPredicateOperator", "NSStringPredicateOperator"]
      case .between: ["NSBetweenPredicateOperator"]
      case .custom: ["NSCustomPredicateOperator"]
      }
    return ArchiveClass(chain: names + ["NSPredicateOperator", "NSObject"])
  }
}

/// A predicate of an unknown class. It is preserved and written back, and evaluates to false.
final class ArchivedPredicate: NSPredicate {
  let value: UnknownArchivedObject

  init(_ value: UnknownArchivedObject) {
    self.value = value
    super.init(value: false)
  }

  override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool { false }
}
