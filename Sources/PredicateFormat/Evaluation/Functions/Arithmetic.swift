import Foundation

/// Arithmetic with two numbers: as integers if both are integers, as decimals if one is a decimal, and otherwise as
/// doubles. A result that doesn't fit in an integer becomes a double.
///
/// A double combined with a decimal is converted by its printed form: in `price * 1.1`, 1.1 doesn't mean
/// 1.100000000000000088.
enum Arithmetic {
  case add, subtract, multiply, divide, modulus

  func apply(
    _ left: NumericValue, _ right: NumericValue
  ) throws(PredicateFormatError) -> NumericValue {
    if let a = left.exactInteger, let b = right.exactInteger {
      if let result = try integers(a, b) { return result }
      return .double(try doubles(Double(a), Double(b)))
    }
    let isExact = !left.isDouble && !right.isDouble
    if isExact || left.isDecimal || right.isDecimal, let a = left.asDecimal, let b = right.asDecimal
    {
      let result = try decimals(a, b)
      // A result out of the range of decimals is NaN; a double may still represent it.
      if case .decimal(let number) = result, number.isNaN {
        return .double(try doubles(left.double, right.double))
      }
      return result
    }
    return .double(try doubles(left.double, right.double))
  }

  private var divisionByZero: PredicateFormatError {
    PredicateFormatError(.arithmetic, "division by zero")
  }

  /// nil when the result needs more than 64 bits.
  private func integers(_ a: Int64, _ b: Int64) throws(PredicateFormatError) -> NumericValue? {
    let (result, overflow): (Int64, Bool)
    switch self {
    case .add: (result, overflow) = a.addingReportingOverflow(b)
    case .subtract: (result, overflow) = a.subtractingReportingOverflow(b)
    case .multiply: (result, overflow) = a.multipliedReportingOverflow(by: b)
    case .divide:
      guard b != 0 else { throw divisionByZero }
      (result, overflow) = a.dividedReportingOverflow(by: b)
    case .modulus:
      guard b != 0 else { throw divisionByZero }
      (result, overflow) = a.remainderReportingOverflow(dividingBy: b)
    }
    return overflow ? nil : .integer(result)
  }

  private func decimals(_ a: Decimal, _ b: Decimal) throws(PredicateFormatError) -> NumericValue {
    switch self {
    case .add: return .decimal(a + b)
    case .subtract: return .decimal(a - b)
    case .multiply: return .decimal(a * b)
    case .divide:
      guard !b.isZero else { throw divisionByZero }
      return .decimal(a / b)
    case .modulus:
      guard !b.isZero else { throw divisionByZero }
      return .decimal(a - (a / b).rounded(.towardZero) * b)
    }
  }

  private func doubles(_ a: Double, _ b: Double) throws(PredicateFormatError) -> Double {
    switch self {
    case .add: return a + b
    case .subtract: return a - b
    case .multiply: return a * b
    case .divide: return a / b
    case .modulus:
      guard b != 0 else { throw divisionByZero }
      return a.truncatingRemainder(dividingBy: b)
    }
  }
}

extension NumericValue {
  /// The number, if it has an integer type.
  fileprivate var exactInteger: Int64? {
    if case .integer(let number) = self { number } else { nil }
  }

  fileprivate var isDecimal: Bool {
    if case .decimal = self { true } else { false }
  }

  fileprivate var isDouble: Bool {
    if case .double = self { true } else { false }
  }

  /// The number as a decimal; nil for a double that can't be converted.
  fileprivate var asDecimal: Decimal? {
    switch self {
    case .integer(let number): Decimal(number)
    case .unsigned(let number): Decimal(number)
    case .decimal(let number): number
    case .double(let number): number.isFinite ? Decimal(string: number.description) : nil
    }
  }
}

extension Decimal {
  /// The number rounded to an integer.
  func rounded(_ rule: FloatingPointRoundingRule) -> Decimal {
    var (exact, whole) = (self, Decimal())
    let isUp: Bool =
      switch rule {
      case .up: true
      case .towardZero: sign == .minus
      default: false
      }
    NSDecimalRound(&whole, &exact, 0, isUp ? .up : .down)
    return whole
  }
}
