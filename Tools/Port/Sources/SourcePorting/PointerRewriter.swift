import SwiftSyntax

/// `AutoreleasingUnsafeMutablePointer(&value)`, as values are passed to `validateValue(_:forKey:)`.
///
/// On Apple's systems the pointer stays valid for as long as the variable exists. Elsewhere a pointer initialized with
/// `&value` is valid only until the initializer returns, so the variable itself is passed wherever the pointer was.
final class PointerRewriter: SourceVisitor {
  private static let name = "AutoreleasingUnsafeMutablePointer"

  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    guard let variable = Self.variable(of: node) else { return .visitChildren }
    if node.isArgumentOfCall {
      rewriter.edits.replace(node.textRange, with: "&\(variable)")
      rewriter.note(.runtime, node)
    } else if let declaration = Self.constant(initializedWith: node),
      let uses = PointerUses(of: declaration, in: variable)
    {
      for (range, text) in uses.replacements { rewriter.edits.replace(range, with: text) }
      rewriter.edits.replace(declaration.textRange, with: "")
      rewriter.note(.runtime, node)
    } else {
      rewriter.leave(
        .runtime, node,
        "the pointer is valid only until the initializer returns: pass '&\(variable)' where the pointer is used"
      )
    }
    return .skipChildren
  }

  /// The `value` of `AutoreleasingUnsafeMutablePointer<AnyObject?>(&value)`.
  private static func variable(of node: FunctionCallExprSyntax) -> String? {
    let called =
      node.calledExpression.as(GenericSpecializationExprSyntax.self)?.expression
      ?? node.calledExpression
    guard called.as(DeclReferenceExprSyntax.self)?.baseName.text == name,
      node.arguments.count == 1,
      let argument = node.arguments.first?.expression.as(InOutExprSyntax.self)
    else { return nil }
    return argument.expression.trimmedDescription
  }

  /// The declaration of `let pointer = …`, if it declares nothing else.
  private static func constant(
    initializedWith node: FunctionCallExprSyntax
  ) -> VariableDeclSyntax? {
    guard let binding = node.parent?.parent?.as(PatternBindingSyntax.self),
      let declaration = binding.parent?.parent?.as(VariableDeclSyntax.self),
      declaration.bindings.count == 1, declaration.bindingSpecifier.text == "let",
      declaration.parent?.parent?.is(CodeBlockItemSyntax.self) == true
        || declaration.parent?.is(CodeBlockItemSyntax.self) == true
    else { return nil }
    return declaration
  }
}

/// The uses of a pointer to a variable in the rest of its scope, and the same for the variable.
private final class PointerUses: SyntaxVisitor {
  private let name: String
  private let variable: String
  private let end: Int
  private var isComplete = true
  private(set) var replacements: [(range: Range<Int>, text: String)] = []

  /// Nil if the pointer is used in another way than as an argument or for its pointee.
  init?(of declaration: VariableDeclSyntax, in variable: String) {
    guard
      let pattern = declaration.bindings.first?.pattern.as(IdentifierPatternSyntax.self),
      let scope = declaration.ancestors.first(where: { $0.is(CodeBlockItemListSyntax.self) })
    else { return nil }
    name = pattern.identifier.text
    self.variable = variable
    end = declaration.textRange.upperBound
    super.init(viewMode: .sourceAccurate)
    walk(scope)
    if !isComplete { return nil }
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    guard node.baseName.text == name, node.textRange.lowerBound >= end else {
      return .visitChildren
    }
    if let member = node.parent?.as(MemberAccessExprSyntax.self), member.base?.id == node.id,
      member.declName.baseName.text == "pointee"
    {
      replacements.append((member.textRange, variable))
    } else if node.isArgumentOfCall {
      replacements.append((node.textRange, "&\(variable)"))
    } else if node.parent?.as(MemberAccessExprSyntax.self)?.declName.id != node.id {
      isComplete = false
    }
    return .visitChildren
  }
}

extension ExprSyntaxProtocol {
  /// Whether this is one of a call's arguments as a whole.
  fileprivate var isArgumentOfCall: Bool {
    parent?.is(LabeledExprSyntax.self) == true
      && parent?.parent?.parent?.is(FunctionCallExprSyntax.self) == true
  }
}
