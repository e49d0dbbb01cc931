import SwiftSyntax

/// Rewrites optional requirements of Objective-C protocols.
///
/// Requirements without a result get a default implementation in an extension, and their calls lose the question
/// mark. Each requirement with a result gets a protocol of its own, adopted by those of the package's types that
/// implement it; its calls cast to that protocol.
final class OptionalRequirementRewriter: SourceVisitor {
  override func visit(_ node: ProtocolDeclSyntax) -> SyntaxVisitorContinueKind {
    guard node.attributes.named("objc") != nil else { return .visitChildren }
    bindToClasses(node)
    let access = node.modifiers.has("public") ? "public " : ""
    let isolation = node.attributes.named("MainActor") == nil ? "" : "@MainActor "
    var bodies: [String] = []
    for member in node.memberBlock.members {
      let function = member.decl.as(FunctionDeclSyntax.self)
      guard
        let word = (function?.modifiers ?? member.decl.as(VariableDeclSyntax.self)?.modifiers)?
          .first(where: { $0.name.text == "optional" })
      else { continue }
      guard let function else {
        rewriter.edits.remove(word.textRange)
        rewriter.leave(
          .runtime, word,
          "properties can't be optional requirements here: implement this one in an extension of the protocol"
        )
        continue
      }
      if function.isDoneInSilence {
        rewriter.edits.remove(word.textRange)
        rewriter.note(.runtime, function.name)
        bodies.append(text(of: function) + " {}")
      } else if let own = rewriter.index.ownProtocol(of: function.requirement) {
        rewriter.note(.runtime, function.name)
        // With the semicolon that separates it from what follows on its line.
        _ = rewriter.edits.extract(member.textRange)
        rewriter.appended.append(
          "\(isolation)\(access)protocol \(own.name): AnyObject {\n  \(text(of: function))\n}\n")
      } else {
        rewriter.edits.remove(word.textRange)
        rewriter.leave(
          .runtime, word,
          "several protocols have an optional requirement with this name: implement this one in an extension of the "
            + "protocol, and call it without '?'")
      }
    }
    guard !bodies.isEmpty else { return .visitChildren }
    rewriter.appended.append(
      "\(access)extension \(node.name.text) {\n  \(bodies.joined(separator: "\n  "))\n}\n")
    return .visitChildren
  }

  private func text(of function: FunctionDeclSyntax) -> String {
    var declaration = function
    declaration.attributes = []
    declaration.modifiers = []
    return declaration.trimmedDescription.replacing("\n", with: " ")
  }

  /// Only classes can conform to Objective-C protocols.
  private func bindToClasses(_ node: ProtocolDeclSyntax) {
    guard let inherited = node.inheritanceClause?.inheritedTypes else {
      rewriter.edits.insert(": AnyObject", at: node.name.textRange.upperBound)
      return
    }
    let names = inherited.map { $0.type.trimmedDescription }
    if Set(names).isDisjoint(with: ["AnyObject", "NSObjectProtocol", "class"]),
      let first = inherited.first
    {
      rewriter.edits.insert("AnyObject, ", at: first.type.textRange.lowerBound)
    }
  }

  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    adopt(node.name.text, node.inheritanceClause)
    return .visitChildren
  }

  override func visit(_ node: ExtensionDeclSyntax) -> SyntaxVisitorContinueKind {
    adopt(node.extendedTypeName, node.inheritanceClause)
    return .visitChildren
  }

  /// Makes a type that conforms to a protocol adopt the protocols of the optional requirements it implements.
  private func adopt(_ type: String, _ clause: InheritanceClauseSyntax?) {
    guard let inherited = clause?.inheritedTypes, let last = inherited.last else { return }
    let names = inherited.map { $0.type.trimmedDescription }
    for own in rewriter.index.ownProtocols(of: type, saying: names) {
      rewriter.edits.insert(", \(own)", at: last.type.textRange.upperBound)
    }
  }

  /// Notes methods of a subclass that nothing calls: its superclass, which conforms to the protocol, doesn't have them.
  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    guard Requirement.ofCoreData.contains(node.requirement), !node.modifiers.has("override"),
      let name = node.enclosingTypeName,
      let type = rewriter.index.type(named: name, in: rewriter.file.module),
      let delegate = rewriter.index.delegateSuperclass(of: type, lacking: node.requirement)
    else { return .visitChildren }
    rewriter.leave(
      .runtime, node,
      "nothing calls it here: write an empty '\(node.name.text)' in '\(delegate)', which is the delegate, and override it"
    )
    return .visitChildren
  }

  /// Rewrites `delegate?.didSave?(store)`.
  override func visit(_ node: OptionalChainingExprSyntax) -> SyntaxVisitorContinueKind {
    guard let call = node.parent?.as(FunctionCallExprSyntax.self),
      call.calledExpression.id == node.id,
      let member = node.expression.as(MemberAccessExprSyntax.self), let base = member.base
    else { return .visitChildren }
    let requirement = rewriter.index.optionalRequirement(
      member.declName.baseName.plainText, labels: call.arguments.map { $0.label?.text },
      trailingClosures: call.trailingClosure == nil
        ? 0 : 1 + call.additionalTrailingClosures.count)
    guard let requirement else { return .visitChildren }
    rewriter.edits.replace(node.questionMark.textRange, with: "")
    if let own = rewriter.index.ownProtocol(of: requirement) {
      let chain = base.as(OptionalChainingExprSyntax.self)
      rewriter.edits.insert("(", at: base.textRange.lowerBound)
      if let chain { rewriter.edits.replace(chain.questionMark.textRange, with: "") }
      rewriter.edits.insert(" as? any \(own.name))?", at: base.textRange.upperBound)
    }
    rewriter.note(.runtime, node)
    return .visitChildren
  }
}

/// A method as named in a call.
struct Requirement: Hashable {
  var name: String
  var labels: [String?]

  /// The optional requirements of Core Data's protocols, which have default implementations here.
  static let ofCoreData: Set<Requirement> = [
    Requirement(name: "controllerWillChangeContent", labels: [nil]),
    Requirement(name: "controllerDidChangeContent", labels: [nil]),
    Requirement(name: "controller", labels: [nil, "didChange", "at", "for", "newIndexPath"]),
    Requirement(name: "controller", labels: [nil, "didChange", "atSectionIndex", "for"]),
    Requirement(name: "controller", labels: [nil, "didChangeContentWith"]),
    Requirement(name: "controller", labels: [nil, "sectionIndexTitleForSectionName"]),
  ]
}

extension FunctionDeclSyntax {
  /// Whether an empty implementation can stand in for this method.
  var isDoneInSilence: Bool {
    guard let result = signature.returnClause?.type.trimmedDescription else { return true }
    return result == "Void" || result == "()"
  }

  /// How calls refer to it.
  var requirement: Requirement {
    Requirement(
      name: name.plainText,
      labels: signature.parameterClause.parameters.map {
        $0.firstName.text == "_" ? nil : $0.firstName.text
      })
  }
}
