import DataModels
import Foundation
import PredicateFormat

/// Functions in expressions.
extension PredicateSQL {
  /// A built-in function for which SQL gives the same result as evaluation in memory; nil for others.
  func function(_ function: ExpressionTree.Function, _ scope: SQLScope<Row>) -> SQLOperand? {
    guard function.isBuiltIn else { return nil }
    let arguments = function.arguments
    switch arguments.count {
    case 0:
      return function.selector == "now" ? SQLOperand("NSCoreDataNow()", .date) : nil
    case 1: return unary(function.selector, of: arguments[0], in: scope)
    case 2: return binary(function.selector, first: arguments[0], second: arguments[1], in: scope)
    default: return nil
    }
  }

  private func unary(
    _ selector: String, of argument: ExpressionTree, in scope: SQLScope<Row>
  ) -> SQLOperand? {
    switch selector {
    case "noindex:": return operand(argument, scope)
    case "count:", "sum:", "average:", "min:", "max:":
      return overCollection(selector, argument: argument, in: scope)
    default: break
    }
    guard let value = operand(argument, scope) else { return nil }
    switch (selector, value.type) {
    case ("uppercase:", .text): return SQLOperand("NSCoreDataToUpper(\(value.sql))", .text)
    case ("lowercase:", .text): return SQLOperand("NSCoreDataToLower(\(value.sql))", .text)
    case ("canonical:", .text): return SQLOperand("NSCoreDataCanonical(\(value.sql))", .text)
    case ("length:", .text): return SQLOperand("MomKitLength(\(value.sql))", .integer)
    case ("abs:", .real): return SQLOperand("abs(\(value.sql))", .real)
    // The least integer has no positive counterpart; SQLite's abs() fails for it, while 0 - x gives a double.
    case ("abs:", .integer):
      return SQLOperand("max(\(value.sql), 0 - \(value.sql))", .integer)
    case ("onesComplement:", .integer): return SQLOperand("(~\(value.sql))", .integer)
    case ("floor:", .integer), ("ceiling:", .integer), ("trunc:", .integer): return value
    default: return nil
    }
  }

  private func binary(
    _ selector: String, first: ExpressionTree, second: ExpressionTree, in scope: SQLScope<Row>
  ) -> SQLOperand? {
    guard let left = operand(first, scope), let right = operand(second, scope),
      let type = Self.resultType(of: selector, left: left.type, right: right.type)
    else { return nil }
    let symbol: String
    switch selector {
    case "add:to:": symbol = "+"
    case "from:subtract:": symbol = "-"
    case "multiply:by:": symbol = "*"
    case "divide:by:" where type == .real:
      // A date of whole seconds is stored as an integer, and so is what is computed from it.
      return SQLOperand("(CAST(\(left.sql) AS REAL) / \(right.sql))", type)
    case "divide:by:": symbol = "/"
    case "modulus:by:" where type == .integer: symbol = "%"
    case "bitwiseAnd:with:" where type == .integer: symbol = "&"
    case "bitwiseOr:with:" where type == .integer: symbol = "|"
    case "bitwiseXor:with:" where type == .integer:
      let (a, b) = (left.sql, right.sql)
      return SQLOperand("((\(a) | \(b)) - (\(a) & \(b)))", .integer)
    default: return nil
    }
    return SQLOperand("(\(left.sql) \(symbol) \(right.sql))", type)
  }

  /// The result type of arithmetic with two numbers; nil for decimals, whose digits doubles can't represent. A date
  /// and seconds give a date; two dates give the seconds between them.
  private static func resultType(
    of selector: String, left: SQLOperand.ValueType, right: SQLOperand.ValueType
  ) -> SQLOperand.ValueType? {
    guard left.isComputed, right.isComputed, left != .decimal, right != .decimal else { return nil }
    if left == .date || right == .date {
      let isDate =
        left != right
        && (selector == "add:to:" || selector == "from:subtract:" && left == .date)
      return isDate ? .date : .real
    }
    return left == .real || right == .real ? .real : .integer
  }

  /// `count:(items)`, `sum:(items.price)`.
  private func overCollection(
    _ selector: String, argument: ExpressionTree, in scope: SQLScope<Row>
  ) -> SQLOperand? {
    guard let rows = rows(argument, scope) else { return nil }
    if rows.rest.isEmpty {
      return selector == "count:" ? count(rows) : nil
    }
    guard let value = path(rows.rest[...], row: rows.row) else { return nil }
    switch selector {
    case "min:", "max:":
      return aggregate(String(selector.dropLast()), of: value, from: "FROM \(source(rows))")
    default: break
    }
    // The values of a set's objects form a set: duplicates count once.
    let distinct = rows.keepsDuplicates ? "" : "DISTINCT "
    let values = "FROM (SELECT \(distinct)\(value.sql) AS v FROM \(source(rows)))"
    switch selector {
    case "count:": return SQLOperand("(SELECT count(*) \(values))", .integer)
    case "sum:": return aggregate("sum", of: SQLOperand("v", value.type), from: values)
    default: return aggregate("avg", of: SQLOperand("v", value.type), from: values)
    }
  }

  // MARK: Values of attributes

  /// An expression as a value for an attribute of some type; nil if SQL can't compute it.
  func assignment(_ tree: ExpressionTree, to type: NSAttributeType) -> String? {
    guard let value = operand(tree, scope) ?? computed(tree, type) else { return nil }
    return type.assigned(value.sql, value.type)
  }

  /// An expression as a call of ``SQLEvaluator``.
  private func computed(_ tree: ExpressionTree, _ type: NSAttributeType) -> SQLOperand? {
    guard let valueType = type.operandType else { return nil }
    return attempt {
      var lift = OperandExtraction(self, scope)
      guard let lifted = lift.expression(tree) else { return nil }
      let number = engine.evaluator.number(of: lifted, lift.types)
      return SQLOperand(
        "\(SQLEvaluator.expressionName)(\(lift.arguments(bind(.integer(number)))))", valueType)
    }
  }
}
