@_spi(Engines) import MomKit

/// What PostgreSQL does with values, which have strict types there.
extension SQLOperand {
  /// The values as numbers: false is 0, true is 1.
  var number: String { type == .boolean ? "(\(sql))::int" : sql }

  /// The values in a form suitable for sums: single-precision numbers are widened.
  var summand: String { type == .real ? "(\(sql))::float8" : number }
}

extension SQLOperand.ValueType {
  /// Whether values of the two types can be equal.
  func isComparable(with other: SQLOperand.ValueType) -> Bool {
    self == other || isNumeric && other.isNumeric
  }
}
