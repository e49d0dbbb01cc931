import SwiftSyntax

/// Rewrites `#keyPath` and `#selector`.
final class LiteralRewriter: SourceVisitor {
  override func visit(_ node: MacroExpansionExprSyntax) -> SyntaxVisitorContinueKind {
    switch node.macroName.text {
    case "keyPath":
      guard let argument = node.arguments.first?.expression else { return .visitChildren }
      rewriter.edits.replace(node.textRange, with: SourceRewriter.literal(keyPath(argument)))
      rewriter.note(.keyPath, node)
      return .skipChildren
    case "selector":
      guard let argument = node.arguments.first else { return .visitChildren }
      rewriter.edits.replace(node.textRange, with: selector(argument))
      rewriter.needsImport = true
      rewriter.note(.selector, node)
      return .skipChildren
    default:
      return .visitChildren
    }
  }

  // MARK: Key paths

  /// Returns the keys, without the type at the beginning.
  private func keyPath(_ expression: ExprSyntax) -> String {
    var parts = expression.trimmedDescription.filter { !$0.isWhitespace && !"`?!".contains($0) }
      .split(separator: ".").map(String.init)
    var type: String?
    while parts.count > 1, let first = parts.first, isType(first) { type = parts.removeFirst() }
    type = type == nil || type == "Self" || type == "self" ? expression.enclosingTypeName : type
    if let first = parts.first, let type,
      let name = rewriter.index.propertyNames["\(type).\(first)"]
    {
      parts[0] = name
    }
    return parts.joined(separator: ".")
  }

  private func isType(_ name: String) -> Bool {
    name == "self" || rewriter.index.typeNames.contains(name) || name.first?.isUppercase == true
  }

  // MARK: Selectors

  /// Returns a selector that can call its method, if the package declares it.
  private func selector(_ argument: LabeledExprSyntax) -> String {
    let expression = argument.expression
    if let accessor = argument.label?.text { return selector(of: expression, accessor) }
    let member = expression.as(MemberAccessExprSyntax.self)
    guard let name = member?.declName ?? expression.as(DeclReferenceExprSyntax.self) else {
      return "Selector(\(SourceRewriter.literal(expression.trimmedDescription)))"
    }
    let labels = name.argumentNames?.arguments.map { $0.name.text == "_" ? nil : $0.name.text }
    let base = member?.base?.trimmedDescription
    let isType = base.map { $0.first?.isUppercase == true } ?? false
    let type = isType ? base : expression.enclosingTypeName
    let method = rewriter.index.method(
      name.baseName.plainText, labels: labels,
      in: type?.split(separator: ".").last.map(String.init))
    let text = SourceRewriter.literal(
      method?.objectiveCName
        ?? ObjectiveCNames.selector(
          name.baseName.plainText, labels: labels ?? method?.parameters.map(\.label) ?? []))
    guard let method, !method.isStatic, method.parameters.count < 2,
      let type = isType ? base : method.type
    else { return "Selector(\(text))" }
    let call = "\(method.hasResult ? "_ = " : "")object.\(name.baseName.text)"
    guard let parameter = method.parameters.first else {
      return "Selector(\(text), calls: { (object: \(type)) in \(call)() })"
    }
    let label = parameter.label.map { "\($0): " } ?? ""
    return "Selector(\(text), calls: { (object: \(type), argument: \(parameter.type)) in "
      + "\(call)(\(label)argument) })"
  }

  /// Returns the selector of a property's getter or setter.
  private func selector(of property: ExprSyntax, _ accessor: String) -> String {
    let key = keyPath(property).split(separator: ".").last.map(String.init) ?? ""
    let name = accessor == "setter" ? "set\(key.withCapitalInitial):" : key
    return "Selector(\(SourceRewriter.literal(name)))"
  }
}
