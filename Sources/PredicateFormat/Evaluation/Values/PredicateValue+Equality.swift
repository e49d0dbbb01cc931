import Foundation

extension PredicateValue {
  /// Whether the value is `nil` or `NSNull()`, which comparisons don't distinguish.
  var isNothing: Bool {
    switch self {
    case .null, .nsNull: true
    default: false
    }
  }

  /// Whether SQL considers the value missing, which includes doubles that are NaN.
  var isMissing: Bool {
    switch self {
    case .null, .nsNull: true
    case .double(let number): number.isNaN
    case .float(let number): number.isNaN
    default: false
    }
  }

  /// A number as SQLite writes it to a text column; nil for a value that is not a number.
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

  /// The kind of value, for messages.
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

  /// Whether two values are equal as Foundation objects: numbers by value, strings by their characters, sets regardless
  /// of order. Values of incompatible types are never equal.
  func equals(
    _ other: PredicateValue, strings: StringComparison = .literal,
    rules: EvaluationRules = .foundation
  ) -> Bool {
    switch (self, other) {
    case (.string(let a), .string(let b)): return strings.equal(a, b)
    case (.integer(let a), .integer(let b)): return a == b
    case (.array(let a), .array(let b)), (.orderedSet(let a), .orderedSet(let b)):
      return a.count == b.count
        && zip(a, b).allSatisfy { $0.equals($1, strings: strings, rules: rules) }
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

  /// The string, or the textual form of a number compared with a string; nil for other pairs.
  private func text(besideNumber other: PredicateValue) -> String? {
    if case .string(let text) = self { return text }
    if case .string = other { return numberText }
    return nil
  }

  private static func table(_ entries: [Entry]) -> [PredicateValue: PredicateValue] {
    Dictionary(
      entries.map { ($0.key.normalized, $0.value.normalized) }, uniquingKeysWith: { a, _ in a })
  }

  /// The order of two values of the same type.
  ///
  /// - Returns: nil if either value is nil or NaN, in which case no order holds.
  func order(
    _ other: PredicateValue, strings: StringComparison = .literal,
    rules: EvaluationRules = .foundation
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
