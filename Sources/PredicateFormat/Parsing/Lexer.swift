/// Splits a format string into tokens, in a single pass over its bytes.
struct Lexer {
  let bytes: [UInt8]
  private(set) var offset = 0

  init(_ text: String) { bytes = Array(text.utf8) }

  /// The byte at a distance from the current one; 0 past the end.
  private func byte(_ ahead: Int = 0) -> UInt8 {
    let index = offset + ahead
    return index < bytes.count ? bytes[index] : 0
  }

  mutating func next() throws(PredicateFormatError) -> Token {
    while offset < bytes.count, isSpace(bytes[offset]) { offset += 1 }
    let start = offset
    guard offset < bytes.count else { return Token(kind: .end, start: start, end: start) }
    let kind: Token.Kind
    switch bytes[offset] {
    case UInt8(ascii: "\""), UInt8(ascii: "'"): kind = try string()
    case UInt8(ascii: "0")...UInt8(ascii: "9"): kind = try number()
    case UInt8(ascii: "$"):
      offset += 1
      guard skipIdentifier() else {
        throw error("expected a variable's name after $", at: start)
      }
      kind = .variable
    case UInt8(ascii: "%"): kind = try specifier()
    case let first where first >= 0x80 || isLetter(first): kind = try word()
    default: kind = try symbol()
    }
    return Token(kind: kind, start: start, end: offset)
  }

  // MARK: Words

  private mutating func word() throws(PredicateFormatError) -> Token.Kind {
    let start = offset
    guard skipIdentifier() else { throw error("unexpected \(describe(at: offset))", at: start) }
    if byte() == UInt8(ascii: ":"), byte(1) != UInt8(ascii: "=") {
      skipColons()
      return .functionName
    }
    if byte() == UInt8(ascii: "-"), ReservedWord(bytes[start..<offset]) == nil {
      try refuseTypeIdentifiers(from: start)
    }
    return ReservedWord(bytes[start..<offset]).map { .word($0) } ?? .identifier
  }

  /// Skips the rest of a selector: colons and the names between them.
  private mutating func skipColons() {
    while byte() == UInt8(ascii: ":") {
      offset += 1
      _ = skipIdentifier()
    }
  }

  /// Rejects the two operators spelled with hyphens, which are available only on Apple's systems.
  private func refuseTypeIdentifiers(from start: Int) throws(PredicateFormatError) {
    for name in ["UTI-CONFORMS-TO", "UTI-EQUALS"] {
      let end = start + name.utf8.count
      guard end <= bytes.count else { continue }
      let same = zip(bytes[start..<end], name.utf8).allSatisfy { $0 & 0xDF == $1 & 0xDF }
      if same {
        throw error(
          "\(name) requires the uniform type identifiers of Apple's platforms", at: start,
          .unsupported)
      }
    }
  }

  /// Skips an identifier; returns false if there is none.
  private mutating func skipIdentifier() -> Bool {
    let start = offset
    while offset < bytes.count {
      let byte = bytes[offset]
      if byte < 0x80 {
        guard isLetter(byte) || (offset > start && isDigit(byte)) else { break }
        offset += 1
      } else {
        guard let (scalar, length) = scalar(at: offset),
          offset == start ? Identifier.isStart(scalar) : Identifier.isPart(scalar)
        else { break }
        offset += length
      }
    }
    return offset > start
  }

  /// The non-ASCII scalar at an offset, and its length in bytes.
  private func scalar(at offset: Int) -> (Unicode.Scalar, Int)? {
    var decoder = UTF8()
    var iterator = bytes[offset...].prefix(4).makeIterator()
    guard case .scalarValue(let scalar) = decoder.decode(&iterator) else { return nil }
    return (scalar, UTF8.width(scalar))
  }

  // MARK: Literals

  private mutating func string() throws(PredicateFormatError) -> Token.Kind {
    let start = offset
    let quote = bytes[offset]
    offset += 1
    while offset < bytes.count, bytes[offset] != quote {
      offset += bytes[offset] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard offset < bytes.count else {
      offset = bytes.count
      throw error("the string that starts here has no closing quote", at: start)
    }
    offset += 1
    return .string
  }

  private mutating func number() throws(PredicateFormatError) -> Token.Kind {
    let start = offset
    if byte() == UInt8(ascii: "0"), "xXoObB".utf8.contains(byte(1)) {
      offset += 2
      while isDigit(byte()) || isLetter(byte()) { offset += 1 }
      return .number
    }
    while isDigit(byte()) { offset += 1 }
    if byte() == UInt8(ascii: "."), isDigit(byte(1)) {
      offset += 1
      while isDigit(byte()) { offset += 1 }
    }
    if byte() | 0x20 == UInt8(ascii: "e") {
      let sign = byte(1) == UInt8(ascii: "+") || byte(1) == UInt8(ascii: "-") ? 1 : 0
      if isDigit(byte(1 + sign)) {
        offset += 1 + sign
        while isDigit(byte()) { offset += 1 }
      }
    }
    guard !isLetter(byte()), byte() < 0x80 else {
      throw error("a number can't be followed by letters", at: start)
    }
    return .number
  }

  /// Scans a conversion as in `printf`, skipping flags, width and length.
  private mutating func specifier() throws(PredicateFormatError) -> Token.Kind {
    let start = offset
    offset += 1
    while isDigit(byte()) || "+-#.".utf8.contains(byte()) { offset += 1 }
    while "hlqzjtL".utf8.contains(byte()) { offset += 1 }
    let conversion = byte()
    guard "@KdDiuUxXoOfFgGeEaAsScCp".utf8.contains(conversion) else {
      let hint =
        switch conversion {
        case UInt8(ascii: "%"): "% isn't an operator: use modulus:by:(a, b)"
        case UInt8(ascii: "$") where isDigit(bytes[offset - 1]):
          "arguments are taken in order, not by position: pass one again to use it twice"
        default: "expected a conversion such as %@, %K, %d or %f"
        }
      throw error(hint, at: start)
    }
    offset += 1
    return .specifier(conversion)
  }

  // MARK: Symbols

  private mutating func symbol() throws(PredicateFormatError) -> Token.Kind {
    let start = offset
    if let two = pair() {
      offset += 2
      return two
    }
    offset += 1
    switch bytes[start] {
    case UInt8(ascii: "("): return .symbol(.openParenthesis)
    case UInt8(ascii: ")"): return .symbol(.closeParenthesis)
    case UInt8(ascii: "{"): return .symbol(.openBrace)
    case UInt8(ascii: "}"): return .symbol(.closeBrace)
    case UInt8(ascii: "["): return .symbol(.openBracket)
    case UInt8(ascii: "]"): return .symbol(.closeBracket)
    case UInt8(ascii: ","): return .symbol(.comma)
    case UInt8(ascii: "."): return .symbol(.dot)
    case UInt8(ascii: "#"): return .symbol(.hash)
    case UInt8(ascii: "@"): return .symbol(.at)
    case UInt8(ascii: "!"): return .symbol(.not)
    case UInt8(ascii: "+"): return .symbol(.plus)
    case UInt8(ascii: "-"): return .symbol(.minus)
    case UInt8(ascii: "*"): return .symbol(.times)
    case UInt8(ascii: "/"): return .symbol(.divide)
    case UInt8(ascii: "~"): return .symbol(.tilde)
    case UInt8(ascii: "&"): return .symbol(.ampersand)
    case UInt8(ascii: "|"): return .symbol(.bar)
    case UInt8(ascii: "^"): return .symbol(.caret)
    case UInt8(ascii: "<"): return .symbol(.comparison(.lessThan))
    case UInt8(ascii: ">"): return .symbol(.comparison(.greaterThan))
    case UInt8(ascii: "="): return .symbol(.comparison(.equalTo))
    default: throw error("unexpected \(describe(at: start))", at: start)
    }
  }

  /// The two-character symbol at the current position, if any.
  private func pair() -> Token.Kind? {
    switch (byte(), byte(1)) {
    case (UInt8(ascii: "="), UInt8(ascii: "=")): .symbol(.comparison(.equalTo))
    case (UInt8(ascii: "="), UInt8(ascii: "<")), (UInt8(ascii: "<"), UInt8(ascii: "=")):
      .symbol(.comparison(.lessThanOrEqualTo))
    case (UInt8(ascii: "="), UInt8(ascii: ">")), (UInt8(ascii: ">"), UInt8(ascii: "=")):
      .symbol(.comparison(.greaterThanOrEqualTo))
    case (UInt8(ascii: "!"), UInt8(ascii: "=")), (UInt8(ascii: "<"), UInt8(ascii: ">")):
      .symbol(.comparison(.notEqualTo))
    case (UInt8(ascii: "<"), UInt8(ascii: "<")): .symbol(.leftShift)
    case (UInt8(ascii: ">"), UInt8(ascii: ">")): .symbol(.rightShift)
    case (UInt8(ascii: "*"), UInt8(ascii: "*")): .symbol(.power)
    case (UInt8(ascii: ":"), UInt8(ascii: "=")): .symbol(.assign)
    case (UInt8(ascii: "&"), UInt8(ascii: "&")): .word(.and)
    case (UInt8(ascii: "|"), UInt8(ascii: "|")): .word(.or)
    default: nil
    }
  }

  // MARK: Characters

  private func isSpace(_ byte: UInt8) -> Bool { byte == 0x20 || (0x09...0x0D).contains(byte) }

  private func isDigit(_ byte: UInt8) -> Bool { byte &- UInt8(ascii: "0") < 10 }

  private func isLetter(_ byte: UInt8) -> Bool {
    (byte | 0x20) &- UInt8(ascii: "a") < 26 || byte == UInt8(ascii: "_")
  }
}

/// A token of a format string, with its location.
struct Token {
  var kind: Kind
  /// The range of its bytes in the text.
  var start: Int
  var end: Int

  enum Kind: Equatable {
    case end
    /// A key, or a function name without colons.
    case identifier
    /// A function name with colons.
    case functionName
    case word(ReservedWord)
    /// A string literal, including its quotes.
    case string
    case number
    /// A `$` and a name.
    case variable
    /// A `%` and its conversion, given as a byte.
    case specifier(UInt8)
    case symbol(Symbol)
  }

  enum Symbol: Equatable {
    case openParenthesis, closeParenthesis, openBrace, closeBrace, openBracket, closeBracket
    case comma, dot, hash, at, assign
    case not, plus, minus, times, divide, power, tilde
    case ampersand, bar, caret, leftShift, rightShift
    case comparison(ComparisonOperator)
  }
}

extension Lexer {
  /// Creates an error at a byte offset, with the column counted in characters.
  func error(
    _ message: String, at offset: Int, _ code: PredicateFormatError.Code = .syntax
  ) -> PredicateFormatError {
    let before = String(decoding: bytes.prefix(offset), as: UTF8.self)
    return PredicateFormatError(code, message, column: before.count + 1)
  }

  /// The text at an offset, abbreviated, for a message.
  func describe(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the text" }
    let text = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
    return "'\(text.prefix(1))'"
  }

  /// A token's text, abbreviated, for a message.
  func describe(_ token: Token) -> String {
    guard token.kind != .end else { return "the end of the text" }
    let text = String(decoding: bytes[token.start..<token.end].prefix(40), as: UTF8.self)
    return token.end - token.start > 40 ? "'\(text)…'" : "'\(text)'"
  }

  /// A token's text.
  func text(_ token: Token) -> String {
    String(decoding: bytes[token.start..<token.end], as: UTF8.self)
  }
}
