import SwiftSyntax

/// `@objc` properties that managed classes compute, which key-value coding finds by name on Apple's systems: a transient
/// section name behind `sectionNameKeyPath`, for example.
///
/// The class gets a `value(forKey:)` that reads them.
final class ComputedKeyRewriter: SourceVisitor {
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let type = rewriter.index.type(named: node.name.text, in: rewriter.file.module),
      let keys = rewriter.index.computedKeys[type.name], rewriter.index.isManaged(type),
      !rewriter.index.declares("value", in: type.name)
    else { return .visitChildren }
    let cases = keys.sorted().map {
      "case \(SourceRewriter.literal($0)): return keyValue(of: self.\($0))"
    }
    let access = node.modifiers.has("public") || node.modifiers.has("open") ? "public " : ""
    rewriter.edits.insert(
      " \(access)override func value(forKey key: String) -> Any? { switch key { "
        + cases.joined(separator: " ") + " default: return super.value(forKey: key) } } ",
      at: node.memberBlock.rightBrace.textRange.lowerBound)
    rewriter.needsImport = true
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }
}

extension VariableDeclSyntax {
  /// The name of a property that Objective-C sees and a class computes; nil for other properties.
  var computedKey: String? {
    guard attributes.named("objc") != nil, attributes.named("NSManaged") == nil,
      !modifiers.isStatic,
      !["fileprivate", "override", "private"].contains(where: modifiers.has),
      bindings.count == 1, let binding = bindings.first, let block = binding.accessorBlock,
      let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText
    else { return nil }
    switch block.accessors {
    case .getter: return name
    case .accessors(let accessors):
      return accessors.contains {
        $0.accessorSpecifier.text == "get" && $0.effectSpecifiers == nil
      } ? name : nil
    }
  }
}
