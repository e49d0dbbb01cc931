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
  /// The number of predicates that texts don't express.
  private(set) var unknownCount = 0
  /// The number of predicates, of the others, with a warning that isn't the usual error code.
  private(set) var unknownWarningCount = 0

  /// The predicates, in Core Data's order.
  private(set) var predicates: [NSPredicate] = []
  /// The error codes, one per predicate.
  private(set) var codes: [Int] = []

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
    minimum = declaration.minimumText
    maximum = declaration.maximumText
    minimumInterval = declaration.minimumInterval
    maximumInterval = declaration.maximumInterval
    regularExpression = declaration.regularExpression
    addPredicates(for: declaration.type)
  }

  /// Adds the predicates that the texts mean for a type.
  private mutating func addPredicates(for type: NSAttributeType) {
    switch type.traits.kind {
    case .date:
      add(
        Self.interval, .greaterThanOrEqualTo, to: minimumInterval.map { .double($0) },
        code: Code.dateTooSoon)
      add(
        Self.interval, .lessThanOrEqualTo, to: maximumInterval.map { .double($0) },
        code: Code.dateTooLate)
    case .text:
      let bound = { Self.constant($0, .integer64AttributeType) }
      add(
        Self.length, .greaterThanOrEqualTo, to: minimum.flatMap(bound), code: Code.textTooShort)
      add(Self.length, .lessThanOrEqualTo, to: maximum.flatMap(bound), code: Code.textTooLong)
      add(
        .evaluatedObject, .matches,
        to: regularExpression.flatMap { $0.isEmpty ? nil : .string($0) },
        code: Code.textMismatch)
    case .integer, .decimal, .real:
      let bound = { Self.constant($0, type) }
      add(
        .evaluatedObject, .greaterThanOrEqualTo, to: minimum.flatMap(bound),
        code: Code.numberTooSmall)
      add(
        .evaluatedObject, .lessThanOrEqualTo, to: maximum.flatMap(bound),
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

  /// Recognizes the predicates of an attribute: those that are the same when their texts are read again.
  init(_ attribute: NSAttributeDescription) {
    let (type, warnings) = (attribute.storedType, attribute.validationWarnings)
    var read = ValidationRules()
    for predicate in attribute.validationPredicates { _ = read.recognize(predicate.tree) }
    read.addPredicates(for: type)
    var rest = Array(zip(read.predicates.map(\.tree), read.codes))
    for (index, predicate) in attribute.validationPredicates.enumerated() {
      let tree = predicate.tree
      guard let place = rest.firstIndex(where: { Self.agree($0.0, tree, as: type) }) else {
        unknownCount += 1
        continue
      }
      let (_, code) = rest.remove(at: place)
      _ = recognize(tree)
      guard warnings.indices.contains(index), !Self.isCode(warnings[index], code) else { continue }
      unknownWarningCount += 1
    }
  }

  private init() {}

  /// Whether two predicates are the same condition; their constants may be numbers of different types.
  private static func agree(
    _ left: PredicateTree, _ right: PredicateTree, as type: NSAttributeType
  ) -> Bool {
    if left == right { return true }
    guard case .comparison(var left) = left, case .comparison(let right) = right,
      case .constant(let one) = left.right, case .constant(let other) = right.right,
      areEqualNumbers(one, other, as: type)
    else { return false }
    left.right = right.right
    return left == right
  }

  private static func areEqualNumbers(
    _ left: PredicateValue, _ right: PredicateValue, as type: NSAttributeType
  ) -> Bool {
    if let text = text(left), text == self.text(right) { return true }
    // Rounded only where one of them is: two whole numbers or decimals may differ in the last digit.
    guard left.isRounded || right.isRounded, let left = number(left), let right = number(right)
    else { return false }
    return type == .floatAttributeType ? Float(left) == Float(right) : left == right
  }

  /// Whether a warning is an error code.
  private static func isCode(_ warning: Any, _ code: Int) -> Bool {
    guard case .integer(let number)? = PlainNumber(warning) else { return false }
    return number == code
  }

  private mutating func recognize(_ tree: PredicateTree) -> Bool {
    guard case .comparison(let comparison) = tree, comparison.modifier == .direct,
      comparison.options.isEmpty, case .constant(let value) = comparison.right
    else { return false }
    switch (comparison.left, comparison.type) {
    case (Self.interval, .greaterThanOrEqualTo): minimumInterval = Self.seconds(value)
    case (Self.interval, .lessThanOrEqualTo): maximumInterval = Self.seconds(value)
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

  /// A number of seconds; nil for infinity and what is no number, which have no text.
  private static func seconds(_ value: PredicateValue) -> Double? {
    number(value).flatMap { $0.isFinite ? $0 : nil }
  }

  private static func number(_ value: PredicateValue) -> Double? {
    switch value {
    case .integer(let value): Double(value)
    case .double(let value): value
    case .float(let value): Double(value)
    case .decimal(let value): Double(value.description)
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

extension PredicateValue {
  fileprivate var isRounded: Bool {
    switch self {
    case .double, .float: true
    default: false
    }
  }
}
