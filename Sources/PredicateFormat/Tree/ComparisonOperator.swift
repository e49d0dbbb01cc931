/// The operator of a comparison. The raw values are those of `NSComparisonPredicate.Operator`, which is an alias of
/// this type, and of `NSOperatorType` in archives.
public enum ComparisonOperator: UInt, Hashable, Sendable, CaseIterable {
  /// `<`
  case lessThan = 0
  /// `<=`
  case lessThanOrEqualTo = 1
  /// `>`
  case greaterThan = 2
  /// `>=`
  case greaterThanOrEqualTo = 3
  /// `==`
  case equalTo = 4
  /// `!=`
  case notEqualTo = 5
  /// `MATCHES`: the whole left string matches a regular expression.
  case matches = 6
  /// `LIKE`: the whole left string matches a pattern with `?` and `*`.
  case like = 7
  /// `BEGINSWITH`
  case beginsWith = 8
  /// `ENDSWITH`
  case endsWith = 9
  /// `IN`: an element of a collection, or a substring.
  case `in` = 10
  /// A custom selector, which has no textual form.
  case customSelector = 11
  /// `CONTAINS`: the converse of `IN`.
  case contains = 99
  /// `BETWEEN`: within two bounds, inclusive.
  case between = 100

  /// The operator as printed in the predicate format.
  public var symbol: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqualTo: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqualTo: ">="
    case .equalTo: "=="
    case .notEqualTo: "!="
    case .matches: "MATCHES"
    case .like: "LIKE"
    case .beginsWith: "BEGINSWITH"
    case .endsWith: "ENDSWITH"
    case .in: "IN"
    case .customSelector: "CUSTOMSELECTOR"
    case .contains: "CONTAINS"
    case .between: "BETWEEN"
    }
  }
}
