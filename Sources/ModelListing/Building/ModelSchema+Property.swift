import DataModels
import Foundation

extension ModelSchema.Property {
  /// Creates the schema of a property.
  init(_ property: NSPropertyDescription) {
    self.init(Common(property), Detail(property))
  }
}

extension ModelSchema.Property.Common {
  init(_ property: NSPropertyDescription) {
    self.init(name: property.name)
    for fact in PropertyFact.allCases {
      switch fact {
      case .renamingIdentifier: renamingIdentifier = property.explicitRenamingIdentifier
      case .versionHashModifier: versionHashModifier = property.versionHashModifier
      case .validationPredicates:
        let warnings = property.validationWarnings
        validation = property.validationPredicates.enumerated().map { position, predicate in
          ModelSchema.ValidationRule(
            predicate: FormatText.text(of: predicate),
            warning: position < warnings.count ? ModelSchema.Value(warnings[position]) : nil)
        }
      // Listed with the predicates.
      case .validationWarnings: break
      case .userInfo: userInfo = ModelSchema.Value.userInfo(property.userInfo)
      }
    }
    for setting in PropertySetting.allCases {
      switch setting {
      case .optional: isOptional = property.isOptional
      case .transient: isTransient = property.isTransient
      case .readOnly: isReadOnly = property.isReadOnly
      case .indexed: isIndexed = property.isIndexed
      case .indexedBySpotlight: isIndexedBySpotlight = property.isIndexedBySpotlight
      case .storedInExternalRecord: isStoredInExternalRecord = property.isStoredInExternalRecord
      // Listed with attributes and relationships, or not found in any file.
      case .ordered, .allowsExternalBinaryDataStorage, .preservesValueInHistoryOnDeletion,
        .allowsCloudEncryption, .fileBackedFuture:
        break
      }
    }
  }
}

extension ModelSchema.Property.Detail {
  init(_ property: NSPropertyDescription) {
    switch property {
    case let attribute as NSAttributeDescription:
      self = .attribute(ModelSchema.Attribute(attribute))
    case let relationship as NSRelationshipDescription:
      self = .relationship(ModelSchema.Relationship(relationship))
    case let fetched as NSFetchedPropertyDescription:
      self = .fetchedProperty(
        .init(fetchRequest: fetched.fetchRequest.map { ModelSchema.FetchRequest($0) }))
    case let expression as NSExpressionDescription:
      self = .expression(ModelSchema.ExpressionResult(expression))
    default:
      self = .expression(.init(expression: nil, resultType: .init(rawValue: 0)))
    }
  }
}

extension ModelSchema.Attribute {
  /// Creates the schema of an attribute, with the elements of composites up to `depth` levels.
  init(_ attribute: NSAttributeDescription, depth: Int = 32) {
    let type = ModelSchema.AttributeType(rawValue: Int(attribute.attributeType.rawValue))
    self.init(
      type: type,
      allowsExternalBinaryDataStorage: attribute.allowsExternalBinaryDataStorage,
      preservesValueInHistoryOnDeletion: attribute.preservesValueInHistoryOnDeletion,
      allowsCloudEncryption: attribute.allowsCloudEncryption)
    for fact in AttributeFact.allCases {
      switch fact {
      case .type: break
      case .defaultValue: defaultValue = attribute.swiftDefaultValue.map { ModelSchema.Value($0) }
      case .valueClass:
        let className = attribute.attributeValueClassName
        valueClassName = className == type.usualValueClassName ? nil : className
      case .transformer: valueTransformerName = attribute.valueTransformerName
      // Not found in any file.
      case .minValue, .maxValue: break
      }
    }
    if let derived = attribute as? NSDerivedAttributeDescription {
      derivation = ModelSchema.Derivation(
        expression: derived.derivationExpression.map { FormatText.text(of: $0) },
        filter: derived.filteringPredicate.map { FormatText.text(of: $0) })
    }
    if let composite = attribute as? NSCompositeAttributeDescription {
      elements = depth == 0 ? [] : Self.elements(of: composite, depth: depth - 1)
    }
  }

  private static func elements(
    of composite: NSCompositeAttributeDescription, depth: Int
  ) -> [ModelSchema.Property] {
    composite.elements
      .map { element in
        ModelSchema.Property(
          .init(element), .attribute(ModelSchema.Attribute(element, depth: depth)))
      }
      .sorted { $0.name < $1.name }
  }
}

extension ModelSchema.Relationship {
  /// Creates the schema of a relationship.
  init(_ relationship: NSRelationshipDescription) {
    self.init(
      destination: relationship.destinationEntityName, maxCount: relationship.maxCount,
      isOrdered: relationship.isOrdered)
    for fact in RelationshipFact.allCases {
      switch fact {
      case .destination, .maxCount: break
      case .inverse: inverse = relationship.inverseRelationshipName
      case .minCount: minCount = relationship.minCount
      case .deleteRule: deleteRule = ModelSchema.DeleteRule(relationship.deleteRule)
      }
    }
  }
}

extension ModelSchema.DeleteRule {
  init(_ rule: NSDeleteRule) {
    switch rule {
    case .noActionDeleteRule: self = .noAction
    case .nullifyDeleteRule: self = .nullify
    case .cascadeDeleteRule: self = .cascade
    case .denyDeleteRule: self = .deny
    }
  }
}
