import DataModels

/// The Swift type of a generated property, as declared by Xcode, and the way to access its value where Core Data
/// doesn't provide accessors.
struct SwiftType {
  /// The way to access a value.
  private enum Access {
    /// As a type that MomKit's managed objects support.
    case typed
    /// By key, for custom types and arbitrary objects.
    case keyed
  }

  /// The declared type.
  let declared: String
  private let access: Access
  private let names: SwiftNames

  init(_ property: GeneratedProperty, _ names: SwiftNames) {
    self.names = names
    (declared, access) =
      switch property.kind {
      case .attribute(let type, let usesScalar, let customClass):
        Self.value(type, usesScalar: usesScalar, customClass: customClass, names)
      case .toOne(let target): ("\(CodeNames.swift(target))?", .typed)
      case .toMany(_, let isOrdered): (isOrdered ? "NSOrderedSet?" : "NSSet?", .typed)
      case .fetched(let target): ("[\(CodeNames.swift(target))]?", .typed)
      }
  }

  private static func value(
    _ type: NSAttributeType, usesScalar: Bool, customClass: String?, _ names: SwiftNames
  ) -> (declared: String, Access) {
    let traits = type.traits
    if usesScalar, let scalar = traits.swiftScalar {
      return (names.type(scalar), .typed)
    }
    switch traits.kind {
    case .composite: return ("[\(names.type("String")): Any]?", .keyed)
    case .objectID: return ("NSManagedObjectID?", .keyed)
    default: break
    }
    if let object = traits.swiftObject { return (names.type(object) + "?", .typed) }
    return ((customClass.flatMap(CodeNames.swiftType) ?? "NSObject") + "?", .keyed)
  }

  /// The expression that reads the property with a name.
  func reading(_ name: String) -> String {
    switch access {
    case .typed: "managed(\"\(name)\")"
    case .keyed: "value(forKey: \"\(name)\") as? \(declared.dropLast())"
    }
  }

  /// The statement that sets a property to `newValue`; nil for a read-only property.
  func writing(_ property: GeneratedProperty) -> String? {
    if case .fetched = property.kind { return nil }
    return switch access {
    case .typed: "setManaged(newValue, \"\(property.name)\")"
    case .keyed: "setValue(newValue, forKey: \"\(property.name)\")"
    }
  }
}
