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
    /// As the seconds of a date.
    case interval
  }

  /// The declared type.
  let declared: String
  private let access: Access

  init(_ property: GeneratedProperty) {
    switch property.kind {
    case .attribute(let type, let usesScalar, let customClass):
      self.init(type, usesScalar: usesScalar, customClass: customClass)
    case .toOne(let target): self.init("\(target)?")
    case .toMany(_, let isOrdered): self.init(isOrdered ? "NSOrderedSet?" : "NSSet?")
    case .fetched(let target): self.init("[\(target)]?")
    }
  }

  private init(_ declared: String, _ access: Access = .typed) {
    self.declared = declared
    self.access = access
  }

  private init(_ type: NSAttributeType, usesScalar: Bool, customClass: String?) {
    let traits = type.traits
    let isDate = traits.kind == .date
    if usesScalar, let scalar = traits.swiftScalar {
      self.init(scalar, isDate ? .interval : .typed)
    } else if let object = traits.swiftObject {
      self.init(object + "?", [.objectID, .composite].contains(traits.kind) ? .keyed : .typed)
    } else {
      self.init((customClass.flatMap(CodeNames.swiftType) ?? "NSObject") + "?", .keyed)
    }
  }

  /// The expression that reads the property with a name.
  func reading(_ name: String) -> String {
    switch access {
    case .typed: "managed(\"\(name)\")"
    case .keyed: "value(forKey: \"\(name)\") as? \(declared.dropLast())"
    case .interval:
      "(managed(\"\(name)\") as Date?)?.timeIntervalSinceReferenceDate ?? 0"
    }
  }

  /// The statement that sets a property to `newValue`; nil for a read-only property.
  func writing(_ property: GeneratedProperty) -> String? {
    if case .fetched = property.kind { return nil }
    return switch access {
    case .typed: "setManaged(newValue, \"\(property.name)\")"
    case .keyed: "setValue(newValue, forKey: \"\(property.name)\")"
    case .interval:
      "setManaged(Date(timeIntervalSinceReferenceDate: newValue), \"\(property.name)\")"
    }
  }
}
