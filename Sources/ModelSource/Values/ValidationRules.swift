import DataModels
import Foundation
import PredicateFormat

/// The bounds and the pattern of an attribute, as text in a source or as predicates in a model.
///
/// A model stores them as predicates on the value, in the forms that Core Data itself recognizes as a minimum, a
/// maximum and a regular expression, each with an error code.
struct ValidationRules {
  /// The minimum, as text: of a number, or of a string's length.
  private(set) var minimum: String?
  /// The maximum, as text.
  private(set) var maximum: String?
  /// The earliest date, in seconds since 2001.
  private(set) var minimumInterval: Double?
  /// The latest date, in seconds since 2001.
  private(set) var maximumInterval: Double?
  /// The pattern that strings must match.
  private(set) var regularExpression: String?
  /// The number of predicates that don't have a known form.
  private(set) var unknownCount = 0

  /// The predicates, in Core Data's order.
  private(set) var predicates: [NSPredicate] = []
  /// The error codes, one per predicate.
  private(set) var codes: [Any] = []

  /// The error codes, which are those of Core Data's validation errors.
  private enum Code {
    static let numberTooLarge = 1610
    static let numberTooSmall = 1620
    static let dateTooLate = 1630
    static let dateTooSoon = 1640
    static let textTooLong = 1660
    static let textTooShort = 1670
    static let textMismatch = 1680
  }

  private static let length = ExpressionTree.key("length")
  private static let interval = ExpressionTree.key("timeIntervalSinceReferenceDate")

  // MARK: From a source

  /// Creates the predicates of a declaration.
  init(_ declaration: AttributeDeclaration) {
    let type = declaration.type
    switch type.traits.kind {
    case .date:
      add(
        Self.interval, .greaterThanOrEqualTo, to: declaration.minimumInterval.map { .double($0) },
        code: Code.dateTooSoon)
      add(
        Self.interval, .lessThanOrEqualTo, to: declaration.maximumInterval.map { .double($0) },
        code: Code.dateTooLate)
    case .text:
      let bound = { Self.constant($0, .integer64AttributeType) }
      add(
        Self.length, .greaterThanOrEqualTo, to: declaration.minimumText.flatMap(bound),
        code: Code.textTooShort)
      add(
        Self.length, .lessThanOrEqualTo, to: declaration.maximumText.flatMap(bound),
        code: Code.textTooLong)
      add(
        .evaluatedObject, .matches,
        to: declaration.regularExpression.flatMap { $0.isEmpty ? nil : .string($0) },
        code: Code.textMismatch)
    case .integer, .decimal, .real:
      let bound = { Self.constant($0, type) }
      add(
        .evaluatedObject, .greaterThanOrEqualTo, to: declaration.minimumText.flatMap(bound),
        code: Code.numberTooSmall)
      add(
        .evaluatedObject, .lessThanOrEqualTo, to: declaration.maximumText.flatMap(bound),
        code: Code.numberTooLarge)
    case .undefined, .boolean, .bytes, .uuid, .url, .transformable, .objectID, .composite: break
    }
  }

  private mutating func add(
    _ left: ExpressionTree, _ type: ComparisonOperator, to constant: PredicateValue?, code: Int
  ) {
    guard let constant else { return }
    predicates.append(PredicateTree.compare(left, type, .constant(constant)).predicate)
    codes.append(code)
  }

  private static func constant(_ text: String, _ type: NSAttributeType) -> PredicateValue? {
    switch AttributeText(text, type: type).value {
    case .integer(let value): return .integer(value)
    case .double(let value): return .double(value)
    case .float(let value): return .double(Double("\(value)") ?? Double(value))
    case .other(let box):
      guard let value = box.value as? Decimal else { return nil }
      return DecimalText.text(value).contains(".")
        ? .decimal(value) : Int64("\(value)").map { .integer($0) } ?? .decimal(value)
    case .none, .bool, .string: return nil
    }
  }

  // MARK: From a model

  /// Recognizes the predicates of an attribute.
  init(_ attribute: NSAttributeDescription) {
    for predicate in attribute.validationPredicates where !recognize(predicate.tree) {
      unknownCount += 1
    }
  }

  private mutating func recognize(_ tree: PredicateTree) -> Bool {
    guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
      comparison.options.isEmpty, case .constant(let value) = comparison.right
    else { return false }
    switch (comparison.left, comparison.type) {
    case (Self.interval, .greaterThanOrEqualTo): minimumInterval = Self.number(value)
    case (Self.interval, .lessThanOrEqualTo): maximumInterval = Self.number(value)
    case (.evaluatedObject, .greaterThanOrEqualTo), (Self.length, .greaterThanOrEqualTo):
      minimum = Self.text(value)
      return minimum != nil
    case (.evaluatedObject, .lessThanOrEqualTo), (Self.length, .lessThanOrEqualTo):
      maximum = Self.text(value)
      return maximum != nil
    case (.evaluatedObject, .matches):
      guard case .string(let pattern) = value else { return false }
      regularExpression = pattern
    default: return false
    }
    return true
  }

  private static func number(_ value: PredicateValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .float(let value): Double(value)
    case .date(let value): value.timeIntervalSinceReferenceDate
    default: nil
    }
  }

  private static func text(_ value: PredicateValue) -> String? {
    switch value {
    case .integer(let value): "\(value)"
    case .unsigned(let value): "\(value)"
    case .double(let value): AttributeText.text(ofInterval: value)
    case .float(let value): AttributeText.text(ofInterval: Double(value))
    case .decimal(let value): DecimalText.text(value)
    default: nil
    }
  }
}
