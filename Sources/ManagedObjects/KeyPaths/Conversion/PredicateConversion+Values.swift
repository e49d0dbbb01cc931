import Foundation
import PredicateFormat

extension PredicateExpressions.Value: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.constant(try PredicateConversion.constant(value)))
  }
}

extension PredicateExpressions.NilLiteral: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.constant(.null))
  }
}

extension PredicateExpressions.Variable: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(try conversion.meaning(of: key))
  }
}

extension PredicateExpressions.KeyPath: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let root = try conversion.value(root)
    let isText = Root.Output.self is any StringProtocol.Type
    switch kind {
    case .collectionCount?: return .value(isText ? root.length : root.appending("@count"))
    case .collectionIsEmpty? where isText:
      return .condition(.compare(root, .equalTo, .constant(.string(""))))
    case .collectionIsEmpty?:
      return .condition(.compare(root.appending("@count"), .equalTo, .constant(.integer(0))))
    case .collectionFirst?: return .value(.call("objectFrom:withIndex:", root, .symbol("FIRST")))
    case .bidirectionalCollectionLast?:
      return .value(.call("objectFrom:withIndex:", root, .symbol("LAST")))
    default: break
    }
    if (keyPath as AnyKeyPath) == \NSSet.count || (keyPath as AnyKeyPath) == \NSOrderedSet.count {
      return .value(root.appending("@count"))
    }
    guard let name = KeyPathNames.name(of: keyPath) else {
      throw PredicateConversion.Unsupported(description: "the key path \(keyPath)")
    }
    return .value(root.appending(name))
  }
}

extension ExpressionTree {
  /// The value at the end of a path that starts from this one.
  fileprivate func appending(_ path: String) -> ExpressionTree {
    switch self {
    case .evaluatedObject: .key(path)
    case .keyPath(let start) where !start.path.contains("@"):
      .keyPath(KeyPath("\(start.path).\(path)", from: start.operand))
    default: .keyPath(KeyPath(path, from: self))
    }
  }

  /// The number of characters in a string.
  fileprivate var length: ExpressionTree { .call("length:", self) }

  /// Whether the expression consists only of keys of the object.
  var isPath: Bool {
    switch self {
    case .evaluatedObject, .variable: true
    case .keyPath(let path): path.operand.isPath
    default: false
    }
  }

  /// Whether the expression is a count of objects, which is never null.
  var isCount: Bool {
    if case .keyPath(let path) = self { path.path.hasSuffix("@count") } else { false }
  }
}

// MARK: Arithmetic

extension PredicateExpressions.Arithmetic: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let selector =
      switch op {
      case .add: "add:to:"
      case .subtract: "from:subtract:"
      case .multiply: "multiply:by:"
      @unknown default: throw PredicateConversion.Unsupported(description: "\(op)")
      }
    return .value(.call(selector, try conversion.value(lhs), try conversion.value(rhs)))
  }
}

extension PredicateExpressions.UnaryMinus: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.call("multiply:by:", try conversion.value(wrapped), .constant(.integer(-1))))
  }
}

extension PredicateExpressions.FloatDivision: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.call("divide:by:", try conversion.value(lhs), try conversion.value(rhs)))
  }
}

extension PredicateExpressions.IntDivision: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let quotient = ExpressionTree.call(
      "divide:by:", try conversion.value(lhs), try conversion.value(rhs))
    return .value(.call("trunc:", quotient))
  }
}

extension PredicateExpressions.IntRemainder: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    .value(.call("modulus:by:", try conversion.value(lhs), try conversion.value(rhs)))
  }
}

// MARK: Optional values

extension PredicateExpressions.ForcedUnwrap: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    try conversion.convert(inner)
  }
}

extension PredicateExpressions.NilCoalesce: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    switch try conversion.convert(lhs) {
    case .condition(let condition): return .condition(condition)
    case .optionalCondition(let condition, let unlessNil):
      let other = try conversion.condition(rhs)
      return .condition(
        other == .value(false)
          ? .and([unlessNil, condition])
          : .or([.and([unlessNil, condition]), .and([.not(unlessNil), other])]))
    case .value(let value):
      let other = try conversion.value(rhs)
      if value.isCount { return .value(value) }
      return .value(
        .conditional(.compare(value, .notEqualTo, .constant(.null)), value, other))
    }
  }
}

extension PredicateExpressions.OptionalFlatMap: ConvertibleExpression {
  func convert(_ conversion: inout PredicateConversion) throws -> PredicateConversion.Result {
    let value = try conversion.value(wrapped)
    conversion.bind(variable.key, to: value)
    let transformed = try conversion.convert(transform)
    // To-many relationships are never nil.
    let isMany =
      Wrapped.self is any Sequence.Type && !(Wrapped.self is any StringProtocol.Type)
      && Wrapped.self != Data.self && value.isPath
    let isThere = PredicateTree.compare(value, .notEqualTo, .constant(.null))
    switch transformed {
    case _ where isMany: return transformed
    // Keys of nil evaluate to nil.
    case .value(let path) where path.isPath && value.isPath: return transformed
    case .value(let path):
      return .value(.conditional(isThere, path, .constant(.null)))
    case .condition(let condition):
      return .optionalCondition(condition, unlessNil: isThere)
    case .optionalCondition(let condition, let unlessNil):
      return .optionalCondition(condition, unlessNil: .and([isThere, unlessNil]))
    }
  }
}
