import Foundation

extension PredicateValue {
  /// `nil` and `NSNull()`, which no comparison tells apart.
  var isNothing: Bool {
    switch self {
    case .null, .nsNull: true
    default: false
    }
  }

  /// What the value is, for messages.
  var kind: String {
    switch self {
    case .null, .nsNull: "nil"
    case .bool, .integer, .unsigned, .double, .float, .decimal: "a number"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .array: "an array"
    case .set: "a set"
    case .orderedSet: "an ordered set"
    case .dictionary: "a dictionary"
    case .className: "a class"
    case .object(let object): "an object of \(type(of: object.base))"
    }
  }

  /// Whether two values are equal as Foundation's objects are: numbers by value, strings by their
  /// characters, sets without order; values of unlike types never.
  func equals(_ other: PredicateValue, _ strings: StringComparison = .literal) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): return strings.equal(a, b)
    case (.integer(let a), .integer(let b)): return a == b
    case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.equals($1, strings) }
    case (.set(let a), .set(let b)):
      return Set(a.map(\.normalized)) == Set(b.map(\.normalized))
    case (.dictionary(let a), .dictionary(let b)):
      return Self.dictionary(a) == Self.dictionary(b)
    default:
      if isNothing || other.isNothing { return isNothing && other.isNothing }
      if let a = NumericValue(self), let b = NumericValue(other) {
        return a.order(b) == .orderedSame
      }
      return self == other
    }
  }

  private static func dictionary(_ entries: [Entry]) -> [PredicateValue: PredicateValue] {
    Dictionary(
      entries.map { ($0.key.normalized, $0.value.normalized) }, uniquingKeysWith: { a, _ in a })
  }

  /// The order of two values of one type.
  ///
  /// - Returns: nil when either is nil or not a number: then no order holds.
  func order(
    _ other: PredicateValue, _ strings: StringComparison = .literal
  ) throws(PredicateFormatError) -> ComparisonResult? {
    switch (self, other) {
    case (.string(let a), .string(let b)): return strings.order(a, b)
    case (.date(let a), .date(let b)): return a.compare(b)
    case (.uuid(let a), .uuid(let b)):
      return a.uuidString == b.uuidString
        ? .orderedSame : a.uuidString < b.uuidString ? .orderedAscending : .orderedDescending
    default:
      if isNothing || other.isNothing { return nil }
      guard let a = NumericValue(self), let b = NumericValue(other) else {
        throw PredicateFormatError(.typeMismatch, "can't order \(kind) and \(other.kind)")
      }
      return a.order(b)
    }
  }
}
