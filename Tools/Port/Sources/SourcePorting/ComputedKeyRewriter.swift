import SwiftSyntax

/// `@objc` properties that managed classes compute or store themselves, which key-value coding finds by name on Apple's
/// systems: a transient section name behind `sectionNameKeyPath`, for example.
///
/// The class gets a `value(forKey:)` that reads them.
final class ComputedKeyRewriter: SourceVisitor {
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let type = rewriter.index.type(named: node.name.text, in: rewriter.file.module),
      let keys = rewriter.index.computedKeys[type.name], rewriter.index.isManaged(type),
      !rewriter.index.declares("value", in: type.name)
    else { return .visitChildren }
    let cases = keys.sorted { $0.key < $1.key }.map { key, property in
      "case \(SourceRewriter.literal(key)): return keyValue(of: self.\(property))"
    }
    let access = node.modifiers.accessOfOverrides
    // At the beginning, because the last member may be on the line of the closing brace.
    rewriter.edits.insert(
      " \(access)override func value(forKey key: String) -> Any? { switch key { "
        + cases.joined(separator: " ") + " default: return super.value(forKey: key) } };",
      at: node.memberBlock.leftBrace.textRange.upperBound)
    rewriter.needsImport = true
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }
}

extension VariableDeclSyntax {
  /// The properties declared here that Objective-C sees and that a class computes or stores itself, by their keys.
  var computedKeys: [String: String] {
    guard attributes.named("objc") != nil, attributes.named("NSManaged") == nil,
      // The class's `value(forKey:)` belongs to no actor.
      attributes.named("MainActor") == nil, !modifiers.isStatic,
      !["fileprivate", "override", "private"].contains(where: modifiers.has),
      // Only some systems have the property.
      !isConditionalOnSystem
    else { return [:] }
    let names = bindings.filter(\.isReadable).compactMap {
      $0.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText
    }
    return Dictionary(names.map { (attributes.objectiveCName ?? $0, $0) }) { first, _ in first }
  }
}

extension PatternBindingSyntax {
  /// Whether reading the property needs no `try` or `await`.
  fileprivate var isReadable: Bool {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return true }
    return accessors.allSatisfy {
      $0.accessorSpecifier.text != "get" || $0.effectSpecifiers == nil
    }
  }
}
