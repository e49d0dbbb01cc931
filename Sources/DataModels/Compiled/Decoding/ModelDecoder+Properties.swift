import Foundation
import PredicateFormat
import PropertyLists

extension ModelDecoder {
  /// Decodes a property from an object: an element of a composite, or a property of a request.
  func property(_ number: Int, depth: Int = 0) throws(ArchiveError) -> NSPropertyDescription {
    let fields = try reader.propertyFields(number)
    return try property(try reader.type(of: fields), fields, owner: nil, depth: depth)
  }

  /// Decodes a property of a given class from its fields.
  ///
  /// - Parameter owner: The entity's object; `nil` for composites' elements and expressions.
  func property(
    _ type: ArchivedModelClass, _ fields: PropertyFields, owner: Int?, depth: Int = 0
  ) throws(ArchiveError) -> NSPropertyDescription {
    let number = fields.number
    guard let nameField = fields[.propertyName],
      let name = try reader.string(nameField, of: number)
    else {
      throw ArchiveError(
        .valueNotFound, "the property has no name", object: number,
        key: ModelKey.propertyName.text)
    }
    if let owner, let entity = try reference(.entity, fields), entity != owner {
      throw ArchiveError(
        .invalidContent, "it is listed by object \(owner), but belongs to object \(entity)",
        object: number, key: ModelKey.entity.text)
    }
    let flagWord = try integer(.flagWord, fields)
    let flags = try self.flags(flagWord, fields)
    var exactDefault: ArchiveFoundationValue?
    let property: NSPropertyDescription
    switch type.kind {
    case .attribute, .derivedAttribute, .compositeAttribute:
      (property, exactDefault) = try attribute(
        named: name, flags: flags, type: type, fields: fields, depth: depth)
    case .relationship: property = try relationship(named: name, flags: flags, fields: fields)
    case .fetchedProperty: property = try fetchedProperty(named: name, flags: flags, fields: fields)
    case .expressionDescription:
      property = NSExpressionDescription(
        name: name, flags: flags, expression: try expression(.expression, fields),
        resultType: try attributeType(.expressionType, fields))
    default:
      throw ArchiveError(
        .typeMismatch, "'\(name)' is of class \(described(type).name), which isn't a property",
        object: number, key: ModelKey.properties.text)
    }
    if let renaming = fields[.renamingIdentifier] {
      // Usually the same object as the name.
      let identifier = try reader.reference(renaming, of: number)
      if let identifier, identifier != reader.reference(nameField.value) {
        property.setArchivedRenamingIdentifier(
          try text(identifier, of: number, key: .renamingIdentifier))
      }
    }
    var unknown = fields.unknown.map(unknownField)
    try decodeRareFields(fields, flagWord: flagWord, into: property, unknown: &unknown)
    if let content = preserved(unknown, type, defaultValue: exactDefault) {
      property.preserved = content
    }
    return property
  }

  // MARK: Kinds of properties

  private func attribute(
    named name: String, flags: PropertyFlags, type: ArchivedModelClass, fields: PropertyFields,
    depth: Int
  ) throws(ArchiveError) -> (NSAttributeDescription, ArchiveFoundationValue?) {
    let attributeType = try attributeType(.attributeType, fields)
    var value = AttributeValue.none
    var exact: ArchiveFoundationValue?
    if let number = try reference(.defaultValue, fields) {
      (value, exact) = try defaultValue(number)
    }
    let attribute: NSAttributeDescription
    switch type.kind {
    case .derivedAttribute:
      attribute = NSDerivedAttributeDescription(
        name: name, flags: flags, type: attributeType, defaultValue: value,
        expression: try expression(.derivationExpression, fields),
        filter: try reference(.filteringPredicate, fields).map { number throws(ArchiveError) in
          try predicate(number)
        })
    case .compositeAttribute:
      attribute = NSCompositeAttributeDescription(
        name: name, flags: flags, type: attributeType, defaultValue: value,
        elements: try elements(reference(.compositeElements, fields), of: fields.number, depth))
    default:
      attribute = NSAttributeDescription(
        name: name, flags: flags, type: attributeType, defaultValue: value)
    }
    let className = try string(.valueClassName, fields)
    if className != attributeType.standardValueClassName {
      attribute.attributeValueClassName = className
    }
    if let transformer = try string(.valueTransformerName, fields) {
      attribute.extra.valueTransformerName = transformer
    }
    if let field = fields[.minValue] { attribute.inlineMinValue = try bound(field, fields) }
    if let field = fields[.maxValue] { attribute.inlineMaxValue = try bound(field, fields) }
    return (attribute, exact)
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
        let element = try property(member, depth: depth + 1)
          as? NSAttributeDescription
      else {
        throw ArchiveError(
          .typeMismatch, "an element of a composite isn't an attribute", object: member,
          key: ModelKey.compositeElements.text)
      }
      elements.append(element)
    }
    return elements
  }

  private func relationship(
    named name: String, flags: PropertyFlags, fields: PropertyFields
  ) throws(ArchiveError) -> NSRelationshipDescription {
    let number = fields.number
    let ruleNumber = try integer(.deleteRule, fields, default: 1)
    guard let rule = UInt(exactly: ruleNumber).flatMap(NSDeleteRule.init) else {
      throw ArchiveError(
        .invalidContent, "\(ruleNumber) isn't a delete rule; 0 to 3 are", object: number,
        key: ModelKey.deleteRule.text)
    }
    let relationship = NSRelationshipDescription(
      name: name, flags: flags, maxCount: try integer(.maxCount, fields),
      minCount: try integer(.minCount, fields), deleteRule: rule)
    if let destination = try reference(.destinationEntity, fields) {
      if !instances.setDestination(of: relationship, to: destination) {
        throw noEntity(destination, of: number, key: .destinationEntity)
      }
    } else if let name = try reference(.destinationEntityName, fields) {
      relationship.destinationEntityName = try text(name, of: number, key: .destinationEntityName)
    }
    if let inverse = try reference(.inverseRelationship, fields) {
      inverses.append((number, inverse))
      instances.note(inverse: inverse, of: number)
    } else if let name = try reference(.inverseRelationshipName, fields) {
      relationship.inverseRelationshipName = try text(
        name, of: number, key: .inverseRelationshipName)
    }
    return relationship
  }

  private func fetchedProperty(
    named name: String, flags: PropertyFlags, fields: PropertyFields
  ) throws(ArchiveError) -> NSFetchedPropertyDescription {
    let request = try reference(.fetchRequest, fields).map { number throws(ArchiveError) in
      try fetchRequest(number)
    }
    if let request, request.entity == nil {
      request.storedEntityName = try string(.fetchRequestEntityName, fields)
    }
    return NSFetchedPropertyDescription(name: name, flags: flags, fetchRequest: request)
  }

  // MARK: Fields

  /// The effective flags: those of the flag word, or of the separate fields if there is none.
  private func flags(
    _ flagWord: Int, _ fields: PropertyFields
  ) throws(ArchiveError) -> PropertyFlags {
    // Operates on raw words, because it runs for every property of a model.
    var flags: UInt32 = 0
    for (position, flag) in fields.flags
    where try reader.boolean(fields.field(at: position, nil), of: fields.number) {
      flags |= flag.rawValue
    }
    if flagWord != 0 {
      let archived = PropertyFlags.archived.rawValue
      flags &= ~archived
      flags |= UInt32(truncatingIfNeeded: flagWord) & archived
    }
    flags |= PropertyFlags(attributeWord: try integer(.flags, fields)).rawValue
    return PropertyFlags(rawValue: flags)
  }

  private func attributeType(
    _ key: ModelKey, _ fields: PropertyFields
  ) throws(ArchiveError) -> NSAttributeType {
    let rawValue = try integer(key, fields)
    guard let type = UInt(exactly: rawValue).flatMap(NSAttributeType.init) else {
      throw ArchiveError(
        .invalidContent, "\(rawValue) isn't an attribute type", object: fields.number, key: key.text
      )
    }
    return type
  }

  /// The integer of a field, or the default if the field is missing.
  @inline(__always)
  private func integer(
    _ key: ModelKey, _ fields: PropertyFields, default absent: Int = 0
  ) throws(ArchiveError) -> Int {
    guard let field = fields[key] else { return absent }
    return try reader.integer(field, of: fields.number)
  }

  /// The object that a field refers to; `nil` for nil or a missing field.
  @inline(__always)
  private func reference(
    _ key: ModelKey, _ fields: PropertyFields
  ) throws(ArchiveError) -> Int? {
    guard let field = fields[key] else { return nil }
    return try reader.reference(field, of: fields.number)
  }

  /// The string of a field; `nil` for nil or a missing field.
  private func string(
    _ key: ModelKey, _ fields: PropertyFields
  ) throws(ArchiveError) -> String? {
    guard let field = fields[key] else { return nil }
    return try reader.string(field, of: fields.number)
  }

  private func expression(
    _ key: ModelKey, _ fields: PropertyFields
  ) throws(ArchiveError) -> PredicateFormat.NSExpression? {
    guard let number = try reference(key, fields) else { return nil }
    return try expressionDescription(number)
  }

  private func text(
    _ object: Int, of holder: Int, key: ModelKey
  ) throws(ArchiveError) -> String {
    guard let text = try reader.string(at: object) else {
      throw ArchiveError(.typeMismatch, "expected text", object: holder, key: key.text)
    }
    return text
  }

  private func bound(
    _ field: ArchiveFieldReader.Field, _ fields: PropertyFields
  ) throws(ArchiveError) -> any Sendable {
    if let integer = archive.list.integer(at: field.value) { return Int64(integer) }
    return try reader.double(field, of: fields.number)
  }

  /// Decodes fields that few properties have. Fields that the flag word declares absent are kept as unknown.
  private func decodeRareFields(
    _ fields: PropertyFields, flagWord: Int, into property: NSPropertyDescription,
    unknown: inout [PreservedContent.Field]
  ) throws(ArchiveError) {
    for declarable in PropertyFields.Declarable.allCases {
      guard let field = fields[declarable.key] else { continue }
      if flagWord & declarable.rawValue != 0 {
        unknown.append(unknownField(field))
      } else {
        try decode(declarable, from: field, of: fields.number, into: property)
      }
    }
  }

  private func decode(
    _ kind: PropertyFields.Declarable, from field: ArchiveFieldReader.Field, of number: Int,
    into property: NSPropertyDescription
  ) throws(ArchiveError) {
    if kind == .versionHashModifier {
      guard let modifier = try reader.string(field, of: number) else { return }
      property.extra.versionHashModifier = modifier
      return
    }
    guard let object = try reader.reference(field, of: number) else { return }
    switch kind {
    case .versionHashModifier: break
    case .userInfo:
      let info = try userInfo(object)
      if !info.isEmpty { property.extra.userInfo = info }
    case .validationPredicates:
      var predicates: [NSPredicate] = []
      for member in try reader.members(ofCollection: object, .validationPredicates) {
        predicates.append(try predicate(member))
      }
      property.extra.validationPredicates = predicates
    case .validationWarnings:
      var warnings: [Any] = []
      for member in try reader.members(ofCollection: object, .validationWarnings) {
        warnings.append(try foundationValue(member)?.any ?? NSNull())
      }
      property.extra.validationWarnings = warnings
    }
  }
}
