import Foundation
import PredicateFormat
import PropertyLists

extension ModelEncoder {
  /// Encodes the fields of a property.
  ///
  /// - Parameters:
  ///   - entity: The index of its entity; `nil` if it does not belong to one.
  ///   - name: The leaf of its name.
  func encode(
    _ property: NSPropertyDescription, entity: Int?, name: Identity,
    into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    let extras = property.extras
    try putCommonFields(of: property, extras, entity: entity, name: name, into: &assembler)
    let type: Int
    // Nearly all properties are of these two classes, for which no subclass checks are needed.
    switch ObjectIdentifier(Swift.type(of: property)) {
    case ObjectIdentifier(NSAttributeDescription.self):
      let attribute = unsafeDowncast(property, to: NSAttributeDescription.self)
      try putFields(of: attribute, extras, into: &assembler)
      type = classes.attribute(into: &assembler)
    case ObjectIdentifier(NSRelationshipDescription.self):
      let relationship = unsafeDowncast(property, to: NSRelationshipDescription.self)
      putFields(of: relationship, into: &assembler)
      type = classes.relationship(into: &assembler)
    default:
      type = try encodeSpecial(property, extras, into: &assembler)
    }
    guard let preserved = extras?.preserved else { return type }
    return putPreserved(preserved, class: type, into: &assembler)
  }

  /// Encodes the fields specific to the rarer kinds of properties and to custom subclasses.
  private func encodeSpecial(
    _ property: NSPropertyDescription, _ extras: PropertyExtras?, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    switch property {
    case let attribute as NSDerivedAttributeDescription:
      try putFields(of: attribute, extras, into: &assembler)
      put(.derivationExpression, attribute.derivationExpression?.tree, into: &assembler)
      try put(.filteringPredicate, attribute.filteringPredicate, into: &assembler)
      return assembler.classIndex(
        ModelClasses.property("NSDerivedAttributeDescription", "NSAttributeDescription"))
    case let attribute as NSCompositeAttributeDescription:
      try putFields(of: attribute, extras, into: &assembler)
      putObject(
        ModelKey.compositeElements.id,
        .array(
          attribute.elements.map { .item(.property($0, entity: nil), nil) }, isMutable: false),
        into: &assembler)
      return assembler.classIndex(
        ModelClasses.property("NSCompositeAttributeDescription", "NSAttributeDescription"))
    case let attribute as NSAttributeDescription:
      try putFields(of: attribute, extras, into: &assembler)
      return classes.attribute(into: &assembler)
    case let relationship as NSRelationshipDescription:
      putFields(of: relationship, into: &assembler)
      return classes.relationship(into: &assembler)
    case let fetched as NSFetchedPropertyDescription:
      if let request = fetched.fetchRequest {
        putObject(ModelKey.fetchRequest.id, .fetchRequest(request), into: &assembler)
      } else {
        assembler.putNil(ModelKey.fetchRequest.id)
      }
      assembler.put(
        ModelKey.fetchRequestEntityName.id,
        leaf: fetched.fetchRequest?.entityName.map { assembler.text($0) })
      return assembler.classIndex(
        ModelClasses.property("NSFetchedPropertyDescription"))
    case let description as NSExpressionDescription:
      put(.expression, description.expression?.tree, into: &assembler)
      assembler.put(
        ModelKey.expressionType.id, int64: Int(description.storedResultType.rawValue))
      return assembler.classIndex(
        ModelClasses.property("NSExpressionDescription"))
    default:
      throw ArchiveError(
        .invalidContent,
        "the property '\(property.storedName)' is none of the kinds a model can hold")
    }
  }

  /// The settings in the flag word, each with its key, in bit order.
  private static let flagKeys: [(PropertyFlags, ModelKey)] = PropertySetting.rows
    .filter { PropertyFlags.archived.contains($0.flag) }
    .sorted { $0.flag.rawValue < $1.flag.rawValue }
    .compactMap { row in row.archiveKey.map { (row.flag, $0) } }

  private func putCommonFields(
    of property: NSPropertyDescription, _ extras: PropertyExtras?, entity: Int?, name: Identity,
    into assembler: inout Assembler
  ) throws(ArchiveError) {
    let flags = property.flags.intersection(.archived)
    if flags == .optional {
      assembler.put(ModelKey.isOptional.id, boolean: true)
    } else if !flags.isEmpty {
      for (flag, key) in Self.flagKeys where flags.contains(flag) {
        assembler.put(key.id, boolean: true)
      }
    }
    assembler.put(
      ModelKey.renamingIdentifier.id,
      leaf: extras?.renamingIdentifier.map { assembler.text($0) } ?? name)
    assembler.put(ModelKey.propertyName.id, leaf: name)
    assembler.put(ModelKey.entity.id, conditional: entity.flatMap(identity(ofEntity:)))
    // Bit 0 says that the word is valid; bits 4 to 7 say that a key is absent.
    var absent = 0xF0
    if let extras { absent = try putExtras(extras, of: property, into: &assembler) }
    assembler.put(ModelKey.flagWord.id, int32: Int(flags.rawValue) | 0x1 | absent)
  }

  /// Encodes fields that few properties have.
  ///
  /// - Returns: A bit for each absent key.
  private func putExtras(
    _ extras: PropertyExtras, of property: NSPropertyDescription, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    var absent = 0
    if extras.validationPredicates.isEmpty {
      absent |= 0x10
    } else {
      putObject(
        ModelKey.validationPredicates.id,
        .array(try elements(extras.validationPredicates), isMutable: false), into: &assembler)
    }
    if extras.validationWarnings.isEmpty {
      absent |= 0x20
    } else {
      var archived: [Element] = []
      for warning in extras.validationWarnings {
        guard let value = ArchiveFoundationValue(warning) else {
          throw ArchiveError(
            .invalidContent,
            "a validation warning of '\(property.storedName)' is neither text nor number")
        }
        archived.append(element(value, into: &assembler))
      }
      putObject(
        ModelKey.validationWarnings.id, .array(archived, isMutable: false), into: &assembler)
    }
    if extras.userInfo.isEmpty {
      absent |= 0x40
    } else {
      putObject(
        ModelKey.userInfo.id,
        try userInfo(
          extras.userInfo, of: "the property '\(property.storedName)'", into: &assembler),
        into: &assembler)
    }
    if let modifier = extras.versionHashModifier, !modifier.isEmpty {
      assembler.put(ModelKey.versionHashModifier.id, leaf: assembler.text(modifier))
    } else {
      absent |= 0x80
    }
    return absent
  }

  private func elements(_ predicates: [NSPredicate]) throws(ArchiveError) -> [Element] {
    var elements: [Element] = []
    for predicate in predicates { elements.append(.item(try item(predicate), nil)) }
    return elements
  }

  // MARK: Attributes

  private func putFields(
    of attribute: NSAttributeDescription, _ extras: PropertyExtras?,
    into assembler: inout Assembler
  ) throws(ArchiveError) {
    assembler.put(ModelKey.attributeType.id, int32: Int(attribute.storedType.rawValue))
    assembler.put(ModelKey.valueClassName.id, leaf: valueClassLeaf(of: attribute, into: &assembler))
    try putDefaultValue(of: attribute, into: &assembler)
    assembler.put(
      ModelKey.valueTransformerName.id,
      leaf: extras?.valueTransformerName.map { assembler.text($0) })
    let settings = attribute.flags
    if settings.contains(.indexed) { assembler.put(ModelKey.isIndexed.id, boolean: true) }
    var flags = settings.attributeWord
    guard let extras, extras.maxValue != nil || extras.minValue != nil else {
      assembler.put(ModelKey.flags.id, int32: flags)
      return
    }
    if extras.maxValue != nil { flags |= 0x01 }
    if extras.minValue != nil { flags |= 0x02 }
    assembler.put(ModelKey.flags.id, int32: flags)
    putBound(.maxValue, extras.maxValue, into: &assembler)
    putBound(.minValue, extras.minValue, into: &assembler)
  }

  private func valueClassLeaf(
    of attribute: NSAttributeDescription, into assembler: inout Assembler
  ) -> Identity? {
    guard attribute.flags.contains(.ownValueClass) else {
      return valueClassLeaf(of: attribute.storedType, into: &assembler)
    }
    return attribute.attributeValueClassName.map {
      sharedValueClassLeaf($0, into: &assembler) ?? assembler.distinctText($0)
    }
  }

  private func putBound(_ key: ModelKey, _ value: (any Sendable)?, into assembler: inout Assembler)
  {
    switch value {
    case let value as Int64: assembler.put(key.id, int64: Int(value))
    case let value as Double: assembler.put(key.id, double: value)
    default: break
    }
  }

  private func putDefaultValue(
    of attribute: NSAttributeDescription, into assembler: inout Assembler
  ) throws(ArchiveError) {
    let key = ModelKey.defaultValue.id
    var value = attribute.storedDefault
    if attribute.storedType == .booleanAttributeType {
      // Run-time models have 0 and 1, but momc writes booleans.
      value = value.normalized(for: .booleanAttributeType) ?? value
    }
    switch value {
    case .none: assembler.putNil(key)
    case .bool(let value): assembler.put(key, leaf: assembler.boxed(boolean: value))
    case .integer(let value): assembler.put(key, leaf: assembler.boxed(integer: Int(value)))
    case .double(let value): assembler.put(key, leaf: assembler.boxed(double: value))
    case .float(let value):
      assembler.put(
        key,
        leaf: vintage.is32Bit
          ? assembler.boxed(double: Double(value)) : assembler.boxed(float: value))
    case .string(let value): assembler.put(key, leaf: assembler.text(value))
    case .other(let box):
      if let archived = box.value as? UnknownArchivedObject {
        putObject(
          key, item: .foreign(archived.source, archived.number),
          identity: foreignIdentity(archived.source, archived.number, into: &assembler),
          into: &assembler)
      } else if let value = ArchiveFoundationValue(box.value) {
        // The archive's form is of the value that was read; another one may have been set since.
        let exact = (attribute.preserved as? PreservedContent)?.defaultValue
          .flatMap { ArchiveFoundationValue($0.any) == value ? $0 : nil }
        put(.defaultValue, element(exact ?? value, into: &assembler), into: &assembler)
      } else {
        throw ArchiveError(
          .invalidContent,
          "the default value of '\(attribute.storedName)' is of a type that cannot be archived:"
            + " \(Swift.type(of: box.value))")
      }
    }
  }

  // MARK: Relationships

  private func putFields(
    of relationship: NSRelationshipDescription, into assembler: inout Assembler
  ) {
    assembler.put(ModelKey.maxCount.id, int32: relationship.storedMaxCount)
    assembler.put(ModelKey.minCount.id, int32: relationship.storedMinCount)
    assembler.put(ModelKey.deleteRule.id, int32: Int(relationship.storedDeleteRule.rawValue))
    let destination = relationship.destinationEntity
    let position = destination.flatMap { entityPositions[$0] }
    assembler.put(
      ModelKey.destinationEntity.id, conditional: position.flatMap(identity(ofEntity:)))
    if let position {
      assembler.put(
        ModelKey.destinationEntityName.id, leaf: nameLeaf(ofEntity: position, into: &assembler))
    } else {
      assembler.put(
        ModelKey.destinationEntityName.id,
        leaf: (destination?.storedName ?? relationship.destinationEntityName).map {
          assembler.text($0)
        })
    }
    let inverse = relationship.inverseRelationship
    // An inverse that isn't in any entity of the model would be a dangling reference.
    if let index = inverse.flatMap({ properties.position(of: $0) }) {
      assembler.put(
        ModelKey.inverseRelationship.id, conditional: firstPropertyIdentity?.advanced(by: index))
      assembler.put(
        ModelKey.inverseRelationshipName.id, leaf: nameLeaf(ofProperty: index, into: &assembler))
    } else {
      assembler.putNil(ModelKey.inverseRelationship.id)
      assembler.put(
        ModelKey.inverseRelationshipName.id,
        leaf: (inverse?.storedName ?? relationship.inverseRelationshipName).map {
          assembler.text($0)
        })
    }
  }
}
