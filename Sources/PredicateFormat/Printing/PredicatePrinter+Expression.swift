extension PredicatePrinter {
  mutating func print(_ expression: ExpressionTree) {
    switch expression {
    case .constant(let value): print(value)
    case .evaluatedObject: write("SELF")
    case .variable(let name): write("$" + name)
    case .keyPath(let path): print(path)
    case .function(let function): print(function)
    case .set(let operation, let left, let right):
      print(operand: left)
      write(" \(operation.keyword) ")
      print(operand: right)
    case .keyPathSpecifier(let path): print(path: path)
    case .symbol(let name): write(name)
    case .subquery(let collection, let variable, let predicate):
      write("SUBQUERY(")
      print(collection)
      write(", $\(variable), ")
      print(predicate)
      write(")")
    case .aggregate(let elements):
      write("{")
      print(list: elements)
      write("}")
    case .anyKey: write("ANYKEY")
    case .conditional(let predicate, let yes, let no):
      write("TERNARY(")
      print(predicate)
      write(", ")
      print(list: [yes, no])
      write(")")
    case .assignment(let variable, let value):
      write("$\(variable) := ")
      print(operand: value)
    case .fetch(let request, let context, let countOnly):
      write("FETCH(")
      print(list: [request, context])
      write(countOnly ? ", YES)" : ", NO)")
    case .block(let block, _): write(block == .tooDeep ? "TOODEEP" : "BLOCK")
    }
  }

  private mutating func print(list: [ExpressionTree]) {
    for (index, element) in list.enumerated() {
      if index > 0 { write(", ") }
      print(element)
    }
  }

  /// Prints an operand of an infix operator, with parentheses around an infix expression.
  private mutating func print(operand: ExpressionTree) {
    operand.isInfix ? print(parenthesized: operand) : print(operand)
  }

  private mutating func print(parenthesized expression: ExpressionTree) {
    write("(")
    print(expression)
    write(")")
  }

  /// Prints the operand of a `.key`, an `[index]` or a `~`.
  private mutating func print(primary: ExpressionTree) {
    switch primary {
    case .variable, .subquery, .conditional, .aggregate, .fetch:
      print(primary)
    case .function(let function) where function.prefixOperator == nil && !primary.isInfix:
      print(primary)
    default:
      print(parenthesized: primary)
    }
  }

  private mutating func print(_ keyPath: ExpressionTree.KeyPath) {
    if keyPath.operand != .evaluatedObject {
      print(primary: keyPath.operand)
      write(".")
    }
    print(path: keyPath.path)
  }

  /// Prints keys joined by dots. A reserved word gets a `#`, and a path that can't be spelled becomes an argument where
  /// possible.
  private mutating func print(path: String) {
    if style == .source, !KeySpelling.isSpellable(path) {
      write(pathArgument: path)
    } else {
      write(KeySpelling.spell(path))
    }
  }

  private mutating func print(_ function: ExpressionTree.Function) {
    let arguments = function.arguments
    guard function.isBuiltIn else {
      write("FUNCTION(")
      print(function.operand)
      write(", \(PredicatePrinter.quote(function.selector, style))")
      for argument in arguments {
        write(", ")
        print(argument)
      }
      write(")")
      return
    }
    if let symbol = function.infixOperator {
      // A negative number before `**` would be parsed as the negation of the power.
      if symbol == "**", arguments[0].isNegativeConstant {
        print(parenthesized: arguments[0])
      } else {
        print(operand: arguments[0])
      }
      write(" \(symbol) ")
      print(operand: arguments[1])
    } else if let symbol = function.prefixOperator {
      write(symbol)
      print(tight: arguments[0])
    } else if function.selector == "objectFrom:withIndex:", arguments.count == 2 {
      print(tight: arguments[0])
      write("[")
      print(arguments[1])
      write("]")
    } else {
      write(function.selector == "castObject:toType:" ? "CAST" : function.selector)
      write("(")
      print(list: arguments)
      write(")")
    }
  }

  /// Prints an expression that binds as tightly as a key path.
  private mutating func print(tight expression: ExpressionTree) {
    switch expression {
    case .keyPath, .evaluatedObject: print(expression)
    case .constant where !expression.isNegativeConstant: print(expression)
    default: print(primary: expression)
    }
  }
}

extension ExpressionTree {
  /// Whether the expression prints as an infix operator with two operands.
  var isInfix: Bool {
    switch self {
    case .set, .assignment: true
    case .function(let function): function.infixOperator != nil
    default: false
    }
  }

  var isNegativeConstant: Bool {
    switch self {
    case .constant(.integer(let value)): value < 0
    case .constant(.double(let value)): value.sign == .minus
    default: false
    }
  }
}

extension ExpressionTree.Function {
  /// The infix operator for this function, if it has one.
  var infixOperator: String? {
    guard isBuiltIn, arguments.count == 2 else { return nil }
    return switch selector {
    case "add:to:": "+"
    case "from:subtract:": "-"
    case "multiply:by:": "*"
    case "divide:by:": "/"
    case "raise:toPower:": "**"
    case "bitwiseAnd:with:": "&"
    case "bitwiseOr:with:": "|"
    case "bitwiseXor:with:": "^"
    case "leftshift:by:": "<<"
    case "rightshift:by:": ">>"
    default: nil
    }
  }

  /// The prefix operator for this function, if it has one.
  var prefixOperator: String? {
    isBuiltIn && arguments.count == 1 && selector == "onesComplement:" ? "~" : nil
  }
}
