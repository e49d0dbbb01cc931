import Foundation

/// A number in a predicate, for comparisons and arithmetic.
enum NumericValue {
  case integer(Int64)
  case unsigned(UInt64)
  case double(Double)
  case decimal(Decimal)

  /// Returns nil for a value that is not a number; dates are numbers by the rules of stores.
  init?(_ value: PredicateValue, _ rules: EvaluationRules = .foundation) {
    switch value {
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .double(number)
    case .bool(let flag): self = .integer(flag ? 1 : 0)
    case .unsigned(let number): self = .unsigned(number)
    case .float(let number): self = .double(Double(number))
    case .decimal(let number): self = .decimal(number)
    case .date(let date) where rules.computesAsSQL:
      self = .double(date.timeIntervalSinceReferenceDate)
    default: return nil
    }
  }

  var value: PredicateValue {
    switch self {
    case .integer(let number): .integer(number)
    case .unsigned(let number): PredicateValue(number)
    case .double(let number): .double(number)
    case .decimal(let number): .decimal(number)
    }
  }

  var double: Double {
    switch self {
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .double(let number): number
    case .decimal(let number): number.nearestDouble
    }
  }

  /// The number as an integer, if it is whole.
  var integer: Int64? {
    switch self {
    case .integer(let number): number
    case .unsigned(let number): Int64(exactly: number)
    case .double(let number): Int64(exactly: number)
    case .decimal: Int64(exactly: double)
    }
  }

  private var decimal: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .unsigned(let number): Decimal(number)
    case .double: nil
    case .decimal(let number): number
    }
  }

  /// The order of two numbers, exact for integers and decimals; nil when one is not a number (NaN).
  func order(_ other: NumericValue) -> ComparisonResult? {
    switch (self, other) {
    case (.integer(let a), .integer(let b)): return Self.order(a, b)
    case (.double(let a), .double(let b)): return a.isNaN || b.isNaN ? nil : Self.order(a, b)
    case (.integer(let a), .double(let b)): return Self.order(a, to: b)
    case (.double(let a), .integer(let b)): return Self.order(b, to: a)?.reversed
    case (.unsigned(let a), .double(let b)): return Self.order(a, to: b)
    case (.double(let a), .unsigned(let b)): return Self.order(b, to: a)?.reversed
    default:
      if let a = decimal, let b = other.decimal { return Self.order(a, b) }
      let (a, b) = (double, other.double)
      return a.isNaN || b.isNaN ? nil : Self.order(a, b)
    }
  }

  private static func order<T: Comparable>(_ a: T, _ b: T) -> ComparisonResult {
    a < b ? .orderedAscending : a == b ? .orderedSame : .orderedDescending
  }

  /// Compares an integer with a double without rounding the integer.
  private static func order<T: FixedWidthInteger>(_ a: T, to b: Double) -> ComparisonResult? {
    if b.isNaN { return nil }
    let whole = b.rounded(.towardZero)
    guard let integer = T(exactly: whole) else {
      return b > 0 ? .orderedAscending : .orderedDescending
    }
    return a == integer ? order(0, b - whole) : order(a, integer)
  }
}

extension Decimal {
  /// The nearest double; Foundation's `doubleValue` may be off by one unit in the last place.
  var nearestDouble: Double {
    Double(description) ?? NSDecimalNumber(decimal: self).doubleValue
  }
}
