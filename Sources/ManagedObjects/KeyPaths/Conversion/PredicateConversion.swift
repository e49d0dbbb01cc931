import Foundation
import PredicateFormat

/// Converts expressions of `#Predicate` and `#Expression` to Core Data's predicates and expressions, with keys in
/// place of key paths, so that a store can evaluate them.
struct PredicateConversion {
  /// The converted form of a part of a macro's expression.
  enum Result {
    /// A value.
    case value(ExpressionTree)
    /// A condition.
    case condition(PredicateTree)
    /// A condition that is nil unless another one is true: `person.age.map { $0 > 17 }`.
    case optionalCondition(PredicateTree, unlessNil: PredicateTree)
  }

  /// The error for an expression without an equivalent.
  struct Unsupported: Error, CustomStringConvertible {
    let description: String
  }

  private var meanings: [PredicateExpressions.VariableID: ExpressionTree]
  private var localCount = 0

  /// Creates the conversion of an expression about one object.
  init(about object: PredicateExpressions.VariableID) {
    meanings = [object: .evaluatedObject]
  }

  /// The expression that a variable stands for.
  func meaning(of variable: PredicateExpressions.VariableID) throws -> ExpressionTree {
    guard let meaning = meanings[variable] else { throw Unsupported(description: "a variable") }
    return meaning
  }

  /// Binds a variable to an expression.
  mutating func bind(_ variable: PredicateExpressions.VariableID, to meaning: ExpressionTree) {
    meanings[variable] = meaning
  }

  /// Binds a macro's variable to a new variable of a subquery.
  mutating func makeLocal(for variable: PredicateExpressions.VariableID) -> String {
    localCount += 1
    let name = "local\(localCount)"
    meanings[variable] = .variable(name)
    return name
  }

  // MARK: Parts

  /// Converts a part. A part without variables is evaluated at once.
  mutating func convert(_ part: any PredicateExpression) throws -> Result {
    guard let convertible = part as? any ConvertibleExpression else {
      return .value(.constant(try Self.computed(part)))
    }
    do {
      return try convertible.convert(&self)
    } catch {
      guard let value = try? Self.computed(part) else { throw error }
      return .value(.constant(value))
    }
  }

  /// Converts a part to a value.
  mutating func value(_ part: any PredicateExpression) throws -> ExpressionTree {
    try convert(part).value
  }

  /// Converts a part to a condition.
  mutating func condition(_ part: any PredicateExpression) throws -> PredicateTree {
    try convert(part).condition
  }

  // MARK: Constants

  private static func computed(_ part: some PredicateExpression) throws -> PredicateValue {
    guard let value = try? part.evaluate(PredicateBindings()) else {
      throw Unsupported(description: "\(type(of: part))")
    }
    return try constant(value)
  }

  /// A value of the program as a predicate value.
  static func constant(_ value: Any) throws -> PredicateValue {
    switch value {
    case let result as ComparisonResult: return .integer(Int64(result.rawValue))
    case let number as CGFloat: return .double(Double(number))
    case let range as any TwoSidedRange:
      return .array([try constant(range.bounds.lower), try constant(range.bounds.upper)])
    default:
      let value = PredicateValue(bridging: value)
      guard value.isKnown else { throw Unsupported(description: "the constant \(value)") }
      return value
    }
  }
}

extension PredicateConversion.Result {
  /// The value; a condition becomes true, false or nil.
  var value: ExpressionTree {
    switch self {
    case .value(let value): value
    case .condition(let condition): Self.flag(condition)
    case .optionalCondition(let condition, let unlessNil):
      .conditional(unlessNil, Self.flag(condition), .constant(.null))
    }
  }

  /// The condition; a value must be true.
  var condition: PredicateTree {
    switch self {
    case .value(.constant(.bool(let flag))): .value(flag)
    case .value(let value): .compare(value, .equalTo, .constant(.bool(true)))
    case .condition(let condition): condition
    case .optionalCondition(let condition, let unlessNil): .and([unlessNil, condition])
    }
  }

  private static func flag(_ condition: PredicateTree) -> ExpressionTree {
    .conditional(condition, .constant(.bool(true)), .constant(.bool(false)))
  }
}

/// A part of a macro's expression that predicates can express.
protocol ConvertibleExpression: PredicateExpression {
  /// Converts the part.
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result
}

/// A range with two inclusive bounds.
private protocol TwoSidedRange {
  var bounds: (lower: Any, upper: Any) { get }
}

extension ClosedRange: TwoSidedRange {
  fileprivate var bounds: (lower: Any, upper: Any) { (lowerBound, upperBound) }
}

extension PredicateValue {
  /// Whether predicates support the value and its elements: managed objects are the only objects they support.
  fileprivate var isKnown: Bool {
    switch self {
    case .object(let object): object.identity != nil
    case .array(let elements), .set(let elements), .orderedSet(let elements):
      elements.allSatisfy(\.isKnown)
    case .dictionary(let entries):
      entries.allSatisfy { $0.key.isKnown && $0.value.isKnown }
    default: true
    }
  }
}
