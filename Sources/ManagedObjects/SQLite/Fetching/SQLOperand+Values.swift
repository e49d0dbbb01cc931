/// What SQLite does with values of a type.
extension SQLOperand.ValueType {
  /// Whether SQLite computes with the values: dates are numbers of seconds.
  var isComputed: Bool { isNumeric || self == .date }

  /// Whether SQLite sorts the values as in memory: besides what predicates order, objects by their keys and URLs by
  /// their text.
  var isSortable: Bool {
    switch self {
    case .object, .url: true
    default: isOrdered
    }
  }

  /// Whether values of the other type can equal values of this type.
  func isComparable(with other: SQLOperand.ValueType) -> Bool {
    self == other || isComputed && other.isComputed
  }

  /// Whether values are meaningful outside their row: keys aren't.
  var isValue: Bool {
    switch self {
    case .object, .entity: false
    default: true
    }
  }
}
