/// Key path operators, such as `@count` in `items.@count`.
enum CollectionOperator: String, Sendable {
  case count, sum, avg, min, max
  case unionOfObjects, distinctUnionOfObjects
  case unionOfArrays, distinctUnionOfArrays
  case unionOfSets, distinctUnionOfSets

  /// Applies the operator to a collection.
  ///
  /// - Parameter path: The key path to read from each element; nil for the element itself.
  func apply(
    to value: PredicateValue, _ path: PreparedKeyPath?
  ) throws(PredicateFormatError) -> PredicateValue {
    if self == .count, case .dictionary(let entries) = value {
      return .integer(Int64(entries.count))
    }
    let elements = try value.elements(for: "@\(rawValue)")
    if self == .count { return .integer(Int64(elements.count)) }
    var values = elements
    if let path {
      values = []
      values.reserveCapacity(elements.count)
      for element in elements { values.append(try path.value(from: element)) }
    }
    switch self {
    case .count: return .integer(Int64(values.count))
    case .sum: return try Aggregation.sum(values)
    case .avg: return try Aggregation.average(values)
    case .min: return try Aggregation.extreme(values, .orderedAscending)
    case .max: return try Aggregation.extreme(values, .orderedDescending)
    case .unionOfObjects: return .array(values.filter { !$0.isNothing })
    case .distinctUnionOfObjects: return distinct(values.filter { !$0.isNothing }, of: value)
    case .unionOfArrays, .unionOfSets: return .array(try joined(values))
    case .distinctUnionOfArrays, .distinctUnionOfSets:
      return distinct(try joined(values), of: value)
    }
  }

  /// The distinct values: a set if they are of a set, otherwise an array.
  private func distinct(
    _ values: [PredicateValue], of collection: PredicateValue
  ) -> PredicateValue {
    let values = PredicateValue.distinct(values)
    if case .set = collection { return .set(values) }
    return .array(values)
  }

  private func joined(_ values: [PredicateValue]) throws(PredicateFormatError) -> [PredicateValue] {
    var all: [PredicateValue] = []
    for value in values { all += try value.elements(for: "@\(rawValue)") }
    return all.filter { !$0.isNothing }
  }
}
