/// Parses a format string by operator precedence, in a single pass without backtracking.
///
/// Predicates and expressions share parentheses, so one method parses both, and each operator checks which of the two
/// its operands are.
struct FormatParser {
  private(set) var lexer: Lexer
  var token: Token
  var arguments: FormatArguments
  /// The current nesting of grammar levels.
  private var nesting = 0

  init(_ text: String, arguments: [PredicateValue]) throws(PredicateFormatError) {
    guard text.utf8.count <= PredicateLimits.textLength else {
      throw PredicateFormatError(
        .tooLarge, "the text is longer than \(PredicateLimits.textLength) bytes")
    }
    lexer = Lexer(text)
    token = try lexer.next()
    self.arguments = FormatArguments(arguments)
  }

  mutating func parsePredicate() throws(PredicateFormatError) -> PredicateTree {
    let tree = try predicate(try node(.lowest))
    try expectEnd()
    return tree.value
  }

  mutating func parseExpression() throws(PredicateFormatError) -> ExpressionTree {
    let tree = try expression(try node(.lowest))
    try expectEnd()
    return tree.value
  }

  private func expectEnd() throws(PredicateFormatError) {
    if token.kind == .end { return }
    throw failure("AND, OR or the end of the text")
  }

  // MARK: Tokens

  mutating func advance() throws(PredicateFormatError) { token = try lexer.next() }

  /// Consumes a symbol, or throws an error if it isn't next.
  mutating func expect(_ symbol: Token.Symbol, _ name: String) throws(PredicateFormatError) {
    guard token.kind == .symbol(symbol) else { throw failure(name) }
    try advance()
  }

  /// Consumes a symbol if it is next.
  mutating func take(_ symbol: Token.Symbol) throws(PredicateFormatError) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  /// Consumes the key after a dot, `#` or `@`, where reserved words are allowed as keys.
  mutating func key() throws(PredicateFormatError) -> String {
    let isKey =
      switch token.kind {
      case .identifier, .word: isLetterToken
      default: false
      }
    guard isKey else { throw failure("a key") }
    let text = lexer.text(token)
    try advance()
    return text
  }

  /// False for `&&` and `||`, which are tokenized as words.
  private var isLetterToken: Bool {
    let first = lexer.bytes[token.start]
    return first != UInt8(ascii: "&") && first != UInt8(ascii: "|")
  }

  /// Creates an error at the current token.
  func failure(_ expected: String) -> PredicateFormatError {
    lexer.error("expected \(expected), found \(lexer.describe(token))", at: token.start)
  }

  // MARK: Depth

  /// Enters a level of the grammar; ``ascend()`` leaves it.
  mutating func descend() throws(PredicateFormatError) {
    guard nesting < PredicateLimits.nesting else { throw tooDeep }
    nesting += 1
  }

  mutating func ascend() { nesting -= 1 }

  /// The height of a tree above parts with the given heights.
  func height(above heights: Int...) throws(PredicateFormatError) -> Int {
    try height(above: heights)
  }

  func height(above heights: [Int]) throws(PredicateFormatError) -> Int {
    let height = (heights.max() ?? 0) + 1
    guard height <= PredicateLimits.depth else { throw tooDeep }
    return height
  }

  private var tooDeep: PredicateFormatError {
    lexer.error(
      "nested deeper than \(PredicateLimits.depth) levels", at: token.start, .tooDeep)
  }
}

/// A parsed part and its depth.
struct Parsed<Value> {
  var value: Value
  var height: Int
  /// The offset at which it starts.
  var start: Int
}

/// A parsed part of the text.
enum Node {
  case predicate(Parsed<PredicateTree>)
  case expression(Parsed<ExpressionTree>)
}

/// The precedence of operators, loosest first.
enum Precedence: Int, Comparable {
  case lowest, or, and, not, comparison, assignment, set
  case bitOr, bitXor, bitAnd, shift, sum, product, unary, power

  static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }
}
