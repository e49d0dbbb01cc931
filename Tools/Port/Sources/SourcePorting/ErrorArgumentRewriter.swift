import SwiftSyntax

/// Rewrites `error as CVarArg`, as passed to `NSLog` and to predicate formats: with the Objective-C runtime any error
/// is an object, and elsewhere `any Error` conforms to nothing else.
///
/// The types of expressions aren't known here, but the names of errors are customary.
final class ErrorArgumentRewriter: SourceVisitor {
  private static let types: Set<String> = ["CVarArg", "any CVarArg", "(any CVarArg)"]
  private static let names: Set<String> = ["e", "err"]

  override func visit(_ node: AsExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.questionOrExclamationMark?.text != "?",
      Self.types.contains(node.type.trimmedDescription), isError(node.expression)
    else { return .visitChildren }
    let end = node.expression.textRange.upperBound
    rewriter.edits.insert("objectArgument(", at: node.expression.textRange.lowerBound)
    rewriter.edits.replace(end..<node.textRange.upperBound, with: ")")
    rewriter.needsImport = true
    rewriter.note(.runtime, node)
    return .visitChildren
  }

  /// Whether an expression is an error, judging by its name, or by where the name is bound.
  private func isError(_ expression: ExprSyntax) -> Bool {
    if let tuple = expression.as(TupleExprSyntax.self), tuple.elements.count == 1,
      let element = tuple.elements.first
    {
      return isError(element.expression)
    }
    if let unwrapped = expression.as(ForceUnwrapExprSyntax.self) {
      return isError(unwrapped.expression)
    }
    let token =
      expression.as(MemberAccessExprSyntax.self)?.declName.baseName
      ?? expression.as(DeclReferenceExprSyntax.self)?.baseName
    guard let name = token?.plainText else { return false }
    return name.lowercased().hasSuffix("error") || Self.names.contains(name)
      || expression.is(DeclReferenceExprSyntax.self) && isBoundToError(name, around: expression)
  }

  /// Whether `catch let name` or `case .failure(let name)` encloses an expression.
  private func isBoundToError(_ name: String, around expression: ExprSyntax) -> Bool {
    expression.ancestors.contains { node in
      if let clause = node.as(CatchClauseSyntax.self) { return clause.catchItems.binds(name) }
      guard let label = node.as(SwitchCaseSyntax.self)?.label.as(SwitchCaseLabelSyntax.self) else {
        return false
      }
      return label.trimmedDescription.contains(".failure(") && label.caseItems.binds(name)
    }
  }
}

extension SyntaxProtocol {
  /// Whether this is a pattern that binds a name, or contains one.
  fileprivate func binds(_ name: String) -> Bool {
    if let pattern = self.as(IdentifierPatternSyntax.self) {
      return pattern.identifier.plainText == name
    }
    return children(viewMode: .sourceAccurate).contains { $0.binds(name) }
  }
}
