import SwiftSyntax

/// Members of extensions that override others, or are overridden: Swift's own members can do so in the body of
/// a class only.
final class OverrideFinder: SourceVisitor {
  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    for member in node.memberBlock.members {
      guard let (modifiers, attributes, name) = parts(of: member.decl) else { continue }
      let isOverride = modifiers.has("override")
      guard
        isOverride
          || attributes.named("objc") != nil && rewriter.index.overriddenNames.contains(name)
      else { continue }
      guard
        let type = rewriter.index.type(
          named: node.extendedTypeName, in: rewriter.file.module),
        node.genericWhereClause == nil
      else {
        if isOverride {
          rewriter.leave(
            .extensionOverride, member,
            "'\(name)' of a class of another module can't be overridden in an extension")
        }
        continue
      }
      rewriter.moves.append(
        MovedMember(range: member.textRange, line: rewriter.file.line(of: member), type: type))
      rewriter.note(.extensionOverride, member)
    }
    return .visitChildren
  }

  private func parts(
    of decl: DeclSyntax
  ) -> (DeclModifierListSyntax, AttributeListSyntax, String)? {
    if let function = decl.as(FunctionDeclSyntax.self) {
      return (function.modifiers, function.attributes, function.name.plainText)
    }
    if let variable = decl.as(VariableDeclSyntax.self),
      let name = variable.bindings.first?.pattern.as(IdentifierPatternSyntax.self)
    {
      return (variable.modifiers, variable.attributes, name.identifier.plainText)
    }
    return nil
  }
}

extension SourceRewriter {
  /// Takes the members that must stand in a class's body out of their extensions, into `rewriters`, the
  /// package's sources by their numbers.
  func moveMembers(into rewriters: [SourceRewriter]) {
    for move in moves {
      let target = rewriters[move.type.file]
      let text = edits.extract(move.range)
      let line = target.file.line(at: move.type.bodyEnd)
      target.edits.insert(
        """

        #sourceLocation(file: \(Self.literal(file.fullPath)), line: \(move.line))
        \(text)
        #sourceLocation(file: \(Self.literal(target.file.fullPath)), line: \(line))

        """, at: move.type.bodyEnd)
    }
  }
}
