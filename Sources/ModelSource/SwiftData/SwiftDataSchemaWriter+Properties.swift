import DataModels
import Foundation

extension SwiftDataSchemaWriter {
  // MARK: Attributes

  /// An attribute as a property; nil, with a note, when it can't be expressed.
  mutating func property(
    _ attribute: NSAttributeDescription, of entity: NSEntityDescription, _ subject: String
  ) -> SwiftDataProperty? {
    guard let name = usable(attribute, subject) else { return nil }
    if attribute is NSDerivedAttributeDescription {
      note("SwiftData has no derived attributes", on: subject, changesHashes: true)
      return nil
    }
    guard let type = valueType(of: attribute, subject) else {
      note(
        "SwiftData has no attributes of the type \(attribute.attributeType.label)", on: subject,
        changesHashes: !attribute.isTransient)
      return nil
    }
    var arguments = options(of: attribute, in: entity)
    arguments += renaming(of: attribute) + Self.modifier(of: attribute)
    let value = SwiftDataLiteral.text(attribute, in: self)
    if value == nil, attribute.defaultValue != nil {
      note("its default can't be written", on: subject)
    }
    return SwiftDataProperty(
      name: name, type: attribute.isOptional ? "\(type)?" : type,
      macro: Self.macro("Attribute", arguments), initialValue: value)
  }

  private func options(
    of attribute: NSAttributeDescription, in entity: NSEntityDescription
  ) -> [String] {
    var options: [String] = []
    if entity.ownUniquenessConstraints.contains([attribute.name]) { options.append(".unique") }
    if attribute.allowsExternalBinaryDataStorage { options.append(".externalStorage") }
    if attribute.preservesValueInHistoryOnDeletion { options.append(".preserveValueOnDeletion") }
    if attribute.allowsCloudEncryption { options.append(".allowsCloudEncryption") }
    if attribute.isIndexedBySpotlight { options.append(".spotlight") }
    // The equivalent of a transient property in Core Data: changes are tracked, but nothing is stored.
    if attribute.isTransient, !(attribute is NSCompositeAttributeDescription) {
      options.append(".ephemeral")
    }
    if attribute.attributeType == .transformableAttributeType {
      let transformer = attribute.valueTransformerName ?? "NSSecureUnarchiveFromData"
      options.append(".transformable(by: \(CodeNames.literal(transformer)))")
    }
    return options
  }

  /// The arguments for a property's former name and its hash modifier.
  private func renaming(of property: NSPropertyDescription) -> [String] {
    var arguments: [String] = []
    if let old = property.renamingIdentifier, old != property.name {
      arguments.append("originalName: \(CodeNames.literal(old))")
    }
    return arguments
  }

  private static func modifier(of property: NSPropertyDescription) -> [String] {
    property.versionHashModifier.map { ["hashModifier: \(CodeNames.literal($0))"] } ?? []
  }

  private static func macro(_ name: String, _ arguments: [String]) -> String {
    arguments.isEmpty ? "" : "@\(name)(\(arguments.joined(separator: ", ")))"
  }

  /// The type of an attribute's values; nil when it has none.
  func valueType(of attribute: NSAttributeDescription, _ subject: String) -> String? {
    switch attribute.attributeType {
    case .integer16AttributeType: type("Int16", of: "Swift")
    case .integer32AttributeType: type("Int32", of: "Swift")
    // SwiftData stores an Int as a 64-bit integer.
    case .integer64AttributeType: type("Int", of: "Swift")
    case .decimalAttributeType: type("Decimal", of: "Foundation")
    case .doubleAttributeType: type("Double", of: "Swift")
    case .floatAttributeType: type("Float", of: "Swift")
    case .stringAttributeType: type("String", of: "Swift")
    case .booleanAttributeType: type("Bool", of: "Swift")
    case .dateAttributeType: type("Date", of: "Foundation")
    case .binaryDataAttributeType: type("Data", of: "Foundation")
    case .UUIDAttributeType: type("UUID", of: "Foundation")
    case .URIAttributeType: type("URL", of: "Foundation")
    case .transformableAttributeType:
      attribute.attributeValueClassName.flatMap(CodeNames.swiftType)
        ?? type("NSObject", of: "Foundation")
    case .compositeAttributeType: Self.compositeName(of: attribute, in: entities)
    case .undefinedAttributeType, .objectIDAttributeType: nil
    }
  }

  /// The name of a property, if it is a valid identifier.
  private mutating func usable(_ property: NSPropertyDescription, _ subject: String) -> String? {
    guard CodeNames.isIdentifier(property.name) else {
      note(
        "the name isn't an identifier; it is left out", on: subject,
        changesHashes: !property.isTransient)
      return nil
    }
    if Self.reserved.contains(property.name) {
      note("SwiftData's models have a '\(property.name)' of their own; rename it", on: subject)
    }
    return CodeNames.swift(property.name)
  }

  private static let reserved: Set<String> = [
    "description", "hasChanges", "isDeleted", "modelContext", "persistentBackingData",
    "persistentModelID", "schemaMetadata",
  ]

  // MARK: Relationships

  /// A relationship as a property; nil, with a note, when it can't be expressed.
  mutating func property(
    _ relationship: NSRelationshipDescription, of entity: NSEntityDescription, _ subject: String
  ) -> SwiftDataProperty? {
    guard let name = usable(relationship, subject) else { return nil }
    guard let target = relationship.destinationEntity?.name, entities[target] != nil else {
      note("there is no class of its destination; it is left out", on: subject, changesHashes: true)
      return nil
    }
    var arguments: [String] = []
    if entity.ownUniquenessConstraints.contains([relationship.name]) { arguments.append(".unique") }
    if let rule = Self.deleteRule(relationship.deleteRule) {
      arguments.append("deleteRule: \(rule)")
    }
    if relationship.minCount != 0 {
      arguments.append("minimumModelCount: \(relationship.minCount)")
    }
    if relationship.isToMany, relationship.maxCount > 0 {
      arguments.append("maximumModelCount: \(relationship.maxCount)")
    }
    if relationship.isOrdered {
      note("SwiftData has no ordered relationships", on: subject, changesHashes: true)
    }
    arguments += renaming(of: relationship)
    if let inverse = inverse(of: relationship, in: entity, subject) {
      arguments.append("inverse: \(inverse)")
    }
    arguments += Self.modifier(of: relationship)
    let isOptional = relationship.isOptional
    let type = CodeNames.swift(target)
    return SwiftDataProperty(
      name: name,
      type: (relationship.isToMany ? "[\(type)]" : type) + (isOptional ? "?" : ""),
      macro: Self.macro("Relationship", arguments),
      initialValue: relationship.isToMany && !isOptional ? "[]" : nil)
  }

  private static func deleteRule(_ rule: NSDeleteRule) -> String? {
    switch rule {
    case .nullifyDeleteRule: nil
    case .cascadeDeleteRule: ".cascade"
    case .denyDeleteRule: ".deny"
    case .noActionDeleteRule: ".noAction"
    }
  }

  /// The key path of the inverse, on one of the two sides only: macros that refer to each other can't be resolved.
  private mutating func inverse(
    of relationship: NSRelationshipDescription, in entity: NSEntityDescription, _ subject: String
  ) -> String? {
    guard let inverse = relationship.inverseRelationship else {
      let partner = relationship.destinationEntity?.relationshipsByName.values.first { other in
        other.inverseRelationship == nil && other !== relationship
          && other.destinationEntity.map { entity.isKindOf(entity: $0) } == true
      }
      if let partner {
        note(
          "it has no inverse; SwiftData may take '\(partner.name)' for one", on: subject,
          changesHashes: true)
      }
      return nil
    }
    let owner = inverse.entity
    guard inverse !== relationship, let name = owner.name, entities[name] != nil,
      CodeNames.isIdentifier(inverse.name)
    else { return nil }
    guard Self.saysInverse(relationship, of: entity.name ?? "", not: inverse, of: name) else {
      return nil
    }
    return "\\\(CodeNames.swift(name)).\(CodeNames.swift(inverse.name))"
  }

  /// Whether the inverse is declared on this side: the to-many side or, if both are alike, the first by name.
  private static func saysInverse(
    _ one: NSRelationshipDescription, of owner: String, not other: NSRelationshipDescription,
    of otherOwner: String
  ) -> Bool {
    guard other.inverseRelationship === one else { return true }
    if one.isToMany != other.isToMany { return one.isToMany }
    return owner == otherOwner
      ? NameOrder.precedes(one.name, other.name) : NameOrder.precedes(owner, otherOwner)
  }
}
