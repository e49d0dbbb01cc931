import SwiftSyntax

/// `person.cars = [car]` of a property that is an `NSSet`: elsewhere than on Apple's systems Foundation's sets aren't
/// made of literals.
final class SetLiteralRewriter: SourceVisitor {
  private static let sets: Set<String> = [
    "NSMutableOrderedSet", "NSMutableSet", "NSOrderedSet", "NSSet",
  ]

  override func visit(_ node: InfixOperatorExprSyntax) -> SyntaxVisitorContinueKind {
    let name =
      node.leftOperand.as(MemberAccessExprSyntax.self)?.declName.baseName
      ?? node.leftOperand.as(DeclReferenceExprSyntax.self)?.baseName
    // Another class's property of that name may be of another type.
    guard node.operator.is(AssignmentExprSyntax.self), let name,
      let literal = node.rightOperand.as(ArrayExprSyntax.self),
      let types = rewriter.index.managedTypes[name.plainText], types.count == 1,
      let type = types.first, Self.sets.contains(type)
    else { return .visitChildren }
    rewriter.edits.insert("\(type)(array: ", at: literal.textRange.lowerBound)
    rewriter.edits.insert(")", at: literal.textRange.upperBound)
    rewriter.note(.setLiteral, node)
    return .visitChildren
  }
}
