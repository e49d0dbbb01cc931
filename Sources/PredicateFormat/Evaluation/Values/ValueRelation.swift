import Foundation

/// Tests whether two values satisfy a comparison's operator.
struct ValueRelation: Sendable {
  let type: ComparisonOperator
  let strings: StringComparison
  let rules: EvaluationRules
  /// Whether nil equals nil: always in Foundation, and in SQL only in an explicit comparison with nil.
  private let nilEqualsNil: Bool
  /// Whether `IN` and `CONTAINS` search a literal list rather than a collection of objects.
  private let looksInList: Bool
  private let pattern: StringPattern?
  /// The elements of a constant collection, for lookup instead of individual comparisons.
  private let members: Set<PredicateValue>?

  init(_ comparison: PredicateTree.Comparison, _ rules: EvaluationRules) {
    type = comparison.type
    self.rules = rules
    nilEqualsNil =
      !rules.nilIsUnknown || comparison.left.isNothing || comparison.right.isNothing
    looksInList = (type == .in ? comparison.right : comparison.left).isList
    strings = StringComparison(comparison.options)
    if case .constant(.string(let text)) = comparison.right {
      pattern = StringPattern(text, for: type, strings: strings)
    } else {
      pattern = nil
    }
    members = comparison.type == .in ? Self.members(of: comparison.right, strings, rules) : nil
  }

  /// Whether the values satisfy the operator.
  func holds(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool {
    try truth(left, right) ?? false
  }

  /// Whether the values satisfy the operator; nil if a missing value leaves the result undecided.
  ///
  /// In Foundation nil is equivalent to false; by SQL's rules, the negation doesn't hold either.
  func truth(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool? {
    switch type {
    case .equalTo, .notEqualTo:
      if !nilEqualsNil, left.isMissing || right.isMissing { return nil }
      return left.equals(right, strings: strings, rules: rules) == (type == .equalTo)
    case .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      return try left.order(right, strings: strings, rules: rules).map(isOrdered)
    case .between: return try isBetween(left, right)
    case .in: return try contains(right, left)
    case .contains: return try contains(left, right)
    case .beginsWith, .endsWith, .like, .matches: return try matches(left, right)
    case .customSelector:
      throw PredicateFormatError(
        .unsupported, "a comparison with a custom selector can't be evaluated without Objective-C")
    }
  }

  private func isOrdered(_ order: ComparisonResult) -> Bool {
    switch type {
    case .lessThan: order == .orderedAscending
    case .lessThanOrEqualTo: order != .orderedDescending
    case .greaterThan: order == .orderedDescending
    default: order != .orderedAscending
    }
  }

  private func isBetween(
    _ value: PredicateValue, _ bounds: PredicateValue
  ) throws(PredicateFormatError) -> Bool? {
    guard let pair = bounds.collectionElements, pair.count == 2 else {
      throw PredicateFormatError(
        .typeMismatch, "BETWEEN needs two bounds, {low, high}, not \(bounds.kind)")
    }
    let low = try value.order(pair[0], strings: strings, rules: rules)
    let high = try value.order(pair[1], strings: strings, rules: rules)
    if low == .orderedAscending || high == .orderedDescending { return false }
    return low == nil || high == nil ? nil : true
  }

  // MARK: Strings

  private func matches(
    _ left: PredicateValue, _ right: PredicateValue
  ) throws(PredicateFormatError) -> Bool? {
    if left.isNothing || right.isNothing { return nil }
    guard case .string(let string) = left, case .string(let text) = right else {
      let wrong = if case .string = left { right } else { left }
      throw PredicateFormatError(
        .typeMismatch,
        "can't do \(type.symbol) with something that isn't a string: \(wrong.kind)")
    }
    guard let pattern = pattern ?? StringPattern(text, for: type, strings: strings) else {
      return false
    }
    return try pattern.matches(string)
  }

  // MARK: Collections

  /// Whether a collection has an element, or a string a substring.
  private func contains(
    _ container: PredicateValue, _ value: PredicateValue
  ) throws(PredicateFormatError) -> Bool? {
    switch container {
    case .null, .nsNull: return nil
    case .string(let string):
      guard case .string(let part) = value else {
        if value.isNothing { return nil }
        throw PredicateFormatError(
          .typeMismatch,
          "can't do a substring operation with something that isn't a string: \(value.kind)")
      }
      if let pattern, type == .contains { return try pattern.matches(string) }
      return strings.contains(string, part)
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      return contains(elements, value)
    case .dictionary(let entries): return contains(entries.map(\.value), value)
    default:
      throw PredicateFormatError(
        .typeMismatch,
        "\(type.symbol) needs a collection or a string to look in, not \(container.kind)")
    }
  }

  private func contains(_ elements: [PredicateValue], _ value: PredicateValue) -> Bool? {
    if elements.isEmpty { return false }
    if !nilEqualsNil, value.isMissing { return looksInList ? nil : false }
    let isFound: Bool
    if let members, strings.canLookUp(value) {
      isFound =
        members.contains(Self.member(value, strings: strings, rules: rules))
        || rules == .sqliteStore
          && value.numberText.map { members.contains(.string($0)) } ?? false
    } else {
      isFound = elements.contains {
        (nilEqualsNil || !$0.isMissing) && $0.equals(value, strings: strings, rules: rules)
      }
    }
    if isFound { return true }
    // A missing element of the list might have been equal.
    return !nilEqualsNil && looksInList && elements.contains { $0.isMissing } ? nil : false
  }

  /// The elements of a constant collection, folded according to the options, if there are enough to be worth a table.
  private static func members(
    of expression: ExpressionTree, _ strings: StringComparison, _ rules: EvaluationRules
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
    var members: Set<PredicateValue> = []
    for element in elements {
      // A decimal may differ from a double by less than the table can distinguish, and nested collections must be
      // compared according to the options.
      if case .decimal = element { return nil }
      if element.collectionElements != nil || !strings.canLookUp(element) { return nil }
      // An object that was never saved will get another identity.
      if case .object(let object) = element, !object.isPermanent { return nil }
      members.insert(member(element, strings: strings, rules: rules))
      if rules == .sqliteStore, let text = element.numberText { members.insert(.string(text)) }
    }
    return members
  }

  private static func member(
    _ value: PredicateValue, strings: StringComparison, rules: EvaluationRules
  ) -> PredicateValue {
    switch value {
    case .string(let string): .string(strings.lookedUp(string))
    case .nsNull: .null
    case .date(let date) where rules.computesAsSQL:
      PredicateValue.double(date.timeIntervalSinceReferenceDate).normalized
    default: value.normalized
    }
  }

  // MARK: Modifiers

  /// Whether all, or some, of a collection's elements satisfy the operator.
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
      // A path through two collections results in nested collections, whose elements are tested.
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

  /// Whether the operator applies to single values, so that a nested collection must be searched.
  private func looksInside(_ right: PredicateValue) -> Bool {
    switch type {
    case .contains: false
    case .in, .between: true
    default: right.collectionElements == nil
    }
  }

  /// Whether the value of any key of an object satisfies the operator.
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
