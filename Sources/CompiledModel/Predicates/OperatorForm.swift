import KeyedArchive
import PredicateFormat

/// Which class of operator object an operator is archived as.
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

  /// The class and those it descends from.
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
