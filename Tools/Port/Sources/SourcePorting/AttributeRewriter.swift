import SwiftSyntax

/// Rewrites attributes that address the Objective-C runtime.
final class AttributeRewriter: SourceVisitor {
  /// The attributes that are removed.
  static let dropped: Set<String> = [
    "objc", "objcMembers", "nonobjc", "NSCopying", "IBAction", "IBOutlet", "IBInspectable",
    "IBDesignable", "IBSegueAction", "GKInspectable",
  ]

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    guard Self.dropped.contains(node.attributeName.trimmedDescription) else {
      return .visitChildren
    }
    rewriter.edits.remove(node.textRange)
    closeExtensionMember(of: node)
    rewriter.note(.objectiveCAttribute, node)
    return .skipChildren
  }

  /// Makes an `open` member `public` if it stands in an extension of another module's class, where Swift lets only
  /// Objective-C's methods be overridden.
  private func closeExtensionMember(of attribute: AttributeSyntax) {
    guard attribute.attributeName.trimmedDescription == "objc",
      let modifiers = attribute.parent?.parent?.asProtocol((any WithModifiersSyntax).self)?
        .modifiers,
      let word = modifiers.first(where: { $0.name.text == "open" }),
      let extended = attribute.parent?.parent?.parent?.parent?.parent?.parent?
        .as(ExtensionDeclSyntax.self),
      rewriter.index.classes[extended.extendedTypeName] == nil,
      !rewriter.index.modelNames.classes.contains(extended.extendedTypeName)
    else { return }
    rewriter.edits.replace(word.name.textRange, with: "public")
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let name = node.attributes.objectiveCName, node.genericParameterClause == nil else {
      return .visitChildren
    }
    var path = [node.name.text]
    for ancestor in node.ancestors {
      if let type = ancestor.as(ClassDeclSyntax.self) { path.append(type.name.text) }
      if let type = ancestor.as(StructDeclSyntax.self) { path.append(type.name.text) }
      if let type = ancestor.as(EnumDeclSyntax.self) { path.append(type.name.text) }
      if let type = ancestor.as(ExtensionDeclSyntax.self) {
        path.append(type.extendedType.trimmedDescription)
      }
      // Local types can't be named elsewhere.
      if ancestor.is(FunctionDeclSyntax.self) || ancestor.is(ClosureExprSyntax.self)
        || ancestor.is(IfConfigClauseSyntax.self)
      {
        return .visitChildren
      }
    }
    guard path.count == 1 || !node.modifiers.has("private") else { return .visitChildren }
    rewriter.namedClasses.append((name, path.reversed().joined(separator: ".")))
    rewriter.needsImport = true
    rewriter.note(.renamedClass, node.name)
    return .visitChildren
  }

  /// Makes stored properties that are visible to Objective-C `final`: a Swift key path only has the name of a
  /// property that can't be overridden.
  override func visit(_ node: VariableDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let attribute = node.attributes.named("objc"),
      node.parent?.parent?.parent?.parent?.is(ClassDeclSyntax.self) == true,
      node.bindings.allSatisfy({ $0.accessorBlock == nil }),
      !["dynamic", "final", "open", "override", "static", "class", "lazy", "weak", "unowned"]
        .contains(where: node.modifiers.has),
      let name = node.bindings.first?.pattern.as(IdentifierPatternSyntax.self),
      node.attributes.named("NSManaged") == nil,
      !rewriter.index.overriddenNames.contains(name.identifier.plainText)
    else { return .visitChildren }
    rewriter.edits.insert("final ", at: attribute.textRange.lowerBound)
    return .visitChildren
  }
}
