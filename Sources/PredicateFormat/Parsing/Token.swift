/// A piece of a format string: what it is and where.
struct Token {
  var kind: Kind
  /// The offsets of its bytes in the text.
  var start: Int
  var end: Int

  enum Kind: Equatable {
    case end
    /// A key, or the name of a function without colons.
    case identifier
    /// A function's name with its colons.
    case functionName
    case word(ReservedWord)
    /// A string literal, quotes included.
    case string
    case number
    /// A `$` and a name.
    case variable
    /// A `%` and its conversion, which is the byte.
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
