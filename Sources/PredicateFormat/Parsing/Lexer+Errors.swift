extension Lexer {
  /// An error at a byte's offset, its column counted in characters.
  func error(
    _ message: String, at offset: Int, _ code: PredicateFormatError.Code = .syntax
  ) -> PredicateFormatError {
    let before = String(decoding: bytes.prefix(offset), as: UTF8.self)
    return PredicateFormatError(code, message, column: before.count + 1)
  }

  /// What stands at an offset, shortened, for a message.
  func describe(at offset: Int) -> String {
    guard offset < bytes.count else { return "the end of the text" }
    let text = String(decoding: bytes[offset...].prefix(4), as: UTF8.self)
    return "'\(text.prefix(1))'"
  }

  /// A token as it stands in the text, shortened, for a message.
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
