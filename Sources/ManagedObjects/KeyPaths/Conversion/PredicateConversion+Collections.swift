import Foundation
import PredicateFormat

extension PredicateExpressions.SequenceContains: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let (whole, element) = (try conversion.value(sequence), try conversion.value(element))
    if LHS.Output.self is any StringProtocol.Type {
      return .condition(.compare(whole, .contains, element))
    }
    let isRange = LHS.Output.self is any RangeExpression.Type
    return .condition(.compare(element, isRange ? .between : .in, whole))
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let whole = try conversion.value(sequence)
    let local = conversion.makeLocal(for: variable.key)
    let count = whole.count(of: local, where: try conversion.condition(test))
    return .condition(.compare(count, .greaterThan, .constant(.integer(0))))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let whole = try conversion.value(sequence)
    let local = conversion.makeLocal(for: variable.key)
    let count = whole.count(of: local, where: .not(try conversion.condition(test)))
    return .condition(.compare(count, .equalTo, .constant(.integer(0))))
  }
}

extension PredicateExpressions.Filter: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let whole = try conversion.value(sequence)
    let local = conversion.makeLocal(for: variable.key)
    return .value(
      .subquery(collection: whole, variable: local, predicate: try conversion.condition(filter)))
  }
}

extension ExpressionTree {
  /// The number of members that satisfy a condition.
  fileprivate func count(of variable: String, where condition: PredicateTree) -> ExpressionTree {
    .keyPath(
      KeyPath(
        "@count", from: .subquery(collection: self, variable: variable, predicate: condition)))
  }
}

extension PredicateExpressions.SequenceMaximum: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.keyPath(.init("@max.self", from: try conversion.value(elements))))
  }
}

extension PredicateExpressions.SequenceMinimum: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.keyPath(.init("@min.self", from: try conversion.value(elements))))
  }
}

// MARK: Texts

extension PredicateConversion {
  fileprivate static func requireText(_ type: Any.Type, _ otherwise: String) throws {
    guard type is any StringProtocol.Type else { throw Unsupported(description: otherwise) }
  }
}

extension PredicateExpressions.CollectionContainsCollection: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    try PredicateConversion.requireText(Base.Output.self, "a part of a collection")
    return .condition(
      .compare(try conversion.value(base), .contains, try conversion.value(other)))
  }
}

extension PredicateExpressions.SequenceStartsWith: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    try PredicateConversion.requireText(Base.Output.self, "the start of a collection")
    return .condition(
      .compare(try conversion.value(base), .beginsWith, try conversion.value(prefix)))
  }
}

// MARK: Ranges

extension PredicateExpressions.ClosedRange: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.aggregate([try conversion.value(lower), try conversion.value(upper)]))
  }
}

extension PredicateExpressions.RangeExpressionContains: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let element = try conversion.value(element)
    func bound(
      _ type: ComparisonOperator, _ value: ExpressionTree
    ) -> PredicateTree { .compare(element, type, value) }
    if let open = range as? any OpenRange {
      let bounds = open.bounds
      return .condition(
        .and([
          bound(.greaterThanOrEqualTo, try conversion.value(bounds.lower)),
          bound(.lessThan, try conversion.value(bounds.upper)),
        ]))
    }
    guard let constant = try? range.evaluate(PredicateBindings()) else {
      return .condition(bound(.between, try conversion.value(range)))
    }
    func value(_ value: some Any) throws -> ExpressionTree {
      .constant(try PredicateConversion.constant(value))
    }
    switch constant {
    case let range as Range<Element.Output>:
      return .condition(
        .and([
          bound(.greaterThanOrEqualTo, try value(range.lowerBound)),
          bound(.lessThan, try value(range.upperBound)),
        ]))
    case let range as PartialRangeFrom<Element.Output>:
      return .condition(bound(.greaterThanOrEqualTo, try value(range.lowerBound)))
    case let range as PartialRangeThrough<Element.Output>:
      return .condition(bound(.lessThanOrEqualTo, try value(range.upperBound)))
    case let range as PartialRangeUpTo<Element.Output>:
      return .condition(bound(.lessThan, try value(range.upperBound)))
    default: return .condition(bound(.between, try value(constant)))
    }
  }
}

/// A range that excludes its upper bound, between two subexpressions.
private protocol OpenRange {
  var bounds: (lower: any PredicateExpression, upper: any PredicateExpression) { get }
}

extension PredicateExpressions.Range: OpenRange {
  fileprivate var bounds: (lower: any PredicateExpression, upper: any PredicateExpression) {
    (lower, upper)
  }
}
