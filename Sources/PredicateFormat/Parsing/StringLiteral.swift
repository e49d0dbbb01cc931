/// Decodes string literals.
enum StringLiteral {
  /// The string in a token, with escapes as in C: `
  /// `, `\t`, `\"`, `\u00e9`, … A backslash before any other character stands for that character.
  static func decode(_ token: Token, _ lexer: Lexer) throws(PredicateFormatError) -> String {
    let body = lexer.bytes[(token.start + 1)..<(token.end - 1)]
    guard body.contains(UInt8(ascii: "\\")) else { return String(decoding: body, as: UTF8.self) }
    var decoded: [UInt8] = []
    decoded.reserveCapacity(body.count)
    var index = body.startIndex
    while index < body.endIndex {
      let byte = body[index]
      index += 1
      guard byte == UInt8(ascii: "\\"), index < body.endIndex else {
        decoded.append(byte)
        continue
      }
      let escaped = body[index]
      index += 1
      switch escaped {
      case UInt8(ascii: "n"): decoded.append(0x0A)
      case UInt8(ascii: "t"): decoded.append(0x09)
      case UInt8(ascii: "r"): decoded.append(0x0D)
      case UInt8(ascii: "b"): decoded.append(0x08)
      case UInt8(ascii: "f"): decoded.append(0x0C)
      case UInt8(ascii: "v"): decoded.append(0x0B)
      case UInt8(ascii: "a"): decoded.append(0x07)
      case UInt8(ascii: "u"): try appendUnicode(of: body, at: &index, to: &decoded, lexer: lexer)
      default: decoded.append(escaped)
      }
    }
    return String(decoding: decoded, as: UTF8.self)
  }

  /// Decodes the digits of `\uXXXX`, and of the second half of a surrogate pair.
  private static func appendUnicode(
    of body: ArraySlice<UInt8>, at index: inout Int, to decoded: inout [UInt8], lexer: Lexer
  ) throws(PredicateFormatError) {
    let start = index - 2
    guard let first = codeUnit(body, &index) else {
      throw lexer.error("\\u takes four hexadecimal digits", at: start)
    }
    var units = [first]
    if UTF16.isLeadSurrogate(first), body[index...].starts(with: [0x5C, 0x75]) {
      index += 2
      guard let second = codeUnit(body, &index) else {
        throw lexer.error("\\u takes four hexadecimal digits", at: start)
      }
      units.append(second)
    }
    // An unpaired surrogate is not a character, and would be replaced silently.
    guard let character = String(validating: units, as: UTF16.self) else {
      throw lexer.error("\\u takes both halves of a surrogate pair", at: start)
    }
    decoded.append(contentsOf: character.utf8)
  }

  private static func codeUnit(_ body: ArraySlice<UInt8>, _ index: inout Int) -> UInt16? {
    let digits = body[index...].prefix(4)
    guard digits.count == 4, digits.allSatisfy({ $0 != UInt8(ascii: "+") && $0 < 0x80 }) else {
      return nil
    }
    index += 4
    return UInt16(String(decoding: digits, as: UTF8.self), radix: 16)
  }
}
