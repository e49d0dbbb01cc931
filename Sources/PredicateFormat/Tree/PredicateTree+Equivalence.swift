import Foundation

extension PredicateValue {
  /// The value in a canonical form that is the same for equal numbers.
  ///
  /// Foundation's numbers are compared by value, so `1`, `1.0` and `YES` are equal constants.
  var normalized: PredicateValue {
    switch self {
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .double(let number): Self.normalized(number)
    case .float(let number): Self.normalized(Double(number))
    case .decimal(let number): Self.normalized(number.nearestDouble)
    case .unsigned(let number): Int64(exactly: number).map { .integer($0) } ?? self
    case .array(let elements): .array(elements.map(\.normalized))
    case .set(let elements): .set(elements.map(\.normalized))
    case .orderedSet(let elements): .orderedSet(elements.map(\.normalized))
    case .dictionary(let entries):
      .dictionary(entries.map { Entry(key: $0.key.normalized, value: $0.value.normalized) })
    default: self
    }
  }

  private static func normalized(_ number: Double) -> PredicateValue {
    if let integer = Int64(exactly: number) { return .integer(integer) }
    return UInt64(exactly: number).map { .unsigned($0) } ?? .double(number)
  }
}

extension PredicateTree {
  /// Whether two predicates are equal by Foundation's rules: by structure, with numbers compared by value.
  public func isEquivalent(to other: PredicateTree) -> Bool {
    self == other || mapConstants(\.normalized) == other.mapConstants(\.normalized)
  }

  var equivalenceHash: Int { mapConstants(\.normalized).hashValue }

  /// The tree with each constant replaced.
  func mapConstants(_ change: (PredicateValue) -> PredicateValue) -> PredicateTree {
    mapLeaves {
      guard case .constant(let value) = $0 else { return $0 }
      return .constant(change(value))
    }
  }
}

extension ExpressionTree {
  /// Whether two expressions are equal by Foundation's rules: by structure, with numbers compared by value.
  public func isEquivalent(to other: ExpressionTree) -> Bool {
    self == other || normalized == other.normalized
  }

  var equivalenceHash: Int { normalized.hashValue }

  private var normalized: ExpressionTree {
    mapLeaves {
      guard case .constant(let value) = $0 else { return $0 }
      return .constant(value.normalized)
    }
  }
}
