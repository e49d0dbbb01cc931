import DataModels
import Foundation

extension Fact {
  /// The facts of every property.
  private static let propertyFacts: [Fact] =
    settings(of: .property) + PropertyFact.allCases.compactMap(propertyFact).map(\.rare)

  private static func propertyFact(_ row: PropertyFact) -> Fact? {
    switch row {
    case .renamingIdentifier:
      Fact(
        row, read: { renaming($0.renamingIdentifier, name: $0.name) },
        write: { property, value, _ in property.renamingIdentifier = value.text })
    case .versionHashModifier: Fact(row, \.versionHashModifier, as: .text)
    case .validationPredicates:
      Fact(
        row, read: { Validation.read(from: $0) },
        write: { property, value, _ in try Validation.write(value, to: property) }
      ).ofType
    // Included in the fact for the predicates.
    case .validationWarnings: nil
    case .userInfo: Fact(row, \.userInfo, as: .userInfo, merging: .fields)
    }
  }

  /// The Boolean settings of properties of all kinds, or of one kind.
  private static func settings(of holder: PropertySetting.Holder) -> [Fact] {
    PropertySetting.rows.filter { $0.holder == holder }.compactMap { setting in
      setting.factName.map { name in
        Fact(
          name, of: NSPropertyDescription.self,
          hash: setting.isHashed ? .covered(setting.reason) : .notCovered(setting.reason),
          // Fetched properties are transient regardless of their flags.
          read: { property in
            .flag(
              property.flags.contains(setting.flag)
                || (setting.flag == .transient && property.isTransient))
          },
          write: { property, value, editor in
            let isOn = try ValueForm<Bool>.flag.unwrap(value)
            property.set(setting, to: isOn)
            if isOn, setting.flag == .indexed { editor.keepMark(of: property) }
          })
      }
    }
  }

  /// The facts of every attribute.
  static let attributeFacts: [Fact] =
    propertyFacts + AttributeFact.allCases.compactMap(attributeFact)
    + settings(of: .attribute).map { $0.name == "externalStorage" ? $0.ofType : $0 }

  private static func attributeFact(_ row: AttributeFact) -> Fact? {
    switch row {
    case .type:
      Fact(
        row, read: { $0.attributeType.modelValue },
        write: { attribute, value, _ in
          attribute.attributeType = try NSAttributeType(modelValue: value)
        })
    case .defaultValue:
      Fact(
        row, read: { ModelValue(plain: $0.swiftDefaultValue) },
        write: { attribute, value, _ in
          // A fact has any floating-point number as a Double.
          let given = AttributeValue(value.plain)
          attribute.defaultValue = (given.normalized(for: attribute.attributeType) ?? given).any
        }
      ).ofType
    case .valueClass:
      Fact(
        row,
        read: { attribute in
          let name = attribute.attributeValueClassName
          let isStandard = name == attribute.attributeType.standardValueClassName
          return isStandard ? .none : .optionalText(name)
        },
        write: { attribute, value, _ in
          attribute.attributeValueClassName =
            value.text ?? attribute.attributeType.standardValueClassName
        }
      ).ofType
    case .transformer: Fact(row, \.valueTransformerName, as: .exactText).rare.ofType
    case .minValue, .maxValue: nil
    }
  }

  static let derivedAttributeFacts: [Fact] =
    attributeFacts.map {
      $0.uncovered("a derived attribute is hashed by its expression and filter only")
    }
    + DerivationFact.allCases.map { row in
      switch row {
      case .expression:
        Fact(row, \.derivationExpression, as: .expression, references: .owner).ofType
      case .filter: Fact(row, \.filteringPredicate, as: .predicate)
      }
    }

  static let compositeAttributeFacts: [Fact] =
    attributeFacts.map {
      $0.uncovered("a composite attribute is hashed by its elements only")
    } + [
      Fact(
        CompositeFact.elements, merging: .elements, read: { CompositeElements.read(from: $0) },
        write: { attribute, value, editor in
          try CompositeElements.write(value, to: attribute, editor)
        })
    ]

  static let relationshipFacts: [Fact] =
    propertyFacts + RelationshipFact.allCases.map(relationshipFact) + settings(of: .relationship)

  private static func relationshipFact(_ row: RelationshipFact) -> Fact {
    switch row {
    case .destination:
      Fact(
        row, references: .owner,
        read: { $0.destinationEntityName.map(ModelValue.entity) ?? .none },
        write: { relationship, value, editor in
          editor.keepInverse(of: relationship)
          relationship.destinationEntity = value.entityName.flatMap(editor.knownEntity(named:))
          // A reference without a target is kept by name.
          if relationship.destinationEntity == nil {
            relationship.destinationEntityName = value.entityName
          }
        })
    case .inverse:
      Fact(
        row, references: .destination,
        read: { $0.inverseRelationshipName.map { .property($0) } ?? .none },
        write: { relationship, value, editor in
          try editor.setInverse(of: relationship, to: value.propertyName)
        })
    case .maxCount: Fact(row, \.maxCount, as: .integer)
    case .minCount: Fact(row, \.minCount, as: .integer)
    case .deleteRule:
      Fact(
        row, read: { $0.deleteRule.modelValue },
        write: { relationship, value, _ in
          relationship.deleteRule = try NSDeleteRule(modelValue: value)
        })
    }
  }

  static let fetchedPropertyFacts: [Fact] =
    propertyFacts.map { $0.uncovered("fetched properties are not hashed") } + [
      Fact(
        "request", of: NSFetchedPropertyDescription.self,
        hash: .notCovered("fetched properties are not hashed"), merging: .fields,
        references: .owner,
        read: { property in
          property.fetchRequest.map { FetchRequestFields.read(from: $0) } ?? .none
        },
        write: { property, value, editor in
          property.fetchRequest = try FetchRequestFields.make(from: value, editor)
        })
    ]

  static let expressionPropertyFacts: [Fact] =
    propertyFacts.map { $0.uncovered("expressions are not hashed") }
    + ExpressionFact.allCases.map { row in
      switch row {
      case .expression: Fact(row, \.expression, as: .expression)
      case .resultType:
        Fact(
          row, read: { $0.expressionResultType.modelValue },
          write: { property, value, _ in
            property.expressionResultType = try NSAttributeType(modelValue: value)
          })
      }
    }
}

/// The validation of a property: predicates, each with its warning.
private enum Validation {
  static func read(from property: NSPropertyDescription) -> ModelValue {
    let predicates = property.validationPredicates
    guard !predicates.isEmpty else { return .none }
    let warnings = property.validationWarnings
    return .list(
      predicates.enumerated().map { index, predicate in
        .record([
          "predicate": .predicate(ModelPredicate(predicate)),
          "warning": index < warnings.count ? ModelValue(plain: warnings[index]) : .none,
        ])
      })
  }

  static func write(_ value: ModelValue, to property: NSPropertyDescription) throws {
    let rules = value.members.map(\.fields)
    property.setValidation(
      try rules.compactMap {
        try ValueForm<NSPredicate?>.predicate.unwrap($0["predicate"] ?? .none)
      },
      warnings: rules.map { $0["warning"]?.plain ?? 0 })
  }
}
