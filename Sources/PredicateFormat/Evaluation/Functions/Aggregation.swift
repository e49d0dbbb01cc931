import Foundation

/// Functions that aggregate many values.
enum Aggregation {
  /// The values as numbers; nil counts as 0. By the rules of stores, dates are numbers of seconds.
  private static func numbers(
    _ values: [PredicateValue], for name: String, rules: EvaluationRules
  ) throws(PredicateFormatError) -> [NumericValue] {
    var numbers: [NumericValue] = []
    numbers.reserveCapacity(values.count)
    for value in values {
      if value.isNothing {
        numbers.append(.integer(0))
      } else if let number = NumericValue(value, rules) {
        numbers.append(number)
      } else {
        throw PredicateFormatError(.typeMismatch, "\(name) needs numbers, not \(value.kind)")
      }
    }
    return numbers
  }

  static func sum(
    _ values: [PredicateValue], _ rules: EvaluationRules = .foundation
  ) throws(PredicateFormatError) -> PredicateValue {
    var sum = NumericValue.integer(0)
    for number in try numbers(values, for: "sum", rules: rules) {
      sum = try Arithmetic.add.apply(sum, number)
    }
    return sum.value
  }

  /// The mean; 0 if there are no values.
  static func average(
    _ values: [PredicateValue], _ rules: EvaluationRules = .foundation
  ) throws(PredicateFormatError) -> PredicateValue {
    guard !values.isEmpty else { return .integer(0) }
    guard let sum = NumericValue(try sum(values, rules)) else { return .integer(0) }
    if case .decimal = sum {
      return try Arithmetic.divide.apply(sum, .integer(Int64(values.count))).value
    }
    return .double(sum.double / Double(values.count))
  }

  /// The minimum or maximum of the values that aren't nil; nil if there are none.
  static func extreme(
    _ values: [PredicateValue], _ wanted: ComparisonResult
  ) throws(PredicateFormatError) -> PredicateValue {
    var best: PredicateValue?
    for value in values where !value.isNothing {
      guard let current = best else {
        best = value
        continue
      }
      if try value.order(current) == wanted { best = value }
    }
    return best ?? .null
  }

  static func median(
    _ values: [PredicateValue], _ rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    let sorted = try numbers(values, for: "median", rules: rules).sorted {
      $0.order($1) == .orderedAscending
    }
    guard !sorted.isEmpty else { return .null }
    let middle = sorted.count / 2
    if sorted.count.isMultiple(of: 2) {
      if case .decimal(let sum) = try Arithmetic.add.apply(sorted[middle - 1], sorted[middle]) {
        return .decimal(sum / 2)
      }
      return .double((sorted[middle - 1].double + sorted[middle].double) / 2)
    }
    return sorted[middle].value
  }

  /// The most frequent values, in the order of their first appearance.
  static func mode(_ values: [PredicateValue]) -> PredicateValue {
    var counts: [PredicateValue: Int] = [:]
    for value in values { counts[value.normalized, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    return .array(
      PredicateValue.distinct(values).filter { counts[$0.normalized] == most })
  }

  /// The standard deviation of the values as a complete population.
  static func deviation(
    _ values: [PredicateValue], _ rules: EvaluationRules
  ) throws(PredicateFormatError) -> PredicateValue {
    let numbers = try numbers(values, for: "stddev", rules: rules).map(\.double)
    guard !numbers.isEmpty else { return .integer(0) }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return .double((squares / Double(numbers.count)).squareRoot())
  }
}
