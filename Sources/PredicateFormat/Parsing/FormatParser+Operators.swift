extension FormatParser {
  /// An infix operator.
  private enum Infix {
    case logic(PredicateTree.CompoundKind)
    case comparison(ComparisonOperator)
    case assignment
    case set(ExpressionTree.SetOperation)
    case function(String)
  }

  private func infix() -> (Infix, Precedence)? {
    switch token.kind {
    case .word(let word): infix(word)
    case .symbol(let symbol): infix(symbol)
    default: nil
    }
  }

  private func infix(_ word: ReservedWord) -> (Infix, Precedence)? {
    switch word {
    case .and: (.logic(.and), .and)
    case .or: (.logic(.or), .or)
    case .in: (.comparison(.in), .comparison)
    case .contains: (.comparison(.contains), .comparison)
    case .beginswith: (.comparison(.beginsWith), .comparison)
    case .endswith: (.comparison(.endsWith), .comparison)
    case .like: (.comparison(.like), .comparison)
    case .matches: (.comparison(.matches), .comparison)
    case .between: (.comparison(.between), .comparison)
    case .union: (.set(.union), .set)
    case .intersect: (.set(.intersect), .set)
    case .minus: (.set(.minus), .set)
    default: nil
    }
  }

  private func infix(_ symbol: Token.Symbol) -> (Infix, Precedence)? {
    switch symbol {
    case .comparison(let type): (.comparison(type), .comparison)
    case .assign: (.assignment, .assignment)
    case .plus: (.function("add:to:"), .sum)
    case .minus: (.function("from:subtract:"), .sum)
    case .times: (.function("multiply:by:"), .product)
    case .divide: (.function("divide:by:"), .product)
    case .power: (.function("raise:toPower:"), .power)
    case .ampersand: (.function("bitwiseAnd:with:"), .bitAnd)
    case .bar: (.function("bitwiseOr:with:"), .bitOr)
    case .caret: (.function("bitwiseXor:with:"), .bitXor)
    case .leftShift: (.function("leftshift:by:"), .shift)
    case .rightShift: (.function("rightshift:by:"), .shift)
    default: nil
    }
  }

  /// Parses a part whose operators bind at least as tightly as `minimum`.
  mutating func node(_ minimum: Precedence) throws(PredicateFormatError) -> Node {
    try descend()
    defer { ascend() }
    var left = try prefix()
    while let (operation, precedence) = infix(), precedence >= minimum {
      left = try combine(left, with: operation, at: precedence)
    }
    return left
  }

  private mutating func combine(
    _ left: Node, with operation: Infix, at precedence: Precedence
  ) throws(PredicateFormatError) -> Node {
    switch operation {
    case .logic(let kind): try chain(left, by: kind)
    case .comparison(let type): .predicate(try comparison(left, type))
    case .assignment: .expression(try assignment(left))
    case .set(let operation):
      .expression(try binary(left, at: precedence) { .set(operation, $0, $1) })
    case .function(let selector):
      .expression(
        try binary(left, at: precedence) { .function(.init(selector, [$0, $1])) })
    }
  }

  /// Parses the rest of `a AND b AND c` into a single flat compound of any length.
  private mutating func chain(
    _ first: Node, by kind: PredicateTree.CompoundKind
  ) throws(PredicateFormatError) -> Node {
    let head = try predicate(first)
    var members = [head.value]
    var tallest = head.height
    while token.kind == .word(kind == .and ? .and : .or) {
      try advance()
      let member = try predicate(try node(kind == .and ? .not : .and))
      members.append(member.value)
      tallest = max(tallest, member.height)
    }
    return .predicate(
      Parsed(
        value: .compound(kind, members), height: try height(above: tallest), start: head.start))
  }

  private mutating func comparison(
    _ left: Node, _ type: ComparisonOperator
  ) throws(PredicateFormatError) -> Parsed<PredicateTree> {
    guard case .expression(let leftSide) = left else {
      throw failure("AND or OR after a comparison")
    }
    try advance()
    let options = try comparisonOptions()
    let rightSide = try expression(try node(.assignment))
    return Parsed(
      value: .compare(leftSide.value, type, rightSide.value, options: options),
      height: try height(above: leftSide.height, rightSide.height), start: leftSide.start)
  }

  /// Parses comparison options such as `[cd]`, if present.
  private mutating func comparisonOptions() throws(PredicateFormatError) -> ComparisonOptions {
    guard try take(.openBracket) else { return [] }
    var options: ComparisonOptions = []
    let letters = token
    for letter in lexer.text(letters).lowercased() {
      switch letter {
      case "c": options.insert(.caseInsensitive)
      case "d": options.insert(.diacriticInsensitive)
      case "n": options.insert(.normalized)
      case "l": options.insert(.localeSensitive)
      default: throw failure("options: letters of c, d, n and l")
      }
    }
    try advance()
    try expect(.closeBracket, "] after the options")
    return options
  }

  private mutating func assignment(_ left: Node) throws(PredicateFormatError) -> Parsed<
    ExpressionTree
  > {
    guard case .expression(let target) = left, case .variable(let name) = target.value else {
      throw failure("a $variable before :=")
    }
    try advance()
    let value = try expression(try node(.assignment))
    return Parsed(
      value: .assignment(variable: name, value: value.value),
      height: try height(above: value.height), start: target.start)
  }

  private mutating func binary(
    _ left: Node, at precedence: Precedence,
    _ combine: (ExpressionTree, ExpressionTree) -> ExpressionTree
  ) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    let leftSide = try expression(left)
    try advance()
    // `**` is right-associative and binds tighter than a sign, which its right side may have.
    let tighter = Precedence(rawValue: precedence.rawValue + 1) ?? .power
    let rightSide = try expression(try node(precedence == .power ? .unary : tighter))
    return Parsed(
      value: combine(leftSide.value, rightSide.value),
      height: try height(above: leftSide.height, rightSide.height), start: leftSide.start)
  }

  // MARK: Kinds of parts

  // These methods are `mutating` so that `predicate(try node(…))` uses the parser's state after parsing the node,
  // rather than a copy made before.

  /// The node as a predicate; throws if it isn't one.
  mutating func predicate(_ node: Node) throws(PredicateFormatError) -> Parsed<PredicateTree> {
    switch node {
    case .predicate(let predicate): return predicate
    case .expression:
      if token.kind == .word(.not) {
        throw failure("an operator (there is no NOT IN: write NOT (x IN y))")
      }
      throw failure("an operator such as ==, < or CONTAINS")
    }
  }

  /// The node as an expression; throws if it isn't one.
  mutating func expression(_ node: Node) throws(PredicateFormatError) -> Parsed<ExpressionTree> {
    switch node {
    case .expression(let expression): return expression
    case .predicate(let predicate):
      throw lexer.error(
        "expected an expression, found a predicate", at: predicate.start)
    }
  }
}
