import Foundation

/// The values for a format's `%` specifiers, consumed in order.
struct FormatArguments {
  private let values: [PredicateValue]
  private var used = 0

  init(_ values: [PredicateValue]) { self.values = values }

  /// The number of values not consumed by a specifier.
  var unusedCount: Int { values.count - used }

  private mutating func next(
    for token: Token, _ lexer: Lexer
  ) throws(PredicateFormatError) -> PredicateValue {
    guard used < values.count else {
      throw lexer.error(
        "no argument is left for \(lexer.text(token)): \(values.count) "
          + "\(values.count == 1 ? "was" : "were") given", at: token.start, .formatArguments)
    }
    used += 1
    return values[used - 1]
  }

  /// The expression for a specifier.
  mutating func expression(
    for token: Token, _ lexer: Lexer
  ) throws(PredicateFormatError) -> ExpressionTree {
    guard case .specifier(let conversion) = token.kind else { return .constant(.null) }
    switch conversion {
    case UInt8(ascii: "K"):
      return Self.expression(ofPath: try path(for: token, lexer))
    case UInt8(ascii: "@"):
      let value = try next(for: token, lexer)
      if case .object(let object) = value, let expression = object.base as? NSExpression {
        return expression.tree
      }
      return .constant(value)
    default:
      let value = try next(for: token, lexer)
      let isLong = lexer.text(token).contains { "lqjzt".contains($0) }
      guard let converted = convert(value, conversion, isLong: isLong) else {
        throw lexer.error(
          "\(lexer.text(token)) can't take the argument \(used), "
            + ExpressionTree.constant(value).canonicalFormat.prefix(40), at: token.start,
          .formatArguments)
      }
      return .constant(converted)
    }
  }

  /// The expression for a key path argument, in which a leading `SELF` refers to the object itself.
  private static func expression(ofPath path: String) -> ExpressionTree {
    if path.lowercased() == "self" { return .evaluatedObject }
    guard path.utf8.count > 5, path.prefix(5).lowercased() == "self." else { return .key(path) }
    return .key("self." + path.dropFirst(5))
  }

  /// The key path for a `%K`.
  mutating func path(for token: Token, _ lexer: Lexer) throws(PredicateFormatError) -> String {
    guard case .string(let path) = try next(for: token, lexer), !path.isEmpty else {
      throw lexer.error(
        "%K takes a key path: argument \(used) must be a string that isn't empty",
        at: token.start, .formatArguments)
    }
    return path
  }

  /// Converts a value as `printf` does: to an integer, a double or a string.
  private func convert(
    _ value: PredicateValue, _ conversion: UInt8, isLong: Bool
  ) -> PredicateValue? {
    switch conversion {
    case UInt8(ascii: "s"), UInt8(ascii: "S"):
      if case .string = value { value } else { nil }
    case UInt8(ascii: "f"), UInt8(ascii: "F"), UInt8(ascii: "g"), UInt8(ascii: "G"),
      UInt8(ascii: "e"), UInt8(ascii: "E"), UInt8(ascii: "a"), UInt8(ascii: "A"):
      value.double.map { .double($0) }
    case UInt8(ascii: "u"), UInt8(ascii: "U"), UInt8(ascii: "o"), UInt8(ascii: "O"),
      UInt8(ascii: "x"), UInt8(ascii: "X"):
      integer(value).map { Self.unsigned($0, isLong: isLong) }
    default: integer(value)
    }
  }

  /// A negative number reinterpreted by an unsigned conversion: 32 bits, or 64 with an `l`.
  private static func unsigned(_ value: PredicateValue, isLong: Bool) -> PredicateValue {
    guard case .integer(let number) = value, number < 0 else { return value }
    return isLong
      ? .unsigned(UInt64(bitPattern: number))
      : .integer(Int64(UInt32(truncatingIfNeeded: number)))
  }

  private func integer(_ value: PredicateValue) -> PredicateValue? {
    switch value {
    case .integer, .unsigned: value
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .string(let text) where text.utf16.count == 1:
      text.utf16.first.map { .integer(Int64($0)) }
    default: value.double.flatMap { Int64(exactly: $0.rounded(.towardZero)) }.map { .integer($0) }
    }
  }
}

extension PredicateValue {
  /// The number as a double, if the value is a number.
  package var double: Double? {
    switch self {
    case .bool(let flag): flag ? 1 : 0
    case .integer(let number): Double(number)
    case .unsigned(let number): Double(number)
    case .double(let number): number
    case .float(let number): Double(number)
    case .decimal(let number): number.nearestDouble
    default: nil
    }
  }
}
