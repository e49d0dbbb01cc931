/// Decodes number literals.
enum NumberLiteral {
  /// The number in a token: an integer in base 10, 16 (`0x`), 8 (`0o`) or 2 (`0b`), or a floating-point number.
  static func decode(_ token: Token, _ lexer: Lexer) throws(PredicateFormatError) -> PredicateValue
  {
    let bytes = lexer.bytes[token.start..<token.end]
    if let small = smallInteger(bytes) { return .integer(small) }
    let text = lexer.text(token)
    if text.hasPrefix("0"), let base = base(text) {
      guard let number = UInt64(text.dropFirst(2), radix: base) else {
        throw lexer.error("not a number in base \(base) of 64 bits", at: token.start)
      }
      return PredicateValue(number)
    }
    if let number = UInt64(text) { return PredicateValue(number) }
    if text.allSatisfy(\.isNumber) {
      throw lexer.error(
        "an integer of more than 64 bits; write it with an exponent, such as 1e20",
        at: token.start)
    }
    guard let number = Double(text), number.isFinite else {
      throw lexer.error("a number that exceeds the range of a double", at: token.start)
    }
    return .double(number)
  }

  /// Decodes up to 18 decimal digits without creating a string.
  private static func smallInteger(_ bytes: ArraySlice<UInt8>) -> Int64? {
    guard bytes.count <= 18 else { return nil }
    var value: Int64 = 0
    for byte in bytes {
      let digit = byte &- UInt8(ascii: "0")
      guard digit < 10 else { return nil }
      value = value * 10 + Int64(digit)
    }
    return value
  }

  private static func base(_ text: String) -> Int? {
    switch text.dropFirst().first {
    case "x", "X": 16
    case "o", "O": 8
    case "b", "B": 2
    default: nil
    }
  }

  /// A literal after a minus sign.
  static func negated(
    _ value: PredicateValue, in lexer: Lexer, at token: Token
  ) throws(PredicateFormatError) -> PredicateValue {
    switch value {
    case .integer(let number): return .integer(-number)
    case .unsigned(let number) where number == Int64.min.magnitude: return .integer(.min)
    case .double(let number): return .double(-number)
    default:
      throw lexer.error("a negative integer of more than 64 bits", at: token.start)
    }
  }
}
