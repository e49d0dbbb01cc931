import SwiftSyntax

/// Rewrites subclasses of `ValueTransformer`, which are instantiated through a metatype: on other platforms, Swift
/// requires such classes to redeclare the initializer without arguments, and to restate that they are sendable.
final class TransformerRewriter: SourceVisitor {
  /// Foundation's transformer classes.
  static let superclasses: Set<String> = [
    "Foundation.ValueTransformer", "NSSecureUnarchiveFromDataTransformer", "ValueTransformer",
  ]

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let inherited = node.inheritanceClause?.inheritedTypes, let first = inherited.first?.type,
      let last = inherited.last?.type,
      rewriter.index.isTransformer(node, in: rewriter.file.module)
    else { return .visitChildren }
    if !inherited.contains(where: { $0.type.trimmedDescription.hasSuffix("Sendable") }) {
      rewriter.edits.insert(", @unchecked Sendable", at: last.textRange.upperBound)
    }
    guard Self.superclasses.contains(first.trimmedDescription) else { return .visitChildren }
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
        " \(access)required init() { preconditionFailure(\"\(node.name.text).init()\") };",
        at: node.memberBlock.leftBrace.textRange.upperBound)
    } else {
      return .visitChildren
    }
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }
}
