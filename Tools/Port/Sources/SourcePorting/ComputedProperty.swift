import SwiftSyntax

/// A property that a class computes or stores itself, and that Objective-C may see.
struct ComputedProperty {
  /// Its name in Objective-C.
  var key: String
  /// Its name in Swift.
  var name: String
  /// Whether Objective-C sees a setter.
  var isSettable: Bool
  /// Whether Objective-C sees it only if the class is marked `@objcMembers`.
  var isImplicit: Bool
  /// Its type, if the source names it.
  var type: TypeSyntax?
  /// The index of the source that declares it.
  var file: Int
  /// Whether only that source can use it.
  var isHidden: Bool
  /// The innermost clause of `#if` that encloses it in the class's body or encloses its extension.
  var condition: SyntaxIdentifier?

  /// What to do so that methods in a class's body can use it; nil if they can. A class that no source declares is
  /// generated.
  func remedy(in type: PackageIndex.Class?) -> String? {
    if isHidden, file != type?.file {
      return "let other sources use it, or declare it in that of the class"
    }
    if let condition, condition != type?.condition { return "declare it outside of '#if'" }
    return nil
  }
}

extension VariableDeclSyntax {
  /// Returns the properties declared here that a class computes or stores itself, and that Objective-C may see. `file` is
  /// the source's index.
  func computedProperties(inFile file: Int) -> [ComputedProperty] {
    guard let owner = memberOwner, let visibility = visibility(in: owner),
      attributes.named("NSManaged") == nil,
      // The class's `value(forKey:)` belongs to no actor.
      attributes.named("MainActor") == nil, !modifiers.isStatic, !modifiers.has("override"),
      !attributes.isUnavailable
    else { return [] }
    let enclosing = conditions(in: owner)
    guard !enclosing.contains(where: \.isForOtherSystems) else { return [] }
    let isConstant = bindingSpecifier.text == "let" || modifiers.hidesSetter
    return bindings.compactMap { binding in
      let type = writtenType(of: binding)
      guard binding.isReadable,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
        visibility == .explicit
          || !binding.usesKeyValueCoding && (type != nil || binding.isInitializedByLiteral)
      else { return nil }
      let hasSetter =
        binding.accessorBlock == nil ? !attributes.haveWrapper : binding.isSettable
      return ComputedProperty(
        key: attributes.objectiveCName ?? name, name: name,
        isSettable: !isConstant && hasSetter, isImplicit: visibility == .implicit, type: type,
        file: file, isHidden: isHidden(in: owner), condition: enclosing.first?.id)
    }
  }

  /// Returns the type written after a binding or, as in `var a, b: String?`, after a later one.
  private func writtenType(of binding: PatternBindingSyntax) -> TypeSyntax? {
    if let annotation = binding.typeAnnotation { return annotation.type }
    guard binding.initializer == nil else { return nil }
    return bindings.first { $0.position > binding.position && $0.typeAnnotation != nil }?
      .typeAnnotation?.type
  }

  /// Returns the clauses of `#if` that enclose it in its class's body, or that enclose its extension, innermost first.
  private func conditions(in owner: Syntax) -> [IfConfigClauseSyntax] {
    let isOfExtension = owner.is(ExtensionDeclSyntax.self)
    return ancestors.prefix { isOfExtension || $0 != owner }
      .compactMap { $0.as(IfConfigClauseSyntax.self) }
  }

  /// Whether only the source itself can use it.
  private func isHidden(in owner: Syntax) -> Bool {
    modifiers.isHidden || owner.as(ExtensionDeclSyntax.self)?.modifiers.isHidden == true
  }

  /// The type or extension that declares it as a member.
  private var memberOwner: Syntax? {
    for node in ancestors {
      if node.is(CodeBlockItemSyntax.self) { return nil }
      if let block = node.as(MemberBlockSyntax.self) { return block.parent }
    }
    return nil
  }

  private enum Visibility { case explicit, implicit }

  /// Whether Objective-C sees it because of its own or its extension's attributes, or may see it because of its class's;
  /// nil if it doesn't.
  private func visibility(in owner: Syntax) -> Visibility? {
    guard attributes.named("nonobjc") == nil else { return nil }
    if let type = owner.as(ExtensionDeclSyntax.self) {
      guard type.attributes.named("nonobjc") == nil, !type.attributes.isUnavailable else {
        return nil
      }
      if type.attributes.named("objc") != nil { return .explicit }
    } else if !owner.is(ClassDeclSyntax.self) {
      return nil
    }
    if attributes.named("objc") != nil { return .explicit }
    return isHidden(in: owner) ? nil : .implicit
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

  /// Whether its accessors include a setter or observers.
  fileprivate var isSettable: Bool {
    guard case .accessors(let accessors) = accessorBlock?.accessors else { return false }
    return accessors.contains {
      ["_modify", "didSet", "set", "willSet"].contains($0.accessorSpecifier.text)
    }
  }

  /// Whether it is stored and its initial value is a literal, whose type Objective-C can represent.
  fileprivate var isInitializedByLiteral: Bool {
    accessorBlock == nil && initializer?.value.isPlainLiteral == true
  }

  /// Whether its accessors read or set a value by a key. With `@objcMembers`, Objective-C doesn't see properties of
  /// types that it can't represent, and only the accessors of such properties may do so for their own key.
  fileprivate var usesKeyValueCoding: Bool {
    accessorBlock?.description.contains(/\b(value\(forKey|setValue\()/) ?? false
  }
}

extension DeclModifierListSyntax {
  /// Whether only the source itself can use the declaration.
  fileprivate var isHidden: Bool {
    contains { ["fileprivate", "private"].contains($0.name.text) && $0.detail == nil }
  }

  /// Whether only the source itself can use the property's setter.
  fileprivate var hidesSetter: Bool {
    contains { ["fileprivate", "private"].contains($0.name.text) && $0.detail != nil }
  }
}

extension AttributeListSyntax {
  /// Whether nothing may use the declaration here.
  fileprivate var isUnavailable: Bool {
    contains { element in
      guard let attribute = element.as(AttributeSyntax.self),
        attribute.attributeName.trimmedDescription == "available",
        case .availability(let list) = attribute.arguments
      else { return false }
      let arguments = list.map { $0.argument.trimmedDescription }
      return ["*", "Linux", "swift"].contains(arguments.first) && arguments.contains("unavailable")
    }
  }

  /// Whether they include a property wrapper or a macro, which need not provide a setter.
  fileprivate var haveWrapper: Bool {
    contains { element in
      guard let name = element.as(AttributeSyntax.self)?.attributeName.trimmedDescription,
        !AttributeRewriter.dropped.contains(name)
      else { return false }
      return name.split(separator: ".").last?.first?.isUppercase == true
    }
  }
}

extension IfConfigClauseSyntax {
  /// Whether its condition requires another system, where alone the property is then.
  fileprivate var isForOtherSystems: Bool {
    guard let condition = condition?.trimmedDescription else { return false }
    return condition.split(separator: "||").allSatisfy { part in
      let words = part.filter { !$0.isWhitespace && $0 != "(" }
      return words.prefixMatch(of: /os(iOS|macOS|OSX|tvOS|watchOS|visionOS)\)/) != nil
        || words.prefixMatch(of: /canImport(UIKit|AppKit|Cocoa|SwiftUI|WatchKit)\)/) != nil
        || words.hasPrefix("targetEnvironment")
    }
  }
}

extension ExprSyntax {
  /// Whether it is a literal for a number, a Boolean value or a text, or an array of such.
  fileprivate var isPlainLiteral: Bool {
    switch self.as(ExprSyntaxEnum.self) {
    case .booleanLiteralExpr, .floatLiteralExpr, .integerLiteralExpr, .stringLiteralExpr: true
    case .prefixOperatorExpr(let signed): signed.expression.isPlainLiteral
    case .arrayExpr(let array): array.elements.allSatisfy { $0.expression.isPlainLiteral }
    default: false
    }
  }
}
