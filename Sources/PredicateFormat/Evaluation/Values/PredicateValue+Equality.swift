import Foundation

extension PredicateValue {
  /// `nil` and `NSNull()`, which no comparison tells apart.
  var isNothing: Bool {
    switch self {
    case .null, .nsNull: true
    default: false
    }
  }

  /// Whether SQL has no value for this one: of doubles, it lacks those that are no numbers.
  var isMissing: Bool {
    switch self {
    case .null, .nsNull: true
    case .double(let number): number.isNaN
    case .float(let number): number.isNaN
    default: false
    }
  }

  /// A number as SQLite writes it in a column of texts; nil for what is no number.
  package var numberText: String? {
    switch self {
    case .bool(let flag): flag ? "1" : "0"
    case .integer(let number): "\(number)"
    case .unsigned(let number): "\(number)"
    case .double(let number): number.isNaN ? nil : "\(number)"
    case .float(let number): number.isNaN ? nil : "\(Double(number))"
    case .decimal(let number): number.isNaN ? nil : "\(number)"
    default: nil
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
  func equals(
    _ other: PredicateValue, _ strings: StringComparison = .literal,
    _ rules: EvaluationRules = .foundation
  ) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): return strings.equal(a, b)
    case (.integer(let a), .integer(let b)): return a == b
    case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)):
      return a.count == b.count && zip(a, b).allSatisfy { $0.equals($1, strings, rules) }
    case (.set(let a), .set(let b)):
      return Set(a.map(\.normalized)) == Set(b.map(\.normalized))
    case (.dictionary(let a), .dictionary(let b)):
      return Self.table(a) == Self.table(b)
    default:
      if isNothing || other.isNothing { return isNothing && other.isNothing }
      if let a = NumericValue(self, rules), let b = NumericValue(other, rules) {
        return a.order(b) == .orderedSame
      }
      if rules == .sqliteStore, let a = text(besideNumber: other),
        let b = other.text(besideNumber: self)
      {
        return strings.equal(a, b)
      }
      return self == other
    }
  }

  /// The text, or that of a number beside one; nil for other pairs.
  private func text(besideNumber other: PredicateValue) -> String? {
    if case .string(let text) = self { return text }
    if case .string = other { return numberText }
    return nil
  }

  private static func table(_ entries: [Entry]) -> [PredicateValue: PredicateValue] {
    Dictionary(
      entries.map { ($0.key.normalized, $0.value.normalized) }, uniquingKeysWith: { a, _ in a })
  }

  /// The order of two values of one type.
  ///
  /// - Returns: nil when either is nil or not a number: then no order holds.
  func order(
    _ other: PredicateValue, _ strings: StringComparison = .literal,
    _ rules: EvaluationRules = .foundation
  ) throws(PredicateFormatError) -> ComparisonResult? {
    switch (self, other) {
    case (.string(let a), .string(let b)): return strings.order(a, b)
    case (.date(let a), .date(let b)): return a.compare(b)
    case (.uuid(let a), .uuid(let b)):
      return a.uuidString == b.uuidString
        ? .orderedSame : a.uuidString < b.uuidString ? .orderedAscending : .orderedDescending
    default:
      if isNothing || other.isNothing { return nil }
      guard let a = NumericValue(self, rules), let b = NumericValue(other, rules) else {
        throw PredicateFormatError(.typeMismatch, "can't order \(kind) and \(other.kind)")
      }
      return a.order(b)
    }
  }
}
