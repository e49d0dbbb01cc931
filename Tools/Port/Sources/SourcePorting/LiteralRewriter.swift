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

  /// Returns the keys by the names that Objective-C knows, without the type at the beginning.
  private func keyPath(_ expression: ExprSyntax) -> String {
    let (index, module) = (rewriter.index, rewriter.file.module)
    var parts = expression.trimmedDescription.filter { !$0.isWhitespace && !"`?!".contains($0) }
      .split(separator: ".").map(String.init)
    let enclosing = expression.enclosingTypeName
    var type = enclosing
    while parts.count > 1, let first = parts.first, isType(first) {
      // A property may have an uppercase name, such as `URL`.
      if let type, index.hasProperty(first, in: type, of: module) { break }
      parts.removeFirst()
      type = first == "Self" || first == "self" ? enclosing : first
    }
    for (number, part) in parts.enumerated() {
      guard let owner = type else { break }
      let property = index.property(part, of: owner, in: module)
      if let key = property.key { parts[number] = key }
      type = property.type
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
          name.baseName.plainText,
          labels: labels ?? method?.parameters.map(\.label)
            ?? Self.labels(ofForeign: name.baseName.plainText)))
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

  /// Returns the labels of a method that the package doesn't declare, if its name is written without them:
  /// Foundation's comparisons have one argument.
  private static func labels(ofForeign method: String) -> [String?] {
    comparisons.contains(method) ? [nil] : []
  }

  private static let comparisons: Set<String> = [
    "caseInsensitiveCompare", "compare", "localizedCaseInsensitiveCompare", "localizedCompare",
    "localizedStandardCompare",
  ]

  /// Returns the selector of a property's getter or setter.
  private func selector(of property: ExprSyntax, _ accessor: String) -> String {
    let key = keyPath(property).split(separator: ".").last.map(String.init) ?? ""
    let name = accessor == "setter" ? "set\(key.withCapitalInitial):" : key
    return "Selector(\(SourceRewriter.literal(name)))"
  }
}
