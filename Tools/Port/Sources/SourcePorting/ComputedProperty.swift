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
}

extension VariableDeclSyntax {
  /// The properties declared here that a class computes or stores itself, and that Objective-C may see.
  var computedProperties: [ComputedProperty] {
    guard let owner = memberOwner, let visibility = visibility(in: owner),
      attributes.named("NSManaged") == nil,
      // The class's `value(forKey:)` belongs to no actor.
      attributes.named("MainActor") == nil, !modifiers.isStatic, !modifiers.has("override"),
      // Only some systems have the property, or none.
      !isConditionalOnSystem, !attributes.isUnavailable
    else { return [] }
    let isConstant = bindingSpecifier.text == "let" || modifiers.hidesSetter
    return bindings.compactMap { binding in
      guard binding.isReadable,
        let name = binding.pattern.as(IdentifierPatternSyntax.self)?.identifier.plainText,
        visibility == .explicit || !binding.usesKeyValueCoding
      else { return nil }
      return ComputedProperty(
        key: attributes.objectiveCName ?? name, name: name,
        isSettable: !isConstant && binding.isSettable, isImplicit: visibility == .implicit)
    }
  }

  /// The extension that declares it as a member.
  var memberExtension: ExtensionDeclSyntax? { memberOwner?.as(ExtensionDeclSyntax.self) }

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
    guard attributes.named("nonobjc") == nil, !modifiers.isHidden else { return nil }
    if let type = owner.as(ExtensionDeclSyntax.self) {
      // The class's body may be in another source.
      guard !type.modifiers.isHidden, type.attributes.named("nonobjc") == nil else { return nil }
      if type.attributes.named("objc") != nil { return .explicit }
    } else if !owner.is(ClassDeclSyntax.self) {
      return nil
    }
    return attributes.named("objc") == nil ? .implicit : .explicit
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

  /// Whether it is a stored variable or has a setter.
  fileprivate var isSettable: Bool {
    guard let block = accessorBlock else { return true }
    guard case .accessors(let accessors) = block.accessors else { return false }
    return accessors.contains {
      ["_modify", "didSet", "set", "willSet"].contains($0.accessorSpecifier.text)
    }
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
  /// Whether nothing may use the declaration.
  fileprivate var isUnavailable: Bool {
    named("available")?.arguments?.trimmedDescription.contains("unavailable") ?? false
  }
}
