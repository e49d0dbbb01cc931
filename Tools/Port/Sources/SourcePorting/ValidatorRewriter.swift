import SwiftSyntax

/// Handles validation methods for single properties, such as `validateAge(_:)`, which the Objective-C runtime finds
/// by name: here, the class lists them. An override of the method for all properties is announced, because Swift can't
/// detect it.
final class ValidatorRewriter: SourceVisitor {
  override func visit(_ node: ClassDeclSyntax) -> SyntaxVisitorContinueKind {
    let name = node.name.text
    let validators = rewriter.index.validators(of: name, in: rewriter.file.module)
    guard !validators.isEmpty else { return .visitChildren }
    let entries = validators.flatMap { method in
      let key = method.dropFirst(PackageIndex.validatorPrefix.count)
      // A property name may be capitalized: `validateURL` could refer to "URL".
      return Set([String(key).decapitalized, String(key)]).sorted().map {
        "\(SourceRewriter.literal($0)): PropertyValidator(\(name).\(method))"
      }
    }
    let access = node.modifiers.accessOfOverrides
    rewriter.edits.insert(
      " \(access)override class var propertyValidators: [String: PropertyValidator] { "
        + "super.propertyValidators.merging([\(entries.joined(separator: ", "))]) { $1 } };",
      at: node.memberBlock.leftBrace.textRange.upperBound)
    rewriter.needsImport = true
    rewriter.note(.validator, node.name)
    return .visitChildren
  }

  override func visit(_ node: FunctionDeclSyntax) -> SyntaxVisitorContinueKind {
    if node.isValidatorOverride { announce(node) }
    guard node.isPropertyValidator, let type = node.enclosingTypeName,
      rewriter.index.type(named: type, in: rewriter.file.module) == nil
    else { return .visitChildren }
    if rewriter.index.declaresManaged(type, outside: rewriter.file.module) {
      rewriter.leave(
        .validator, node,
        "nothing calls what an extension adds to another module's class here: move it into the class's module"
      )
    } else if rewriter.index.modelNames.classes.contains(type)
      || rewriter.options.generatedClasses.contains(where: { $0.name == type })
    {
      rewriter.leave(
        .validator, node,
        "nothing calls it here: choose Category/Extension for the entity, and move it into the class"
      )
    }
    return .visitChildren
  }

  /// Makes saves call an override of `validateValue(_:forKey:)`.
  private func announce(_ node: FunctionDeclSyntax) {
    guard let type = node.enclosingTypeName, let body = node.body,
      !rewriter.index.announcesValidation(type)
    else { return }
    let found = rewriter.index.type(named: type, in: rewriter.file.module)
    let isGenerated = rewriter.options.generatedClasses.contains { $0.name == type }
    guard found.map(rewriter.index.isManaged) ?? isGenerated else {
      rewriter.leave(
        .validator, node,
        "saves call this only if the class overrides 'validatesEachValue', too, and returns true")
      return
    }
    // Before the closing brace, so that it moves with the method.
    rewriter.edits.insert(
      "}; \(node.modifiers.accessOfOverrides)override class var validatesEachValue: Bool { true ",
      at: body.rightBrace.textRange.lowerBound)
    rewriter.note(.validator, node)
  }
}

extension FunctionDeclSyntax {
  /// Whether this method overrides the validation of all properties.
  var isValidatorOverride: Bool {
    requirement == Requirement(name: "validateValue", labels: [nil, "forKey"])
      && modifiers.has("override")
  }

  /// Whether the Objective-C runtime would find this method as a property's validation.
  var isPropertyValidator: Bool {
    let parameters = signature.parameterClause.parameters
    let prefix = PackageIndex.validatorPrefix
    guard name.text.hasPrefix(prefix), !modifiers.has("override"), !modifiers.isStatic,
      name.text.dropFirst(prefix.count).first?.isUppercase == true, parameters.count == 1,
      let parameter = parameters.first, parameter.firstName.text == "_",
      signature.effectSpecifiers?.throwsClause != nil
    else { return false }
    return parameter.type.trimmedDescription.contains("AutoreleasingUnsafeMutablePointer")
  }
}
