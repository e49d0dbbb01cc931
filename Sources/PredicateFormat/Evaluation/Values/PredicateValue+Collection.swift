extension PredicateValue {
  /// The elements of an array, set or ordered set.
  var collectionElements: [PredicateValue]? {
    switch self {
    case .array(let elements), .set(let elements), .orderedSet(let elements): elements
    default: nil
    }
  }

  /// The elements of a collection; empty for nil.
  ///
  /// - Parameter name: The operation, for the error message.
  func elements(for name: String) throws(PredicateFormatError) -> [PredicateValue] {
    if let elements = collectionElements { return elements }
    if isNothing { return [] }
    throw PredicateFormatError(
      .typeMismatch, "\(name) needs an array or a set, not \(kind)")
  }

  /// Removes duplicates, keeping the first occurrence of each value.
  static func distinct(_ values: [PredicateValue]) -> [PredicateValue] {
    var seen: Set<PredicateValue> = []
    return values.filter { seen.insert($0.normalized).inserted }
  }

  /// `collection[index]`: by index in an array, by key in a dictionary.
  func element(at index: PredicateValue) throws(PredicateFormatError) -> PredicateValue {
    switch self {
    case .null, .nsNull: return .null
    case .dictionary(let entries):
      return entries.first { $0.key.equals(index) }?.value ?? .null
    case .array(let elements), .orderedSet(let elements):
      guard let position = NumericValue(index)?.integer, let offset = Int(exactly: position),
        elements.indices.contains(offset)
      else {
        throw PredicateFormatError(
          .typeMismatch,
          "no element \(ExpressionTree.constant(index).canonicalFormat) in \(kind) of "
            + "\(elements.count)")
      }
      return elements[offset]
    default:
      throw PredicateFormatError(.typeMismatch, "\(kind) has no elements to index")
    }
  }

  /// `collection[FIRST]`, `[LAST]`, `[SIZE]`.
  func element(named symbol: String) throws(PredicateFormatError) -> PredicateValue {
    switch symbol {
    case "FIRST": return try elements(for: "[FIRST]").first ?? .null
    case "LAST": return try elements(for: "[LAST]").last ?? .null
    case "SIZE":
      if case .dictionary(let entries) = self { return .integer(Int64(entries.count)) }
      return .integer(Int64(try elements(for: "[SIZE]").count))
    default:
      throw PredicateFormatError(.unsupported, "there is no index \(symbol)")
    }
  }
}

extension ExpressionTree.SetOperation {
  /// Applies the operation to two collections.
  func apply(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> PredicateValue {
    let first = try left.elements(for: keyword)
    let second = try right.elements(for: keyword)
    let others = Set(second.map(\.normalized))
    return switch self {
    case .union: .set(PredicateValue.distinct(first + second))
    case .intersect:
      .set(PredicateValue.distinct(first.filter { others.contains($0.normalized) }))
    case .minus:
      .set(PredicateValue.distinct(first.filter { !others.contains($0.normalized) }))
    }
  }
}
