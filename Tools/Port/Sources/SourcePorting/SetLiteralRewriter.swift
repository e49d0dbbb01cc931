import SwiftSyntax

/// Rewrites `person.cars = [car]`, where the property is an `NSSet`, and likewise `person.cars == []`, `person.cars
/// ?? []` and `person.addToCars([car])`: on other platforms, Foundation's sets can't be initialized from literals.
final class SetLiteralRewriter: SourceVisitor {
  private static let sets: Set<String> = [
    "NSMutableOrderedSet", "NSMutableSet", "NSOrderedSet", "NSSet",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let name = node.operator.as(BinaryOperatorExprSyntax.self)?.operator.text ?? ""
    guard node.operator.is(AssignmentExprSyntax.self) || ["??", "==", "!="].contains(name),
      let literal = node.rightOperand.as(ArrayExprSyntax.self),
      let type = type(of: node.leftOperand), Self.sets.contains(type)
    else { return .visitChildren }
    make(type, of: literal)
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    let name =
      node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName
      ?? node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName
    guard let name, node.arguments.count == 1, let argument = node.arguments.first,
      argument.label == nil, let literal = argument.expression.as(ArrayExprSyntax.self)
    else { return .visitChildren }
    let types = (rewriter.index.methods[name.text] ?? []).map(\.parameters).filter {
      $0.count == 1 && $0[0].label == nil
    }.map { $0[0].type }
    // Methods that take Swift's collections accept literals.
    let takers = (rewriter.index.modelNames.generatedTakers[name.text] ?? []).union(
      types.filter {
        Self.sets.contains($0) || $0.hasPrefix("[") || $0.hasPrefix("Set<")
          || $0.hasPrefix("Array<")
      })
    guard takers.count == 1, let type = takers.first, Self.sets.contains(type) else {
      return .visitChildren
    }
    make(type, of: literal)
    return .visitChildren
  }

  private func make(_ type: String, of literal: ArrayExprSyntax) {
    rewriter.edits.insert("\(type)(array: ", at: literal.textRange.lowerBound)
    rewriter.edits.insert(")", at: literal.textRange.upperBound)
    rewriter.note(.setLiteral, literal)
  }

  /// Returns the type that an expression is cast to, or that of the property it names.
  private func type(of expression: ExprSyntax) -> String? {
    if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first
    {
      return type(of: element.expression)
    }
    if let cast = expression.as(AsExprSyntax.self) {
      return cast.type.trimmedDescription.filter { !"?!".contains($0) }
    }
    let name =
      expression.as(MemberAccessExprSyntax.self)?.declName.baseName
      ?? expression.as(DeclReferenceExprSyntax.self)?.baseName
    // Another class's property of the same name may have another type.
    guard let name, let types = rewriter.index.managedTypes[name.plainText], types.count == 1 else {
      return nil
    }
    return types.first
  }
}
