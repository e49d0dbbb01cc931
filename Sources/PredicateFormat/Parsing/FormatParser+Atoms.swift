extension FormatParser {
  /// Parses a value: a literal, a key, a variable, an argument, a call, or an aggregate.
  mutating func atom() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let start = token.start
    let value: ExpressionTree
    switch token.kind {
    case .identifier:
      let name = token
      try advance()
      if token.kind == .symbol(.openParenthesis) { return try call(name) }
      value = .key(lexer.text(name))
    case .functionName:
      let name = token
      try advance()
      return try call(name)
    case .word(let word):
      return try atom(word)
    case .string:
      value = .constant(.string(try StringLiteral.decode(token, lexer)))
      try advance()
    case .number:
      value = .constant(try number())
    case .variable:
      value = .variable(String(lexer.text(token).dropFirst()))
      try advance()
    case .specifier:
      value = try arguments.expression(for: token, lexer)
      try advance()
    case .symbol(.hash):
      try advance()
      value = .key(try key())
    case .symbol(.at):
      try advance()
      value = .key("@" + (try key()))
    case .symbol(.openBrace):
      return try aggregate()
    default:
      throw failure("an expression")
    }
    return Parsed(value: value, height: 1, start: start)
  }

  /// Parses a value that starts with a reserved word.
  private mutating func atom(
    _ word: ReservedWord
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let name = token
    try advance()
    let value: ExpressionTree
    switch word {
    case .null, .nil: value = .constant(.null)
    case .true, .yes: value = .constant(.bool(true))
    case .false, .no: value = .constant(.bool(false))
    case .self: value = .evaluatedObject
    case .anykey: value = .anyKey
    default:
      if token.kind == .symbol(.openParenthesis) {
        switch word {
        case .subquery: return try subquery(name.start)
        case .ternary: return try ternary(name.start)
        case .function: return try targetCall(name.start)
        case .cast: return try cast(name.start)
        case .fetch: return try fetch(name.start)
        default: break
        }
      }
      guard !word.isAlwaysReserved else {
        throw lexer.error(
          "expected an expression, found the word \(lexer.describe(name)); "
            + "write #\(lexer.text(name)) for a key of that name", at: name.start)
      }
      value = .key(lexer.text(name))
    }
    return Parsed(value: value, height: 1, start: name.start)
  }

  /// Parses the number that is the current token.
  mutating func number() throws(PredicateFormatError) -> PredicateValue {
    let value = try NumberLiteral.decode(token, lexer)
    try advance()
    return value
  }

  private mutating func aggregate() throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let start = token.start
    try advance()
    let elements = try list(until: .closeBrace, "}")
    return Parsed(
      value: .aggregate(elements.value), height: try height(above: elements.height), start: start)
  }

  /// Parses expressions separated by commas, and the symbol that ends them.
  private mutating func list(
    until end: Token.Symbol, _ name: String
  ) throws(PredicateFormatError) -> Parsed<[ExpressionTree]> {
    var elements = Parsed<[ExpressionTree]>(value: [], height: 0, start: token.start)
    if try take(end) { return elements }
    repeat {
      let element = try expression(try node(.assignment))
      elements.value.append(element.value)
      elements.height = max(elements.height, element.height)
    } while try take(.comma)
    try expect(end, "a comma or \(name)")
    return elements
  }

  // MARK: Calls

  /// Parses a call of a built-in function, after its name.
  private mutating func call(_ name: Token) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    guard let function = BuiltInFunction(name: lexer.text(name)) else {
      throw lexer.error(
        "there is no function \(lexer.describe(name))", at: name.start, .unknownFunction)
    }
    try expect(.openParenthesis, "( after the function's name")
    let arguments = try list(until: .closeParenthesis, ")")
    guard function.argumentCount.contains(arguments.value.count) else {
      let wanted = function.argumentCount
      throw lexer.error(
        "\(function.rawValue) takes \(wanted.upperBound == wanted.lowerBound ? "" : "at least ")"
          + "\(wanted.lowerBound) argument\(wanted.lowerBound == 1 ? "" : "s"), "
          + "not \(arguments.value.count)", at: name.start, .argumentCount)
    }
    return Parsed(
      value: .function(.init(function.rawValue, arguments.value)),
      height: try height(above: arguments.height), start: name.start)
  }

  /// Parses `FUNCTION(target, "selector:", argument…)`.
  private mutating func targetCall(_ start: Int) throws(PredicateFormatError) -> Parsed<
    ExpressionTree
  > {
    try advance()
    let parts = try list(until: .closeParenthesis, ")")
    guard parts.value.count >= 2, case .constant(.string(let selector)) = parts.value[1] else {
      throw lexer.error(
        "FUNCTION takes a target, a selector in quotes, and its arguments", at: start,
        .argumentCount)
    }
    return Parsed(
      value: .function(
        .init(selector, Array(parts.value.dropFirst(2)), on: parts.value[0])),
      height: try height(above: parts.height), start: start)
  }

  /// Parses `CAST(value, "Class")`.
  private mutating func cast(_ start: Int) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    try advance()
    let parts = try list(until: .closeParenthesis, ")")
    guard parts.value.count == 2, case .constant(.string) = parts.value[1] else {
      throw lexer.error(
        "CAST takes a value and a class's name in quotes", at: start, .argumentCount)
    }
    return Parsed(
      value: .function(.init("castObject:toType:", parts.value)),
      height: try height(above: parts.height), start: start)
  }

  /// Parses `SUBQUERY(collection, $variable, predicate)`.
  private mutating func subquery(_ start: Int) throws(PredicateFormatError) -> Parsed<
    ExpressionTree
  > {
    try advance()
    let collection = try expression(try node(.assignment))
    try expect(.comma, "a comma after the collection")
    guard token.kind == .variable else { throw failure("a $variable") }
    let variable = String(lexer.text(token).dropFirst())
    try advance()
    try expect(.comma, "a comma after the variable")
    let condition = try predicate(try node(.lowest))
    try expect(.closeParenthesis, ") after the predicate")
    return Parsed(
      value: .subquery(
        collection: collection.value, variable: variable, predicate: condition.value),
      height: try height(above: collection.height, condition.height), start: start)
  }

  /// Parses `TERNARY(predicate, true, false)`.
  private mutating func ternary(_ start: Int) throws(PredicateFormatError) -> Parsed<ExpressionTree>
  {
    try advance()
    let condition = try predicate(try node(.lowest))
    try expect(.comma, "a comma after the predicate")
    let values = try list(until: .closeParenthesis, ")")
    guard values.value.count == 2 else {
      throw lexer.error(
        "TERNARY takes a predicate and two values", at: start, .argumentCount)
    }
    return Parsed(
      value: .conditional(condition.value, values.value[0], values.value[1]),
      height: try height(above: condition.height, values.height), start: start)
  }

  /// Parses `FETCH(request, context, countOnly)`.
  private mutating func fetch(_ start: Int) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    try advance()
    let parts = try list(until: .closeParenthesis, ")")
    guard parts.value.count == 3, case .constant(.bool(let countOnly)) = parts.value[2] else {
      throw lexer.error(
        "FETCH takes a request, a context, and YES or NO", at: start, .argumentCount)
    }
    return Parsed(
      value: .fetch(request: parts.value[0], context: parts.value[1], countOnly: countOnly),
      height: try height(above: parts.height), start: start)
  }
}
