import DataModels

/// The Swift type of a generated property, as Xcode declares it, and how its value is got and set where
/// there is no Core Data to do it.
struct SwiftType {
  /// How a value is got and set.
  private enum Access {
    /// As a type that MomKit's managed objects know.
    case typed
    /// By key, for types of the developer's own and any object.
    case keyed
    /// As seconds, of a date.
    case interval
  }

  /// The type as it is declared.
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

  /// The expression for the value of the property of a name.
  func reading(_ name: String) -> String {
    switch access {
    case .typed: "managed(\"\(name)\")"
    case .keyed: "value(forKey: \"\(name)\") as? \(declared.dropLast())"
    case .interval:
      "(managed(\"\(name)\") as Date?)?.timeIntervalSinceReferenceDate ?? 0"
    }
  }

  /// The statement that sets a property to `newValue`; nil for one that can't be set.
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
