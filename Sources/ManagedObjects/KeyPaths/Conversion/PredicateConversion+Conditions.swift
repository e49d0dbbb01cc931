import Foundation
import PredicateFormat

extension PredicateExpressions.Conjunction: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .condition(.and([try conversion.condition(lhs), try conversion.condition(rhs)]))
  }
}

extension PredicateExpressions.Disjunction: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .condition(.or([try conversion.condition(lhs), try conversion.condition(rhs)]))
  }
}

extension PredicateExpressions.Negation: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .condition(.not(try conversion.condition(wrapped)))
  }
}

extension PredicateExpressions.Equal: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let (left, right) = (try conversion.convert(lhs), try conversion.convert(rhs))
    return .condition(
      left.compared(with: right.flag) ?? right.compared(with: left.flag)
        ?? .compare(left.value, .equalTo, right.value))
  }
}

extension PredicateExpressions.NotEqual: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let (left, right) = (try conversion.convert(lhs), try conversion.convert(rhs))
    if let equal = left.compared(with: right.flag) ?? right.compared(with: left.flag) {
      return .condition(.not(equal))
    }
    return .condition(.compare(left.value, .notEqualTo, right.value))
  }
}

extension PredicateConversion.Result {
  /// The Boolean constant, if this is one.
  fileprivate var flag: Bool? {
    if case .value(.constant(.bool(let flag))) = self { flag } else { nil }
  }

  /// The condition that this one is true, or false; nil for a value.
  fileprivate func compared(with flag: Bool?) -> PredicateTree? {
    guard let flag else { return nil }
    switch self {
    case .value: return nil
    case .condition(let condition): return flag ? condition : .not(condition)
    case .optionalCondition(let condition, let unlessNil):
      return .and([unlessNil, flag ? condition : .not(condition)])
    }
  }
}

extension PredicateExpressions.Comparison: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let type: ComparisonOperator =
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqualTo
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqualTo
      @unknown default: throw PredicateConversion.Unsupported(description: "\(op)")
      }
    return .condition(.compare(try conversion.value(lhs), type, try conversion.value(rhs)))
  }
}

extension PredicateExpressions.Conditional: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let test = try conversion.condition(test)
    let (yes, no) = (try conversion.convert(trueBranch), try conversion.convert(falseBranch))
    guard If.Output.self == Bool.self else {
      return .value(.conditional(test, yes.value, no.value))
    }
    return .condition(
      .or([.and([test, yes.condition]), .and([.not(test), no.condition])]))
  }
}

// MARK: Nested expressions

extension PredicateExpressions.ExpressionEvaluate: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    guard let expression = try? expression.evaluate(PredicateBindings()) else {
      throw PredicateConversion.Unsupported(description: "an expression that isn't a constant")
    }
    repeat conversion.bind(
      (each expression.variable).key, to: try conversion.value(each input))
    return try conversion.convert(expression.expression)
  }
}
