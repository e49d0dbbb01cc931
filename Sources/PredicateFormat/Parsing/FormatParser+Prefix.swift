extension FormatParser {
  /// Parses what may start a part: `NOT`, `ANY`, a sign, or a value.
  mutating func prefix() throws(PredicateFormatError) -> Node {
    switch token.kind {
    case .word(.not), .symbol(.not): .predicate(try not())
    case .word(.any), .word(.some), .word(.all), .word(.none): .predicate(try modified())
    case .word(.truepredicate), .word(.falsepredicate): .predicate(try constant())
    case .symbol(.minus): .expression(try negation())
    case .symbol(.plus): .expression(try positive())
    case .symbol(.tilde): .expression(try complement())
    case .symbol(.openParenthesis): try parenthesized()
    default: .expression(try postfix(try atom(), isParenthesized: false))
    }
  }

  private mutating func not() throws(PredicateFormatError) -> Parsed<PredicateTree> {
    let start = token.start
    try advance()
    let member = try predicate(try node(.not))
    return Parsed(
      value: .not(member.value), height: try height(above: member.height), start: start)
  }

  private mutating func constant() throws(PredicateFormatError) -> Parsed<PredicateTree> {
    let word = token
    try advance()
    return Parsed(
      value: .value(word.kind == .word(.truepredicate)), height: 1, start: word.start)
  }

  private mutating func positive() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    try advance()
    return try expression(try node(.unary))
  }

  private mutating func complement() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let start = token.start
    try advance()
    let operand = try expression(try node(.unary))
    return Parsed(
      value: .call("onesComplement:", operand.value),
      height: try height(above: operand.height), start: start)
  }

  /// Parses `ANY`, `SOME`, `ALL` or `NONE` and the comparison that it modifies.
  private mutating func modified() throws(PredicateFormatError) -> Parsed<PredicateTree> {
    let word = token.kind
    let start = token.start
    try advance()
    let compared = try predicate(try node(.comparison))
    guard case .comparison(var comparison) = compared.value else {
      throw lexer.error("expected a comparison after ANY, ALL or NONE", at: start)
    }
    comparison.modifier = word == .word(.all) ? .all : .any
    guard word == .word(.none) else {
      return Parsed(value: .comparison(comparison), height: compared.height, start: start)
    }
    return Parsed(
      value: .not(.comparison(comparison)), height: try height(above: compared.height),
      start: start)
  }

  /// Parses a minus sign and its operand: a negative number, or −1 times the operand.
  private mutating func negation() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let start = token.start
    try advance()
    if token.kind == .number {
      let literal = token
      let positive = try number()
      let base = try postfix(
        Parsed(value: .constant(positive), height: 1, start: literal.start),
        isParenthesized: false)
      if token.kind != .symbol(.power), case .constant = base.value {
        return Parsed(
          value: .constant(try NumberLiteral.negated(positive, in: lexer, at: literal)), height: 1,
          start: start)
      }
      let power = try continuePower(base)
      return try negated(power, start)
    }
    return try negated(try expression(try node(.unary)), start)
  }

  /// Parses `** exponent` after a base that has already been parsed.
  private mutating func continuePower(
    _ base: Parsed<ExpressionTree>
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    guard try take(.power) else { return base }
    let exponent = try expression(try node(.unary))
    return Parsed(
      value: .call("raise:toPower:", base.value, exponent.value),
      height: try height(above: base.height, exponent.height), start: base.start)
  }

  private func negated(
    _ operand: Parsed<ExpressionTree>, _ start: Int
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    Parsed(
      value: .call("multiply:by:", .constant(.integer(-1)), operand.value),
      height: try height(above: operand.height), start: start)
  }

  /// Parses parentheses around a predicate or an expression.
  private mutating func parenthesized() throws(PredicateFormatError) -> Node {
    try advance()
    let inner = try node(.lowest)
    guard token.kind == .symbol(.closeParenthesis) else {
      throw failure("an operator or )")
    }
    try advance()
    guard case .expression(let expression) = inner else { return inner }
    return .expression(try postfix(expression, isParenthesized: true))
  }

  /// Parses the `.key`s and `[index]`es after a value.
  mutating func postfix(
    _ base: Parsed<ExpressionTree>, isParenthesized: Bool
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    var result = base
    var continuesPath = !isParenthesized
    while true {
      if token.kind == .symbol(.dot) {
        result = try path(result, continuesPath)
        continuesPath = true
      } else if token.kind == .symbol(.openBracket) {
        result = try index(result)
      } else {
        return result
      }
    }
  }

  /// Parses `.key.key`. After a key path without parentheses, it continues that path.
  private mutating func path(
    _ base: Parsed<ExpressionTree>, _ continuesPath: Bool
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    var operand = base.value
    var keys = ""
    if continuesPath, case .keyPath(let begun) = base.value {
      operand = begun.operand
      keys = begun.path
    }
    while try take(.dot) {
      if !keys.isEmpty { keys += "." }
      try appendKey(to: &keys)
    }
    let isOwn = operand == .evaluatedObject
    return Parsed(
      value: .keyPath(.init(keys, from: operand)),
      height: isOwn ? 1 : try height(above: base.height), start: base.start)
  }

  /// Parses a single key: a name, `#name`, `@operator` or `%K`.
  private mutating func appendKey(to keys: inout String) throws(PredicateFormatError) {
    if try take(.hash) {
      keys += try key()
    } else if try take(.at) {
      keys += "@" + (try key())
    } else if token.kind == .specifier(UInt8(ascii: "K")) {
      keys += try arguments.path(for: token, lexer)
      try advance()
    } else {
      keys += try key()
    }
  }

  private mutating func index(
    _ base: Parsed<ExpressionTree>
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    try advance()
    let index = try indexExpression()
    try expect(.closeBracket, "] after the index")
    return Parsed(
      value: .call("objectFrom:withIndex:", base.value, index.value),
      height: try height(above: base.height, index.height), start: base.start)
  }

  /// Parses `FIRST`, `LAST`, `SIZE` or any expression. Keys with these names are written with a `#`.
  private mutating func indexExpression() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    switch token.kind {
    case .word(.first), .word(.last), .word(.size):
      let symbol = ExpressionTree.symbol(lexer.text(token).uppercased())
      let start = token.start
      try advance()
      return Parsed(value: symbol, height: 1, start: start)
    default: return try expression(try node(.lowest))
    }
  }
}
