import Foundation

extension BuiltInFunction {
  /// Calls the function. The number of arguments is checked here too, since a tree may come from an archive.
  func call(
    _ arguments: [PredicateValue], _ rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    guard argumentCount.contains(arguments.count) else {
      throw PredicateFormatError(
        .argumentCount, "\(rawValue) got \(arguments.count) arguments")
    }
    switch self {
    case .sum, .count, .min, .max, .average, .median, .mode, .stddev:
      return try aggregate(arguments, rules)
    case .now: return .date(Date())
    case .random: return .integer(Int64.random(in: 0...Int64(Int32.max)))
    default: break
    }
    if arguments.count == 2 {
      return try binary(left: arguments[0], right: arguments[1], rules: rules)
    }
    return try unary(arguments[0])
  }

  private func aggregate(
    _ arguments: [PredicateValue], _ rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    var values = arguments
    if arguments.count == 1 {
      if arguments[0].isNothing {
        values = []
      } else if let elements = arguments[0].collectionElements {
        values = elements
      }
    }
    switch self {
    case .sum: return try Aggregation.sum(values, rules)
    case .count: return .integer(Int64(values.count))
    case .min: return try Aggregation.extreme(values, .orderedAscending)
    case .max: return try Aggregation.extreme(values, .orderedDescending)
    case .average: return try Aggregation.average(values, rules)
    case .median: return try Aggregation.median(values, rules)
    case .mode: return Aggregation.mode(values)
    default: return try Aggregation.deviation(values, rules)
    }
  }

  // MARK: One argument

  private func unary(_ value: PredicateValue) throws(PredicateFormatError) -> PredicateValue {
    if self == .noIndex { return value }
    if value.isNothing { return .null }
    switch self {
    case .uppercase: return .string(try string(value).uppercased())
    case .lowercase: return .string(try string(value).lowercased())
    case .canonical:
      return .string(
        try string(value).folding(
          options: [.caseInsensitive, .diacriticInsensitive], locale: nil))
    case .length: return .integer(Int64(try string(value).utf16.count))
    case .onesComplement: return .integer(~(try integer(value)))
    case .randomBelow:
      let bound = try integer(value)
      return .integer(bound > 0 ? Int64.random(in: 0..<bound) : 0)
    default: return try number(try numeric(value))
    }
  }

  private func number(_ number: NumericValue) throws(PredicateFormatError) -> PredicateValue {
    switch self {
    case .sqrt: return .double(number.double.squareRoot())
    case .log: return .double(Foundation.log10(number.double))
    case .ln: return .double(Foundation.log(number.double))
    case .exp: return .double(Foundation.exp(number.double))
    case .abs:
      if case .integer(let integer) = number, integer != .min {
        return .integer(Swift.abs(integer))
      }
      if case .decimal(let decimal) = number { return .decimal(decimal.magnitude) }
      return .double(Swift.abs(number.double))
    case .floor: return rounded(number, .down)
    case .ceiling: return rounded(number, .up)
    case .trunc: return rounded(number, .towardZero)
    default:
      throw PredicateFormatError(.unsupported, "\(rawValue) can't be evaluated")
    }
  }

  private func rounded(
    _ number: NumericValue, _ rule: FloatingPointRoundingRule
  ) -> PredicateValue {
    switch number {
    case .integer, .unsigned: number.value
    case .decimal(let decimal): .decimal(decimal.rounded(rule))
    case .double: .double(number.double.rounded(rule))
    }
  }

  // MARK: Two arguments

  private func binary(
    left: PredicateValue, right: PredicateValue, rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    switch self {
    case .cast: return try Casting.cast(left, to: right)
    case .objectAtIndex: return try left.element(at: right)
    case .distance: return try Distance.meters(left, right)
    default: break
    }
    // Operations on nil yield nil, as in SQL.
    if left.isNothing || right.isNothing { return .null }
    if let operation = arithmetic {
      if rules.computesAsSQL {
        return try compute(operation, left: left, right: right, rules: rules)
      }
      return try operation.apply(numeric(left), numeric(right)).value
    }
    switch self {
    case .raise: return power(try numeric(left), try numeric(right))
    case .bitwiseAnd: return .integer(try integer(left) & integer(right))
    case .bitwiseOr: return .integer(try integer(left) | integer(right))
    case .bitwiseXor: return .integer(try integer(left) ^ integer(right))
    case .leftShift: return .integer(try integer(left) << integer(right))
    case .rightShift: return .integer(try integer(left) >> integer(right))
    default:
      throw PredicateFormatError(.unsupported, "\(rawValue) can't be evaluated")
    }
  }

  /// Arithmetic as in SQL: dates are numbers of seconds, and undefined results are nil.
  private func compute(
    _ operation: Arithmetic, left: PredicateValue, right: PredicateValue,
    rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    let (a, b) = (try numeric(left, rules), try numeric(right, rules))
    if operation == .divide || operation == .modulus, b.double == 0 { return .null }
    let result = try operation.apply(a, b)
    guard !result.value.isMissing else { return .null }
    let isDate =
      switch (left, right) {
      case (.date, .date): false
      case (.date, _): operation == .add || operation == .subtract
      case (_, .date): operation == .add
      default: false
      }
    return isDate ? .date(Date(timeIntervalSinceReferenceDate: result.double)) : result.value
  }

  private var arithmetic: Arithmetic? {
    switch self {
    case .add: .add
    case .subtract: .subtract
    case .multiply: .multiply
    case .divide: .divide
    case .modulus: .modulus
    default: nil
    }
  }

  /// A power; for integers the result is an integer if a double represents it exactly.
  private func power(_ base: NumericValue, _ exponent: NumericValue) -> PredicateValue {
    let result = Foundation.pow(base.double, exponent.double)
    if case .integer = base, case .integer = exponent, Swift.abs(result) < 0x1p53,
      let integer = Int64(exactly: result)
    {
      return .integer(integer)
    }
    return .double(result)
  }

  // MARK: Argument checks

  private func string(_ value: PredicateValue) throws(PredicateFormatError) -> String {
    guard case .string(let string) = value else { throw wrong(value, "a string") }
    return string
  }

  private func numeric(
    _ value: PredicateValue, _ rules: EvaluationRules = .foundation
  ) throws(PredicateFormatError) -> NumericValue {
    guard let number = NumericValue(value, rules) else { throw wrong(value, "a number") }
    return number
  }

  private func integer(_ value: PredicateValue) throws(PredicateFormatError) -> Int64 {
    guard let integer = NumericValue(value)?.integer else { throw wrong(value, "an integer") }
    return integer
  }

  private func wrong(_ value: PredicateValue, _ wanted: String) -> PredicateFormatError {
    var hint = ""
    if case .date = value { hint = "; CAST(date, \"NSNumber\") returns its seconds" }
    return PredicateFormatError(
      .typeMismatch, "\(rawValue) needs \(wanted), not \(value.kind)\(hint)")
  }
}
