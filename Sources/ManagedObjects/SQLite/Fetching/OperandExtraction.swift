import PredicateFormat

/// Extracts the operands that SQL can compute from a predicate or an expression, so that the rest can be evaluated
/// with their values as arguments.
struct OperandExtraction {
  private let compiler: PredicateSQL
  private let scope: SQLScope<PredicateSQL.Row>
  private var operands: [SQLOperand] = []

  init(_ compiler: PredicateSQL, _ scope: SQLScope<PredicateSQL.Row>) {
    self.compiler = compiler
    self.scope = scope
  }

  /// The types of the extracted operands.
  var types: [SQLOperand.ValueType] { operands.map(\.type) }

  /// The arguments of the call that evaluates the rest.
  func arguments(_ number: String) -> String {
    ([number] + operands.map(\.sql)).joined(separator: ", ")
  }

  /// The variable that represents an argument.
  static func variable(_ index: Int) -> String { "\u{0}\(index)" }

  mutating func predicate(_ tree: PredicateTree) -> PredicateTree? {
    switch tree {
    case .value: return tree
    case .opaque: return nil
    case .compound(let kind, let members):
      var lifted: [PredicateTree] = []
      for member in members {
        guard let member = predicate(member) else { return nil }
        lifted.append(member)
      }
      return .compound(kind, lifted)
    case .comparison(var comparison):
      guard comparison.modifier == .direct, let left = expression(comparison.left),
        let right = expression(comparison.right)
      else { return nil }
      (comparison.left, comparison.right) = (left, right)
      return .comparison(comparison)
    }
  }

  mutating func expression(_ tree: ExpressionTree) -> ExpressionTree? {
    switch tree {
    case .constant: return tree
    case .function(var function):
      guard function.isBuiltIn, !function.selector.hasPrefix("random") else { return nil }
      if let lifted = operand(tree) { return lifted }
      for index in function.arguments.indices {
        guard let argument = expression(function.arguments[index]) else { return nil }
        function.arguments[index] = argument
      }
      return .function(function)
    case .aggregate(let elements):
      var lifted: [ExpressionTree] = []
      for element in elements {
        guard let element = expression(element) else { return nil }
        lifted.append(element)
      }
      return .aggregate(lifted)
    case .conditional(let condition, let yes, let no):
      guard let condition = predicate(condition), let yes = expression(yes),
        let no = expression(no)
      else { return nil }
      return .conditional(condition, yes, no)
    default: return operand(tree)
    }
  }

  private mutating func operand(_ tree: ExpressionTree) -> ExpressionTree? {
    // Decimals are doubles in SQL: the evaluator restores their exact values.
    guard let operand = compiler.operand(tree, scope), operand.type.isValue else { return nil }
    operands.append(operand)
    return .variable(Self.variable(operands.count - 1))
  }
}
