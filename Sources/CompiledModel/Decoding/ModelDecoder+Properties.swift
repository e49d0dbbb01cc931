import Foundation
import KeyedArchive
import ManagedModel
import PredicateFormat

extension ModelDecoder {
  /// Makes the property that an object describes.
  ///
  /// - Parameter owner: The entity's object; `nil` for composites' elements and expressions.
  func property(
    _ number: Int, owner: Int?, depth: Int = 0
  ) throws(ArchiveError) -> NSPropertyDescription {
    let fields = try propertyFields(number, owner: owner)
    let type = try reader.type(describedBy: fields.classReference, of: number, .properties)
    return try property(number, type, fields, depth: depth)
  }

  /// Makes the property of a class that has these fields.
  func property(
    _ number: Int, _ type: ArchivedModelClass, _ fields: PropertyFields, depth: Int = 0
  ) throws(ArchiveError) -> NSPropertyDescription {
    guard let name = fields.name else {
      throw ArchiveError(
        .valueNotFound, "the property has no name", object: number,
        key: ModelKey.propertyName.text)
    }
    let property: NSPropertyDescription
    switch type.kind {
    case .attribute, .derivedAttribute, .compositeAttribute:
      property = try attribute(number, name, type, fields, depth)
    case .relationship: property = try relationship(number, name, fields)
    case .fetchedProperty:
      let request = try fields.fetchRequest.map { number throws(ArchiveError) in
        try fetchRequest(number)
      }
      if let request, request.entity == nil { request.storedEntityName = fields.fetchEntityName }
      property = NSFetchedPropertyDescription(
        name: name, flags: fields.effectiveFlags, fetchRequest: request)
    case .expressionDescription:
      property = NSExpressionDescription(
        name: name, flags: fields.effectiveFlags,
        expression: try fields.expression.map { number throws(ArchiveError) in
          try expressionDescription(number)
        },
        resultType: try attributeType(fields.resultType, number, .expressionType))
    default:
      throw ArchiveError(
        .typeMismatch, "\"\(name)\" is of class \(described(type).name), which is no property",
        object: number, key: ModelKey.properties.text)
    }
    if let renaming = fields.renamingObject, renaming != fields.nameObject {
      property.setArchivedRenamingIdentifier(try text(renaming, number, .renamingIdentifier))
    }
    try decodeRareFields(fields, into: property)
    property.preserved = preserved(fields.unknown, type, decimal: fields.decimal)
    return property
  }

  // MARK: Kinds of properties

  private func attribute(
    _ number: Int, _ name: String, _ type: ArchivedModelClass, _ fields: PropertyFields,
    _ depth: Int
  ) throws(ArchiveError) -> NSAttributeDescription {
    let attributeType = try attributeType(fields.attributeType, number, .attributeType)
    let attribute: NSAttributeDescription
    switch type.kind {
    case .derivedAttribute:
      attribute = NSDerivedAttributeDescription(
        name: name, flags: fields.effectiveFlags, type: attributeType,
        defaultValue: fields.defaultValue,
        expression: try fields.derivation.map { number throws(ArchiveError) in
          try expressionDescription(number)
        },
        filter: try fields.filter.map { number throws(ArchiveError) in try predicate(number) })
    case .compositeAttribute:
      attribute = NSCompositeAttributeDescription(
        name: name, flags: fields.effectiveFlags, type: attributeType,
        defaultValue: fields.defaultValue,
        elements: try elements(fields.elements, of: number, depth))
    default:
      attribute = NSAttributeDescription(
        name: name, flags: fields.effectiveFlags, type: attributeType,
        defaultValue: fields.defaultValue)
    }
    if fields.valueClassName != attributeType.standardValueClassName {
      attribute.attributeValueClassName = fields.valueClassName
    }
    if let transformer = fields.valueTransformerName {
      attribute.extra.valueTransformerName = transformer
    }
    if fields.minValue != nil { attribute.inlineMinValue = fields.minValue }
    if fields.maxValue != nil { attribute.inlineMaxValue = fields.maxValue }
    return attribute
  }

  private func elements(
    _ list: Int?, of number: Int, _ depth: Int
  ) throws(ArchiveError) -> [NSAttributeDescription] {
    guard let list else { return [] }
    guard depth < 64 else {
      throw ArchiveError(
        .limitExceeded, "composite attributes nest more than 64 deep", object: number)
    }
    var elements: [NSAttributeDescription] = []
    for member in try reader.members(ofCollection: list, .compositeElements) {
      try spend(on: member)
      guard
        let element = try property(member, owner: nil, depth: depth + 1)
          as? NSAttributeDescription
      else {
        throw ArchiveError(
          .typeMismatch, "an element of a composite is no attribute", object: member,
          key: ModelKey.compositeElements.text)
      }
      elements.append(element)
    }
    return elements
  }

  private func relationship(
    _ number: Int, _ name: String, _ fields: PropertyFields
  ) throws(ArchiveError) -> NSRelationshipDescription {
    guard let rule = UInt(exactly: fields.deleteRule).flatMap(NSDeleteRule.init) else {
      throw ArchiveError(
        .invalidContent, "\(fields.deleteRule) is no delete rule; 0 to 3 are", object: number,
        key: ModelKey.deleteRule.text)
    }
    let relationship = NSRelationshipDescription(
      name: name, flags: fields.effectiveFlags, maxCount: fields.maxCount,
      minCount: fields.minCount, deleteRule: rule)
    if let destination = fields.destination {
      relationship.storedDestination = try entity(destination, number, .destinationEntity)
    } else if let name = fields.destinationName {
      relationship.destinationEntityName = try text(name, number, .destinationEntityName)
    }
    if let inverse = fields.inverse {
      inverses.append((relationship, inverse))
    } else if let name = fields.inverseName {
      relationship.inverseRelationshipName = try text(name, number, .inverseRelationshipName)
    }
    return relationship
  }

  private func text(
    _ object: Int, _ holder: Int, _ key: ModelKey
  ) throws(ArchiveError) -> String {
    guard let text = try reader.string(at: object) else {
      throw ArchiveError(.typeMismatch, "expected text", object: holder, key: key.text)
    }
    return text
  }

  private func attributeType(
    _ rawValue: Int, _ number: Int, _ key: ModelKey
  ) throws(ArchiveError) -> NSAttributeType {
    guard let type = UInt(exactly: rawValue).flatMap(NSAttributeType.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawValue) is no attribute type", object: number, key: key.text)
    }
    return type
  }

  // MARK: Fields

  /// Reads the fields of any property.
  func propertyFields(
    _ number: Int, owner: Int?
  ) throws(ArchiveError) -> PropertyFields {
    var fields = PropertyFields()
    // What the flag word declares absent is not read by Core Data; it has to be known first.
    var conditional: [ArchiveFieldReader.Field] = []
    fields.classReference = try reader.forEachField(of: number) { field throws(ArchiveError) in
      switch field.key {
      case .validationPredicates, .validationWarnings, .userInfo, .versionHashModifier:
        conditional.append(field)
      default: try read(field, of: number, owner: owner, into: &fields)
      }
    }
    for field in conditional {
      if Self.isDeclaredAbsent(field.key, fields.flagWord) {
        fields.unknown.append(unknownField(field))
      } else {
        try read(field, of: number, owner: owner, into: &fields)
      }
    }
    return fields
  }

  private static func isDeclaredAbsent(_ key: ModelKey?, _ flagWord: Int) -> Bool {
    switch key {
    case .validationPredicates: flagWord & 0x10 != 0
    case .validationWarnings: flagWord & 0x20 != 0
    case .userInfo: flagWord & 0x40 != 0
    case .versionHashModifier: flagWord & 0x80 != 0
    default: false
    }
  }

  private func read(
    _ field: ArchiveFieldReader.Field, of number: Int, owner: Int?,
    into fields: inout PropertyFields
  ) throws(ArchiveError) {
    func flag(_ flag: PropertyFlags) throws(ArchiveError) {
      if try reader.boolean(field, of: number) {
        fields.flags = PropertyFlags(rawValue: fields.flags.rawValue | flag.rawValue)
      }
    }
    switch field.key {
    case .propertyName:
      fields.nameObject = try reader.reference(field, of: number)
      fields.name = try reader.string(field, of: number)
    case .flagWord: fields.flagWord = try reader.integer(field, of: number)
    case .isOptional: try flag(.optional)
    case .isReadOnly: try flag(.readOnly)
    case .isTransient: try flag(.transient)
    case .isIndexedBySpotlight: try flag(.indexedBySpotlight)
    case .isStoredInTruth: try flag(.storedInExternalRecord)
    case .isOrdered: try flag(.ordered)
    case .allowsCloudEncryption: try flag(.allowsCloudEncryption)
    case .isIndexed: try flag(.indexed)
    case .entity:
      if let entity = try reader.reference(field, of: number), let owner, entity != owner {
        throw ArchiveError(
          .invalidContent, "it is listed by object \(owner), but belongs to object \(entity)",
          object: number, key: ModelKey.entity.text)
      }
    case .renamingIdentifier: fields.renamingObject = try reader.reference(field, of: number)
    case .versionHashModifier: fields.versionHashModifier = try reader.string(field, of: number)
    case .userInfo: fields.userInfo = try reader.reference(field, of: number)
    case .validationPredicates:
      fields.validationPredicates = try reader.reference(field, of: number)
    case .validationWarnings: fields.validationWarnings = try reader.reference(field, of: number)
    default: try readOfKind(field, of: number, into: &fields)
    }
  }

  /// Reads the fields of attributes, relationships and the other kinds.
  private func readOfKind(
    _ field: ArchiveFieldReader.Field, of number: Int, into fields: inout PropertyFields
  ) throws(ArchiveError) {
    switch field.key {
    case .attributeType: fields.attributeType = try reader.integer(field, of: number)
    case .valueClassName: fields.valueClassName = try reader.string(field, of: number)
    case .defaultValue:
      guard let value = try reader.reference(field, of: number) else { return }
      (fields.defaultValue, fields.decimal) = try defaultValue(value)
    case .valueTransformerName:
      fields.valueTransformerName = try reader.string(field, of: number)
    case .flags: fields.attributeFlags = try reader.integer(field, of: number)
    case .minValue: fields.minValue = try bound(field, of: number)
    case .maxValue: fields.maxValue = try bound(field, of: number)
    case .derivationExpression: fields.derivation = try reader.reference(field, of: number)
    case .filteringPredicate: fields.filter = try reader.reference(field, of: number)
    case .compositeElements: fields.elements = try reader.reference(field, of: number)
    case .maxCount: fields.maxCount = try reader.integer(field, of: number)
    case .minCount: fields.minCount = try reader.integer(field, of: number)
    case .deleteRule: fields.deleteRule = try reader.integer(field, of: number)
    case .destinationEntity: fields.destination = try reader.reference(field, of: number)
    case .destinationEntityName:
      fields.destinationName = try reader.reference(field, of: number)
    case .inverseRelationship: fields.inverse = try reader.reference(field, of: number)
    case .inverseRelationshipName: fields.inverseName = try reader.reference(field, of: number)
    case .fetchRequest: fields.fetchRequest = try reader.reference(field, of: number)
    case .fetchRequestEntityName:
      fields.fetchEntityName = try reader.string(field, of: number)
    case .expression: fields.expression = try reader.reference(field, of: number)
    case .expressionType: fields.resultType = try reader.integer(field, of: number)
    default: fields.unknown.append(unknownField(field))
    }
  }

  private func bound(
    _ field: ArchiveFieldReader.Field, of number: Int
  ) throws(ArchiveError) -> any Sendable {
    if let integer = archive.list.integer(at: field.value) { return Int64(integer) }
    return try reader.double(field, of: number)
  }

  private func decodeRareFields(
    _ fields: PropertyFields, into property: NSPropertyDescription
  ) throws(ArchiveError) {
    if let modifier = fields.versionHashModifier { property.extra.versionHashModifier = modifier }
    if let dictionary = fields.userInfo {
      let info = try userInfo(dictionary)
      if !info.isEmpty { property.extra.userInfo = info }
    }
    if let list = fields.validationPredicates {
      var predicates: [NSPredicate] = []
      for member in try reader.members(ofCollection: list, .validationPredicates) {
        predicates.append(try predicate(member))
      }
      property.extra.validationPredicates = predicates
    }
    if let list = fields.validationWarnings {
      var warnings: [Any] = []
      for member in try reader.members(ofCollection: list, .validationWarnings) {
        warnings.append(try foundationValue(member)?.any ?? NSNull())
      }
      property.extra.validationWarnings = warnings
    }
  }
}
