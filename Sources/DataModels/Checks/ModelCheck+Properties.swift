import Foundation

// Rules that apply to all kinds of properties, and to those that are neither attributes nor relationships.
extension ModelCheck {
  /// Checks the names, and builds the table of own properties used by later rules.
  mutating func checkNamesOfProperties(of entity: NSEntityDescription) {
    ownNames = [:]
    var folded: [String: String] = [:]
    var identifiers: [String: String] = [:]
    for property in entity.ownPropertyList {
      let name = property.storedName
      checkName(name, entity)
      if ownNames.updateValue(property, forKey: name) != nil {
        report(.duplicateProperty, in: entity, at: name, "another property has the same name")
      } else if let other = folded.updateValue(name, forKey: name.lowercased()) {
        report(
          .duplicateProperty, as: .warning, in: entity, at: name,
          "the name differs from that of the property '\(other)' only in case")
      }
      let identifier = property.explicitRenamingIdentifier ?? name
      if let other = identifiers.updateValue(name, forKey: identifier), other != name {
        report(
          .renamingIdentifier, as: .warning, in: entity, at: name,
          "the renaming identifier '\(identifier)' is that of the property '\(other)' too")
      }
      if let inherited = scope[name]?.last {
        report(
          .shadowing, in: entity, at: name,
          "the property has the same name as one inherited from '\(inherited.owner?.name ?? "")'",
          hint: "rename it, or remove one of the two")
      }
    }
  }

  private mutating func checkName(_ name: String, _ entity: NSEntityDescription) {
    if name.isEmpty {
      report(.propertyName, in: entity, "a property has no name", hint: "set its name")
    } else if ReservedNames.contains(name) {
      report(
        .reservedName, in: entity, at: name,
        "the name is that of a method every managed object has, which key-value coding would find"
          + " first",
        hint: "rename the property")
    } else if !Self.isIdentifier(name) {
      report(
        .propertyName, as: .warning, in: entity, at: name, "the name isn't an identifier",
        hint: "use only letters, digits and _, beginning with a letter")
    }
  }

  mutating func checkValidation(
    of property: NSPropertyDescription, in entity: NSEntityDescription
  ) {
    guard let extras = property.extras else { return }
    let predicates = extras.validationPredicates.count
    let warnings = extras.validationWarnings.count
    if predicates != warnings {
      report(
        .validationWarnings, in: entity, at: property.storedName,
        "there are \(predicates) validation predicates and \(warnings) warnings",
        hint: "give each predicate one warning")
    }
    for warning in extras.validationWarnings {
      switch AttributeValue(warning) {
      case .string, .integer: continue
      default:
        report(
          .validationWarnings, in: entity, at: property.storedName,
          "a validation warning is neither a string nor an error code")
      }
    }
  }

  mutating func checkFetched(
    _ fetched: NSFetchedPropertyDescription, of entity: NSEntityDescription
  ) {
    guard let request = fetched.storedFetchRequest else {
      report(
        .fetchedProperty, in: entity, at: fetched.storedName,
        "the fetched property has no fetch request")
      return
    }
    checkRequest(request, on: entity, at: fetched.storedName, subject: "the fetch request")
  }

  /// The visible property with which a key path begins. A key after a dot must be an element of a composite.
  func visibleProperty(atPath path: String) -> NSPropertyDescription? {
    if let property = visibleProperty(named: path) { return property }
    let keys = path.split(separator: ".", omittingEmptySubsequences: false)
    guard keys.count > 1 else { return nil }
    var property = visibleProperty(named: String(keys[0]))
    for key in keys.dropFirst() {
      guard let composite = property as? NSCompositeAttributeDescription else { return nil }
      property = composite.storedElements.first { $0.storedName == key }
    }
    return property
  }
}

/// Names that a property may not have, because `NSManagedObject` or `NSObject` has a method or property of that name,
/// which key-value coding would find first.
package enum ReservedNames {
  /// Whether a name is reserved.
  package static func contains(_ name: String) -> Bool {
    names.contains(name)
  }

  /// Whether models with properties of a reserved name compile nevertheless: the getter of `NSManagedObject` has
  /// another name (`isDeleted`), and there is trouble at run time only.
  package static func isTolerated(_ name: String) -> Bool {
    tolerated.contains(name)
  }

  private static let tolerated: Set<String> = ["deleted", "fault", "inserted", "updated"]

  private static let names: Set<String> = [
    // NSObject
    "autorelease", "class", "classForArchiver", "classForCoder", "classForKeyedArchiver",
    "classForPortCoder", "className", "copy", "dealloc", "debugDescription", "description",
    "finalize", "hash", "init", "isProxy", "mutableCopy", "observationInfo", "release", "retain",
    "retainCount", "self", "superclass", "zone",
    // NSManagedObject, including both accessor names of properties with a custom getter name
    "awakeFromFetch", "awakeFromInsert", "changedValues", "changedValuesForCurrentEvent",
    "deleted", "didSave", "didTurnIntoFault", "entity", "fault", "faultingState", "hasChanges",
    "hasPersistentChangedValues", "inserted", "isDeleted", "isFault", "isInserted", "isUpdated",
    "managedObjectContext", "objectID", "prepareForDeletion", "updated", "willSave",
    "willTurnIntoFault",
  ]
}
