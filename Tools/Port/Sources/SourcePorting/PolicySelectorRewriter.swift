import SwiftSyntax

/// The methods of a migration policy that mapping models call by selectors, as in
/// `FUNCTION($entityPolicy, "currencyForNote:", $source.note)`.
///
/// The Objective-C runtime finds them; elsewhere the policy's `value(of:arguments:)` is called, so the class gets one
/// that calls them.
final class PolicySelectorRewriter: SourceVisitor {
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    guard let type = rewriter.index.type(named: node.name.text, in: rewriter.file.module),
      rewriter.index.superclasses(of: type).last?.superclass?.hasSuffix("NSEntityMigrationPolicy")
        == true
    else { return .visitChildren }
    let isVisible = node.attributes.named("objcMembers") != nil
    let cases = node.memberBlock.members
      .compactMap { $0.decl.as(FunctionDeclSyntax.self) }
      .filter { isVisible || $0.attributes.named("objc") != nil }
      .compactMap(Self.call)
    guard !cases.isEmpty else { return .visitChildren }
    guard
      !rewriter.index.declares(
        "value", labels: ["of", "arguments"], in: type.name, of: type.module)
    else {
      rewriter.leave(
        .runtime, node.name,
        "mappings call only the class's own 'value(of:arguments:)' here: call the '@objc' methods there"
      )
      return .visitChildren
    }
    let access = node.modifiers.accessOfOverrides
    rewriter.edits.insert(
      " \(access)override func value(of selector: String, arguments: [Any?]) throws -> Any? { switch selector { "
        + cases.joined(separator: " ")
        + " default: break }; return try super.value(of: selector, arguments: arguments) };",
      at: node.memberBlock.leftBrace.textRange.upperBound)
    rewriter.note(.runtime, node.name)
    return .visitChildren
  }

  /// The case of a `switch` over selectors that calls a method if the arguments have its parameters' types.
  private static func call(_ method: FunctionDeclSyntax) -> String? {
    let effects = method.signature.effectSpecifiers
    guard !method.modifiers.isStatic, !method.modifiers.has("override"),
      method.genericParameterClause == nil, effects?.asyncSpecifier == nil
    else { return nil }
    let parameters = method.signature.parameterClause.parameters.map { $0 }
    let labels = parameters.map { $0.firstName.text == "_" ? nil : $0.firstName.text }
    let selector =
      method.attributes.objectiveCName
      ?? ObjectiveCNames.selector(method.name.plainText, labels: labels)
    var conditions = ["arguments.count == \(parameters.count)"]
    var passed: [String] = []
    for (number, parameter) in parameters.enumerated() {
      let argument = "arguments[\(number)]"
      let value: String
      switch parameter.type.trimmedDescription {
      case "Any?": value = argument
      case let type where type.hasSuffix("?") || type.hasSuffix("!"):
        value = "\(argument) as? \(type.dropLast())"
      case let type:
        value = "argument\(number)"
        conditions.append("let \(value) = \(argument) as? \(type)")
      }
      passed.append((labels[number].map { $0 + ": " } ?? "") + value)
    }
    let word = effects?.throwsClause == nil ? "" : "try "
    let call = "\(word)\(method.name.text)(\(passed.joined(separator: ", ")))"
    let result = method.signature.returnClause?.type.trimmedDescription
    let isVoid = [nil, "Void", "()"].contains(result)
    return "case \(SourceRewriter.literal(selector)): if \(conditions.joined(separator: ", ")) { "
      + (isVoid ? "\(call); return nil" : "return \(call)") + " }"
  }
}
