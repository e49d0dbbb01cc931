import SwiftSyntax

/// Subclasses of `ValueTransformer`, which is made by a class that only the running program knows: elsewhere than on
/// Apple's systems Swift asks such classes for the initializer without arguments.
final class TransformerRewriter: SourceVisitor {
  private static let superclasses: Set<String> = [
    "Foundation.ValueTransformer", "NSSecureUnarchiveFromDataTransformer", "ValueTransformer",
  ]

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let first = node.inheritanceClause?.inheritedTypes.first?.type.trimmedDescription,
      Self.superclasses.contains(first)
    else { return .visitChildren }
    let initializers = node.memberBlock.members.compactMap {
      $0.decl.as(InitializerDeclSyntax.self)
    }
    let plain = initializers.first { $0.signature.parameterClause.parameters.isEmpty }
    if let plain {
      guard let word = plain.modifiers.first(where: { $0.name.text == "override" }) else {
        return .visitChildren
      }
      rewriter.edits.replace(word.textRange, with: "required")
    } else if initializers.contains(where: { !$0.modifiers.has("convenience") }) {
      let access = node.modifiers.has("public") || node.modifiers.has("open") ? "public " : ""
      rewriter.edits.insert(
        "\(access)required init() { preconditionFailure(\"\(node.name.text).init()\") } ",
        at: node.memberBlock.rightBrace.textRange.lowerBound)
    } else {
      return .visitChildren
    }
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }
}
