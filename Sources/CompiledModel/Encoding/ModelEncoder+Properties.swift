import Foundation
import KeyedArchive
import ManagedModel
import PredicateFormat

extension ModelEncoder {
  func encode(
    _ property: NSPropertyDescription, entity: Int?, into assembler: inout Assembler
  ) throws(ArchiveError) -> Int {
    try putCommonFields(of: property, entity: entity, &assembler)
    let type: Int
    switch property {
    case let attribute as NSDerivedAttributeDescription:
      try putFields(of: attribute, &assembler)
      put(.derivationExpression, attribute.derivationExpression?.tree, &assembler)
      try put(.filteringPredicate, attribute.filteringPredicate, &assembler)
      type = assembler.classIndex(
        ModelClasses.property("NSDerivedAttributeDescription", "NSAttributeDescription"))
    case let attribute as NSCompositeAttributeDescription:
      try putFields(of: attribute, &assembler)
      putObject(
        ModelKey.compositeElements.id,
        .array(
          attribute.elements.map { .item(.property($0, entity: nil), nil) }, isMutable: false),
        &assembler)
      type = assembler.classIndex(
        ModelClasses.property("NSCompositeAttributeDescription", "NSAttributeDescription"))
    case let attribute as NSAttributeDescription:
      try putFields(of: attribute, &assembler)
      type = classes.attribute(&assembler)
    case let relationship as NSRelationshipDescription:
      putFields(of: relationship, &assembler)
      type = classes.relationship(&assembler)
    case let fetched as NSFetchedPropertyDescription:
      if let request = fetched.fetchRequest {
        putObject(ModelKey.fetchRequest.id, .fetchRequest(request), &assembler)
      } else {
        assembler.putNil(ModelKey.fetchRequest.id)
      }
      assembler.put(
        ModelKey.fetchRequestEntityName.id,
        leaf: fetched.fetchRequest?.entityName.map { assembler.text($0) })
      type = assembler.classIndex(
        ModelClasses.property("NSFetchedPropertyDescription"))
    case let description as NSExpressionDescription:
      put(.expression, description.expression?.tree, &assembler)
      assembler.put(
        ModelKey.expressionType.id, int64: Int(description.storedResultType.rawValue))
      type = assembler.classIndex(
        ModelClasses.property("NSExpressionDescription"))
    default:
      throw ArchiveError(
        .invalidContent,
        "the property \"\(property.storedName)\" is none of the kinds a model can hold")
    }
    return putPreserved(property.preserved, class: type, &assembler)
  }

  private static let flagKeys: [(PropertyFlags, ModelKey)] = [
    (.optional, .isOptional), (.readOnly, .isReadOnly), (.transient, .isTransient),
    (.indexedBySpotlight, .isIndexedBySpotlight), (.storedInExternalRecord, .isStoredInTruth),
    (.ordered, .isOrdered), (.allowsCloudEncryption, .allowsCloudEncryption),
  ]

  private func putCommonFields(
    of property: NSPropertyDescription, entity: Int?, _ assembler: inout Assembler
  ) throws(ArchiveError) {
    let flags = property.flags.rawValue & PropertyFlags.archived.rawValue
    if flags != 0 {
      for (flag, key) in Self.flagKeys where flags & flag.rawValue != 0 {
        assembler.put(key.id, boolean: true)
      }
    }
    let name = assembler.text(property.storedName)
    let renaming = property.explicitRenamingIdentifier
    assembler.put(
      ModelKey.renamingIdentifier.id, leaf: renaming.map { assembler.text($0) } ?? name)
    assembler.put(ModelKey.propertyName.id, leaf: name)
    assembler.put(ModelKey.entity.id, conditional: entity.flatMap(identity(ofEntity:)))
    // Bit 0 says that the word counts; bits 4 to 7 that a key is not there.
    var word = Int(flags) | 0x1
    let predicates = property.extras?.validationPredicates ?? []
    if predicates.isEmpty {
      word |= 0x10
    } else {
      putObject(
        ModelKey.validationPredicates.id,
        .array(try elements(predicates), isMutable: false), &assembler)
    }
    let warnings = property.extras?.validationWarnings ?? []
    if warnings.isEmpty {
      word |= 0x20
    } else {
      var archived: [Element] = []
      for warning in warnings {
        guard let value = ArchiveFoundationValue(warning) else {
          throw ArchiveError(
            .invalidContent,
            "a validation warning of \"\(property.storedName)\" is neither text nor number")
        }
        archived.append(element(value, &assembler))
      }
      putObject(ModelKey.validationWarnings.id, .array(archived, isMutable: false), &assembler)
    }
    if let info = property.extras?.userInfo, !info.isEmpty {
      putObject(
        ModelKey.userInfo.id,
        try userInfo(info, of: "the property \"\(property.storedName)\"", &assembler), &assembler)
    } else {
      word |= 0x40
    }
    if let modifier = property.extras?.versionHashModifier, !modifier.isEmpty {
      assembler.put(ModelKey.versionHashModifier.id, leaf: assembler.text(modifier))
    } else {
      word |= 0x80
    }
    assembler.put(ModelKey.flagWord.id, int32: word)
  }

  private func elements(_ predicates: [NSPredicate]) throws(ArchiveError) -> [Element] {
    var elements: [Element] = []
    for predicate in predicates { elements.append(.item(try item(predicate), nil)) }
    return elements
  }

  // MARK: Attributes

  private func putFields(
    of attribute: NSAttributeDescription, _ assembler: inout Assembler
  ) throws(ArchiveError) {
    assembler.put(ModelKey.attributeType.id, int32: Int(attribute.storedType.rawValue))
    let className = attribute.attributeValueClassName
    assembler.put(
      ModelKey.valueClassName.id,
      leaf: className.map {
        // The one class name that momc does not take from a table; of 32 bits, it took none.
        $0 == "NSDecimalNumber" || vintage.is32Bit
          ? assembler.distinctText($0) : assembler.text($0)
      })
    try putDefaultValue(of: attribute, &assembler)
    assembler.put(
      ModelKey.valueTransformerName.id,
      leaf: attribute.valueTransformerName.map { assembler.text($0) })
    if attribute.flags.contains(.indexed) { assembler.put(ModelKey.isIndexed.id, boolean: true) }
    var flags = 0
    if attribute.inlineMaxValue != nil { flags |= 0x01 }
    if attribute.inlineMinValue != nil { flags |= 0x02 }
    if attribute.flags.contains(.allowsExternalBinaryDataStorage) { flags |= 0x04 }
    if attribute.flags.contains(.preservesValueInHistoryOnDeletion) { flags |= 0x10 }
    if attribute.flags.contains(.fileBackedFuture) { flags |= 0x20 }
    assembler.put(ModelKey.flags.id, int32: flags)
    putBound(.maxValue, attribute.inlineMaxValue, &assembler)
    putBound(.minValue, attribute.inlineMinValue, &assembler)
  }

  private func putBound(_ key: ModelKey, _ value: (any Sendable)?, _ assembler: inout Assembler) {
    switch value {
    case let value as Int64: assembler.put(key.id, int64: Int(value))
    case let value as Double: assembler.put(key.id, double: value)
    default: break
    }
  }

  private func putDefaultValue(
    of attribute: NSAttributeDescription, _ assembler: inout Assembler
  ) throws(ArchiveError) {
    let key = ModelKey.defaultValue.id
    var value = attribute.storedDefault
    if attribute.storedType == .booleanAttributeType {
      // Run-time models have 0 and 1; what momc writes are booleans.
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
      if let archived = box.value as? ArchivedValue {
        putObject(
          key, .foreign(archived.source, archived.number),
          foreignIdentity(archived.source, archived.number, &assembler), &assembler)
      } else if let decimal = (attribute.preserved as? PreservedContent)?.decimal {
        putObject(key, .foundation(.decimal(decimal)), &assembler)
      } else if let value = ArchiveFoundationValue(box.value) {
        put(.defaultValue, element(value, &assembler), &assembler)
      } else {
        throw ArchiveError(
          .invalidContent,
          "the default value of \"\(attribute.storedName)\" is of a type that cannot be archived:"
            + " \(Swift.type(of: box.value))")
      }
    }
  }

  // MARK: Relationships

  private func putFields(
    of relationship: NSRelationshipDescription, _ assembler: inout Assembler
  ) {
    assembler.put(ModelKey.maxCount.id, int32: relationship.storedMaxCount)
    assembler.put(ModelKey.minCount.id, int32: relationship.storedMinCount)
    assembler.put(ModelKey.deleteRule.id, int32: Int(relationship.storedDeleteRule.rawValue))
    let destination = relationship.destinationEntity
    assembler.put(ModelKey.destinationEntity.id, conditional: identity(of: destination))
    assembler.put(
      ModelKey.destinationEntityName.id,
      leaf: (destination?.storedName ?? relationship.destinationEntityName).map {
        assembler.text($0)
      })
    let inverse = relationship.inverseRelationship
    // An inverse that is in no entity of the model would be a reference to nothing.
    let position = inverse.flatMap { properties.position(of: $0, entityPositions) }
    assembler.put(
      ModelKey.inverseRelationship.id,
      conditional: position.flatMap { firstPropertyIdentity?.advanced(by: $0) })
    assembler.put(
      ModelKey.inverseRelationshipName.id,
      leaf: (inverse?.storedName ?? relationship.inverseRelationshipName).map {
        assembler.text($0)
      })
  }
}
