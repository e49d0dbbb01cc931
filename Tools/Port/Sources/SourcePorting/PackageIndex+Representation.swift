import SwiftSyntax

/// What Objective-C can represent.
extension PackageIndex {
  /// Whether Objective-C can represent a property's type, as seen from a module. What neither Foundation nor the package
  /// declares counts as a type that only Swift knows.
  func represents(_ type: TypeSyntax, in module: String) -> Bool {
    switch type.as(TypeSyntaxEnum.self) {
    case .optionalType(let optional): isObject(optional.wrappedType, in: module)
    case .implicitlyUnwrappedOptionalType(let optional):
      isObject(optional.wrappedType, in: module)
    default: isScalar(type) || isEnumeration(type) || isObject(type, in: module)
    }
  }

  /// Whether a type is an enumeration that is marked `@objc`.
  private func isEnumeration(_ type: TypeSyntax) -> Bool {
    guard let name = type.nominal?.name else { return false }
    return typeKinds.enumerations.contains(name) && !typeKinds.native.contains(name)
  }

  /// Whether a type is a number or a structure of C.
  private func isScalar(_ type: TypeSyntax) -> Bool {
    guard let nominal = type.nominal, !nominal.isNested else { return false }
    return TypeKinds.scalars.contains(nominal.name) && !typeKinds.native.contains(nominal.name)
  }

  /// Whether values of a type are objects in Objective-C.
  private func isObject(_ type: TypeSyntax, in module: String) -> Bool {
    switch type.as(TypeSyntaxEnum.self) {
    case .arrayType(let array): return isElement(array.element, in: module)
    case .dictionaryType(let dictionary):
      return isElement(dictionary.key, in: module) && isElement(dictionary.value, in: module)
    case .someOrAnyType(let existential): return isObject(existential.constraint, in: module)
    case .tupleType(let tuple):
      // One type in parentheses is the type itself.
      guard tuple.elements.count == 1, let only = tuple.elements.first else { return false }
      return isObject(only.type, in: module)
    default: break
    }
    guard let (name, arguments, isNested) = type.nominal else { return false }
    if classes[name] != nil || modelNames.classes.contains(name) {
      return isObjectiveC(name, in: module)
    }
    if typeKinds.native.contains(name) { return false }
    if typeKinds.protocols.contains(name) { return true }
    guard !isNested else { return false }
    if name == "Optional" || TypeKinds.collections.contains(name) {
      return !arguments.isEmpty
        && arguments.allSatisfy {
          name == "Optional" ? isObject($0, in: module) : isElement($0, in: module)
        }
    }
    return isOfFoundation(name)
  }

  /// Whether values of a type are objects in a collection.
  private func isElement(_ type: TypeSyntax, in module: String) -> Bool {
    isScalar(type) || isObject(type, in: module)
  }

  /// Whether a class of the package inherits from one of Objective-C's.
  private func isObjectiveC(_ name: String, in module: String) -> Bool {
    var name = name
    var seen: Set<String> = []
    while seen.insert(name).inserted {
      guard let type = type(named: name, in: module) ?? classes[name]?.first else {
        return modelNames.classes.contains(name) || isOfFoundation(name)
      }
      if isManaged(type) { return true }
      guard let superclass = type.superclass?.split(separator: ".").last else { return false }
      name = String(superclass)
    }
    return false
  }

  /// Whether a name is that of one of Foundation's types that are objects in Objective-C.
  private func isOfFoundation(_ name: String) -> Bool {
    TypeKinds.objects.contains(name) || name.hasPrefix("NS") && !TypeKinds.scalars.contains(name)
  }
}

extension TypeSyntax {
  /// The name of a type that has one, its arguments, and whether it is nested in another type.
  fileprivate var nominal: (name: String, arguments: [TypeSyntax], isNested: Bool)? {
    if let type = self.as(IdentifierTypeSyntax.self) {
      return (
        name: type.name.plainText, arguments: type.genericArgumentClause?.types ?? [],
        isNested: false
      )
    }
    guard let type = self.as(MemberTypeSyntax.self) else { return nil }
    return (
      name: type.name.plainText, arguments: type.genericArgumentClause?.types ?? [],
      isNested: !TypeKinds.modules.contains(type.baseType.trimmedDescription)
    )
  }
}

extension GenericArgumentClauseSyntax {
  /// The arguments that are types.
  fileprivate var types: [TypeSyntax] {
    arguments.compactMap { argument in
      if case .type(let type) = argument.argument { return type }
      return nil
    }
  }
}
