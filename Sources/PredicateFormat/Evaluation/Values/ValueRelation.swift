import Foundation

/// Whether two values stand in the relation of a comparison's operator.
struct ValueRelation: Sendable {
  let type: ComparisonOperator
  let strings: StringComparison
  private let pattern: StringPattern?
  /// The elements of a constant collection, to be looked up rather than compared one by one.
  private let members: Set<PredicateValue>?

  init(_ comparison: PredicateTree.Comparison) {
    type = comparison.type
    strings = StringComparison(comparison.options)
    if case .constant(.string(let text)) = comparison.right {
      pattern = StringPattern(text, type, strings)
    } else {
      pattern = nil
    }
    members = comparison.type == .in ? Self.members(of: comparison.right, strings) : nil
  }

  /// Whether the relation holds.
  func holds(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    switch type {
    case .equalTo: return left.equals(right, strings)
    case .notEqualTo: return !left.equals(right, strings)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      return isOrdered(try left.order(right, strings))
    case .between: return try isBetween(left, right)
    case .in: return try contains(right, left)
    case .contains: return try contains(left, right)
    case .beginsWith, .endsWith, .like, .matches: return try matches(left, right)
    case .customSelector:
      throw PredicateFormatError(
        .unsupported, "a comparison by a selector can't be evaluated without Objective-C")
    }
  }

  private func isOrdered(_ order: ComparisonResult?) -> Bool {
    switch (type, order) {
    case (_, nil): false
    case (.lessThan, .orderedAscending?): true
    case (.lessThanOrEqualTo, let order?): order != .orderedDescending
    case (.greaterThan, .orderedDescending?): true
    case (.greaterThanOrEqualTo, let order?): order != .orderedAscending
    default: false
    }
  }

  private func isBetween(
    _ value: PredicateValue, _ bounds: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    guard let pair = bounds.collectionElements, pair.count == 2 else {
      throw PredicateFormatError(
        .typeMismatch, "BETWEEN needs two bounds, {low, high}, not \(bounds.kind)")
    }
    guard let low = try value.order(pair[0], strings), let high = try value.order(pair[1], strings)
    else { return false }
    return low != .orderedAscending && high != .orderedDescending
  }

  // MARK: Strings

  private func matches(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    if left.isNothing || right.isNothing { return false }
    guard case .string(let string) = left, case .string(let text) = right else {
      let wrong = if case .string = left { right } else { left }
      throw PredicateFormatError(
        .typeMismatch,
        "can't do \(type.symbol) with something that isn't a string: \(wrong.kind)")
    }
    guard let pattern = pattern ?? StringPattern(text, type, strings) else { return false }
    return try pattern.matches(string)
  }

  // MARK: Collections

  /// Whether a collection has an element, or a string a substring.
  private func contains(
    _ container: PredicateValue, _ value: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    switch container {
    case .null, .nsNull: return false
    case .string(let string):
      guard case .string(let part) = value else {
        if value.isNothing { return false }
        throw PredicateFormatError(
          .typeMismatch,
          "can't do a substring operation with something that isn't a string: \(value.kind)")
      }
      if let pattern, type == .contains { return try pattern.matches(string) }
      return strings.contains(string, part)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      if let members, strings.canLookUp(value) {
        return members.contains(Self.member(value, strings))
      }
      return elements.contains { $0.equals(value, strings) }
    case .dictionary(let entries): return entries.contains { $0.value.equals(value, strings) }
    default:
      throw PredicateFormatError(
        .typeMismatch,
        "\(type.symbol) needs a collection or a string to look in, not \(container.kind)")
    }
  }

  /// The elements of a constant collection, folded as the options say, when there are enough to be
  /// worth a table.
  private static func members(
    of expression: ExpressionTree, _ strings: StringComparison
  ) -> Set<PredicateValue>? {
    let elements: [PredicateValue]
    switch expression {
    case .constant(.array(let values)), .constant(.set(let values)): elements = values
    case .aggregate(let parts):
      elements = parts.compactMap { if case .constant(let value) = $0 { value } else { nil } }
      guard elements.count == parts.count else { return nil }
    default: return nil
    }
    guard elements.count > 4 else { return nil }
    for element in elements {
      // A decimal may differ from a double by less than the table tells apart, and a collection's
      // own elements are compared as the options say.
      if case .decimal = element { return nil }
      if element.collectionElements != nil || !strings.canLookUp(element) { return nil }
    }
    return Set(elements.map { member($0, strings) })
  }

  private static func member(
    _ value: PredicateValue, _ strings: StringComparison
  ) -> PredicateValue {
    switch value {
    case .string(let string): .string(strings.folded(string))
    case .nsNull: .null
    default: value.normalized
    }
  }

  // MARK: Modifiers

  /// Whether the relation holds for all, or for some, of a collection's elements.
  func holds(
    forAll: Bool, of collection: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    guard collection.isNothing || collection.collectionElements != nil else {
      throw PredicateFormatError(
        .typeMismatch,
        "the left hand side for an ALL or ANY operator must be an array or a set, not "
          + collection.kind)
    }
    for element in try collection.elements(for: "ANY") {
      // A path through two collections gives a collection of collections: its elements count.
      let holds =
        if element.collectionElements != nil, looksInside(right) {
          try self.holds(forAll: forAll, of: element, right)
        } else {
          try self.holds(element, right)
        }
      if holds != forAll { return !forAll }
    }
    return forAll
  }

  /// Whether the relation is about single values, so that a nested collection must be opened.
  private func looksInside(_ right: PredicateValue) -> Bool {
    switch type {
    case .contains: false
    case .in, .between: true
    default: right.collectionElements == nil
    }
  }

  /// Whether the relation holds for the value of some key of an object.
  func holdsForAnyValue(
    of subject: EvaluationContext.Subject, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    guard case .dictionary(let entries) = subject.value else {
      throw PredicateFormatError(.unsupported, "ANYKEY needs a dictionary to look in")
    }
    for entry in entries where try holds(entry.value, right) { return true }
    return false
  }
}
