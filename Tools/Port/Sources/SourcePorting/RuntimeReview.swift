import SwiftSyntax

/// Finds what can't be rewritten, with advice.
final class RuntimeReview: SourceVisitor {
  override func visit(_ node: FunctionCallExprSyntax) -> SyntaxVisitorContinueKind {
    if let member = node.calledExpression.as(MemberAccessExprSyntax.self) {
      let name = member.declName.baseName.text
      if name == "observeValue", member.base?.is(SuperExprSyntax.self) == true {
        rewriter.edits.replace(node.textRange, with: "()")
      }
      if name == "addObserver",
        let path = node.arguments.first(where: { $0.label?.text == "forKeyPath" })?.expression,
        !isObservable(name: path)
      {
        rewriter.leave(
          .observing, node,
          "managed objects, contexts, and '@objc dynamic' properties of the package's classes, can be observed by key path; another "
            + "class must post a notification instead"
        )
      }
      if name == "observe",
        let path = node.arguments.first?.expression.as(KeyPathExprSyntax.self), !isObservable(path)
      {
        rewriter.leave(
          .observing, node,
          "managed objects, contexts, Progress, operations, and '@objc dynamic' properties of the package's classes can be observed; "
            + "other classes must announce changes themselves")
      }
      if name == "addObserver" || name == "observe",
        let options = node.arguments.first(where: { $0.label?.text == "options" }),
        options.expression.trimmedDescription.contains(/\.prior\b/)
      {
        rewriter.leave(
          .observing, options,
          "observers are told once a change is made: '.prior' has no effect here")
      }
    }
    reviewSelectors(of: node)
    let called = node.calledName
    if called == "keyValueObservingExpectation" || called == "XCTKVOExpectation" {
      rewriter.leave(
        .observing, node,
        "XCTest observes nothing here: fulfill an expectation in the closure of 'observe(_:)'")
    }
    if let function = node.calledExpression.as(DeclReferenceExprSyntax.self)?.baseName.text,
      function.hasPrefix("objc_") && !Self.locking.contains(function)
        || function.hasPrefix("class_") || function.hasPrefix("method_")
    {
      rewriter.leave(.runtime, node, "there is no Objective-C runtime here")
    }
    return .visitChildren
  }

  /// Notes calls that would find a method by its selector, now or later.
  private func reviewSelectors(of node: FunctionCallExprSyntax) {
    guard let name = node.calledName else { return }
    let labels = node.arguments.map { $0.label?.text }
    let isOwn = rewriter.index.methods[name]?.contains { $0.parameters.map(\.label) == labels }
    guard isOwn != true else { return }
    if let advice = SelectorCall.advice(on: name, labels: labels.compactMap { $0 }) {
      rewriter.leave(.runtime, node, advice)
    } else if name == "perform",
      node.arguments.first?.expression.is(MacroExpansionExprSyntax.self) == true
    {
      rewriter.leave(.runtime, node, "call the method itself")
    }
  }

  /// Whether a key path is known to be observable here: one of a context, of `Progress`, of a migration, or of a
  /// managed object class of the package.
  private func isObservable(_ path: KeyPathExprSyntax) -> Bool {
    guard
      let name = path.components.last?.component.as(KeyPathPropertyComponentSyntax.self)?.declName
        .baseName.plainText
    else { return false }
    return isObservable(name)
  }

  /// Whether a key path string, from `#keyPath` or a literal, is known to be observable here.
  private func isObservable(name path: ExprSyntax) -> Bool {
    let text =
      path.as(MacroExpansionExprSyntax.self)?.arguments.first?.expression.trimmedDescription
      ?? path.as(StringLiteralExprSyntax.self)?.representedLiteralValue
    return text?.split(separator: ".").last.map { isObservable(String($0)) } ?? false
  }

  private func isObservable(_ name: String) -> Bool {
    Self.observable.contains(name) || rewriter.index.isOfManagedClass(name)
      || rewriter.index.isDynamic(name)
  }

  /// The runtime functions that the module provides.
  private static let locking: Set<String> = ["objc_sync_enter", "objc_sync_exit"]

  private static let observable: Set<String> = [
    "completedUnitCount", "deletedObjects", "fractionCompleted", "hasChanges", "insertedObjects",
    "isCancelled", "isFinished", "isIndeterminate", "isPaused", "localizedAdditionalDescription",
    "localizedDescription", "migrationProgress", "totalUnitCount", "updatedObjects",
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

  /// What Foundation has only on Apple's platforms, and the alternatives.
  private static let lacking = [
    "NSFileCoordinator": "read and write files themselves",
    "NSMetadataQuery": "list the folder",
    "NSPointerArray": "use an array of weak references",
    "NSProxy": "implement the forwarded methods",
    "NSUbiquitousKeyValueStore": "use UserDefaults",
  ]

  private func review(_ name: TokenSyntax) {
    if name.text == "NSPersistentCloudKitContainer" {
      rewriter.leave(
        .framework, name,
        "stores don't sync with iCloud here: this container's objects stay on this system"
      )
    } else if name.text.hasPrefix("CKRecord") {
      rewriter.leave(.framework, name, "there are no CloudKit records here")
    } else if let advice = Self.lacking[name.text], !rewriter.index.typeNames.contains(name.text) {
      rewriter.leave(.framework, name, "Foundation has no \(name.text) here: \(advice)")
    }
  }
}
