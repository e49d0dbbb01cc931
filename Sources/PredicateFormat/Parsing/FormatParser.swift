/// Parses a format string, by operator precedence: one pass, no backtracking.
///
/// Predicates and expressions share the parentheses, so one routine reads both, and each operator
/// checks which of the two its sides are.
struct FormatParser {
  private(set) var lexer: Lexer
  var token: Token
  var arguments: FormatArguments
  /// How many levels of the grammar are open.
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

  /// Takes a symbol, or says that it was expected.
  mutating func expect(_ symbol: Token.Symbol, _ name: String) throws(PredicateFormatError) {
    guard token.kind == .symbol(symbol) else { throw failure(name) }
    try advance()
  }

  /// Takes a symbol if it is the next.
  mutating func take(_ symbol: Token.Symbol) throws(PredicateFormatError) -> Bool {
    guard token.kind == .symbol(symbol) else { return false }
    try advance()
    return true
  }

  /// Takes the key that follows a dot, `#` or `@` at once: any word is a key there.
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

  /// False for `&&` and `||`, which are words by meaning only.
  private var isLetterToken: Bool {
    let first = lexer.bytes[token.start]
    return first != UInt8(ascii: "&") && first != UInt8(ascii: "|")
  }

  /// An error at the current token.
  func failure(_ expected: String) -> PredicateFormatError {
    lexer.error("expected \(expected), found \(lexer.describe(token))", at: token.start)
  }

  // MARK: Depth

  /// Opens a level of the grammar; ``ascend()`` closes it.
  mutating func descend() throws(PredicateFormatError) {
    guard nesting < PredicateLimits.nesting else { throw tooDeep }
    nesting += 1
  }

  mutating func ascend() { nesting -= 1 }

  /// The height of a tree above parts of these heights.
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

/// A part that was parsed, and how deep it is.
struct Parsed<Value> {
  var value: Value
  var height: Int
  /// Where it starts.
  var start: Int
}

/// What a part of the text turned out to be.
enum Node {
  case predicate(Parsed<PredicateTree>)
  case expression(Parsed<ExpressionTree>)
}

/// How tightly an operator binds, loosest first.
enum Precedence: Int, Comparable {
  case lowest, or, and, not, comparison, assignment, set
  case bitOr, bitXor, bitAnd, shift, sum, product, unary, power

  static func < (left: Precedence, right: Precedence) -> Bool { left.rawValue < right.rawValue }
}
