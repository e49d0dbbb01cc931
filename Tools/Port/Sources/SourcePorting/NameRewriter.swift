import SwiftSyntax

/// Rewrites names that mean something else here.
final class NameRewriter: SourceVisitor {
  /// Names that Foundation has only on Apple's platforms, or that can't be used elsewhere.
  private static let borrowed: Set<String> = [
    "NSComparisonPredicate", "NSExpression", "NSValueTransformerName", "UndoManager",
    "ValueTransformer",
  ]

  override func visit(_ node: MemberTypeSyntax) -> SyntaxVisitorContinueKind {
    unqualify(node.baseType, node.name, node)
    return .visitChildren
  }

  override func visit(_ node: MemberAccessExprSyntax) -> SyntaxVisitorContinueKind {
    if let base = node.base { unqualify(base, node.declName.baseName, node) }
    return .visitChildren
  }

  private func unqualify(
    _ module: some SyntaxProtocol, _ name: TokenSyntax, _ node: some SyntaxProtocol
  ) {
    guard module.trimmedDescription == "Foundation", Self.borrowed.contains(name.text) else {
      return
    }
    rewriter.edits.replace(module.textRange, with: "CoreData")
    rewriter.needsImport = true
    rewriter.note(.qualifiedName, node)
  }

  override func visit(_ node: ForceUnwrapExprSyntax) -> SyntaxVisitorContinueKind {
    // Programs have bundle identifiers only on Apple's platforms.
    if node.expression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "bundleIdentifier"
    {
      rewriter.edits.insert("(", at: node.textRange.lowerBound)
      rewriter.edits.replace(
        node.exclamationMark.textRange, with: " ?? ProcessInfo.processInfo.processName)")
      rewriter.note(.bundle, node)
    }
    return .visitChildren
  }

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let label = node.arguments.first?.label, label.text == "forResourcesWithExtension",
      node.calledExpression.as(MemberAccessExprSyntax.self)?.declName.baseName.text == "urls"
    {
      // Foundation's method returns `NSURL`s on other platforms.
      rewriter.edits.replace(label.textRange, with: "ofResourcesWithExtension")
      rewriter.needsImport = true
      rewriter.note(.bundle, node)
    }
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self), node.arguments.isEmpty,
      member.declName.baseName.text == "classForCoder", let base = member.base
    {
      // On a class, this is a method of the Objective-C runtime that returns the class itself.
      rewriter.edits.insert("(", at: base.textRange.lowerBound)
      rewriter.edits.replace(
        base.textRange.upperBound..<node.textRange.upperBound, with: " as AnyClass)")
      rewriter.note(.runtime, node)
    }
    waitWithoutTimeout(node)
    guard rewriter.options.hasResources, node.calledExpression.trimmedDescription == "Bundle",
      node.arguments.count == 1, node.arguments.first?.label?.text == "identifier"
    else { return .visitChildren }
    // A package's bundles have no identifiers; the target's own bundle is meant.
    rewriter.edits.insert("Optional(", at: node.textRange.lowerBound)
    rewriter.edits.insert(" ?? Bundle.module)", at: node.textRange.upperBound)
    rewriter.note(.bundle, node)
    return .visitChildren
  }

  /// Rewrites a test's wait without a timeout, which XCTest supports only on Apple's platforms.
  private func waitWithoutTimeout(_ node: FunctionCallExprSyntax) {
    let name = node.calledName
    guard let argument = node.arguments.first,
      name == "wait" && argument.label?.text == "for"
        || name == "fulfillment" && argument.label?.text == "of",
      !node.arguments.contains(where: { $0.label?.text == "timeout" })
    else { return }
    rewriter.edits.insert(", timeout: 86_400", at: argument.expression.textRange.upperBound)
    rewriter.note(.runtime, node)
  }
}
