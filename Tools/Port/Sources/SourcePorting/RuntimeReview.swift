import SwiftSyntax

/// Looks for what can't be rewritten, and says what to do about it.
final class RuntimeReview: SourceVisitor {
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      let labels = node.arguments.map { $0.label?.text }
      if name == "observeValue", member.base?.is(SuperExprSyntax.self) == true {
        rewriter.edits.replace(node.textRange, with: "()")
      }
      if name == "addObserver", labels.contains("forKeyPath") {
        rewriter.leave(
          .observing, node,
          "managed objects can be observed by key path; another class must post a notification instead"
        )
      }
      if name == "observe",
        let path = node.arguments.first?.expression.as(KeyPathExprSyntax.self), !isObservable(path)
      {
        rewriter.leave(
          .observing, node,
          "managed objects and Progress can be observed; another class must tell of changes itself")
      }
      if name == "perform",
        node.arguments.first?.expression.is(MacroExpansionExprSyntax.self) == true
      {
        rewriter.leave(.runtime, node, "call the method itself")
      }
    }
    if let function = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      function.hasPrefix("objc_") || function.hasPrefix("class_") || function.hasPrefix("method_")
    {
      rewriter.leave(.runtime, node, "there is no Objective-C runtime here")
    }
    return .visitChildren
  }

  /// Whether a key path is surely one that can be observed here: of `Progress`, of a migration, or of a managed class of
  /// the package.
  private func isObservable(_ path: KeyPathExprSyntax) -> Bool {
    guard
      let name = path.components.last?.component.as(KeyPathPropertyComponentSyntax.self)?.declName
        .baseName.plainText
    else { return false }
    return Self.observable.contains(name) || rewriter.index.isOfManagedClass(name)
  }

  private static let observable: Set<String> = [
    "completedUnitCount", "fractionCompleted", "isCancelled", "isFinished", "isIndeterminate",
    "isPaused", "localizedAdditionalDescription", "localizedDescription", "migrationProgress",
    "totalUnitCount",
  ]

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.name.text == "observeValue",
      let word = node.modifiers.first(where: { $0.name.text == "override" }),
      let type = node.enclosingTypeName
    {
      rewriter.edits.remove(word.textRange)
      rewriter.observers.append(type)
      rewriter.needsImport = true
      rewriter.note(.observing, node)
    }
    return .visitChildren
  }

  override func visit(_ node: IdentifierTypeSyntax) -> SyntaxVisitorContinueKind {
    review(node.name)
    return .visitChildren
  }

  override func visit(_ node: DeclReferenceExprSyntax) -> SyntaxVisitorContinueKind {
    review(node.baseName)
    return .visitChildren
  }

  override func visit(_ node: AttributeSyntax) -> SyntaxVisitorContinueKind {
    let name = node.attributeName.trimmedDescription
    if ["FetchRequest", "SectionedFetchRequest"].contains(name) {
      rewriter.leave(.framework, node, "SwiftUI's: fetch with NSFetchedResultsController instead")
    }
    return .visitChildren
  }

  private func review(_ name: TokenSyntax) {
    if name.text.hasPrefix("NSPersistentCloudKit") || name.text.hasPrefix("CKRecord") {
      rewriter.leave(
        .framework, name, "stores don't go through CloudKit here: use NSPersistentContainer")
    }
  }
}
