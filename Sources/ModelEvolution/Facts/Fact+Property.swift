import DataModels
import Foundation

extension Fact {
  /// What is said about every property.
  private static let propertyFacts: [Fact] =
    settings(of: .property) + [
      Fact(
        "renamingIdentifier", of: NSPropertyDescription.self,
        .notCovered("a renaming identifier guides migration; no hash covers it"),
        read: { renaming($0.renamingIdentifier, name: $0.name) },
        write: { property, value, _ in property.renamingIdentifier = value.text }
      ).rare,
      Fact(
        "versionHashModifier", \NSPropertyDescription.versionHashModifier, .text,
        .covered("the hash modifier is part of the hash")
      ).rare,
      Fact(
        "validation", of: NSPropertyDescription.self,
        .notCovered("validation is not hashed"),
        read: { Validation.read(from: $0) },
        write: { property, value, _ in try Validation.write(value, to: property) }
      ).rare.ofType,
      Fact(
        "userInfo", \NSPropertyDescription.userInfo, .userInfo,
        .notCovered("user info is a note; no hash covers it"), merging: .fields
      ).rare,
    ]

  /// The yes-or-no settings that properties of every kind have, or those of one kind.
  private static func settings(of holder: PropertySetting.Holder) -> [Fact] {
    PropertySetting.rows.filter { $0.holder == holder }.compactMap { setting in
      setting.factName.map { name in
        Fact(
          name, of: NSPropertyDescription.self,
          setting.isHashed ? .covered(setting.reason) : .notCovered(setting.reason),
          // Fetched properties are transient whatever their flags say.
          read: { property in
            .flag(
              property.flags.contains(setting.flag)
                || (setting.flag == .transient && property.isTransient))
          },
          write: { property, value, _ in
            property.set(setting, to: try ValueForm<Bool>.flag.unwrap(value))
          })
      }
    }
  }

  /// What is said about every attribute.
  private static let commonAttributeFacts: [Fact] =
    propertyFacts + [
      Fact(
        "type", of: NSAttributeDescription.self, .covered("the type is part of the hash"),
        read: { $0.attributeType.modelValue },
        write: { attribute, value, _ in
          attribute.attributeType = try NSAttributeType(modelValue: value)
        }),
      Fact(
        "default", of: NSAttributeDescription.self,
        .notCovered("defaults are not hashed; stored rows keep their values"),
        read: { ModelValue(plain: $0.defaultValue) },
        write: { attribute, value, _ in attribute.defaultValue = value.plain }
      ).ofType,
      Fact(
        "valueClass", of: NSAttributeDescription.self,
        .notCovered("value classes are not hashed"),
        read: { attribute in
          let name = attribute.attributeValueClassName
          let isStandard = name == attribute.attributeType.standardValueClassName
          return isStandard ? .none : .optionalText(name)
        },
        write: { attribute, value, _ in
          attribute.attributeValueClassName =
            value.text ?? attribute.attributeType.standardValueClassName
        }
      ).ofType,
      Fact(
        "transformer", \NSAttributeDescription.valueTransformerName, .text,
        .notCovered("value transformers are not hashed")
      ).rare.ofType,
    ] + settings(of: .attribute).map { $0.name == "externalStorage" ? $0.ofType : $0 }

  static let attributeFacts = commonAttributeFacts

  static let derivedAttributeFacts: [Fact] =
    commonAttributeFacts.map {
      $0.uncovered("a derived attribute is hashed by its expression and filter only")
    } + [
      Fact(
        "derivation", \NSDerivedAttributeDescription.derivationExpression, .expression,
        .covered("the derivation's text is the attribute's hash"), references: .owner),
      Fact(
        "filter", \NSDerivedAttributeDescription.filteringPredicate, .predicate,
        .covered("the filter's text is part of the hash")),
    ]

  static let compositeAttributeFacts: [Fact] =
    commonAttributeFacts.map {
      $0.uncovered("a composite attribute is hashed by its elements only")
    } + [
      Fact(
        "elements", of: NSCompositeAttributeDescription.self,
        .covered("the elements' hashes are the attribute's hash"),
        read: { CompositeElements.read(from: $0) },
        write: { attribute, value, editor in
          try CompositeElements.write(value, to: attribute, editor)
        })
    ]

  static let relationshipFacts: [Fact] =
    propertyFacts + [
      Fact(
        "destination", of: NSRelationshipDescription.self,
        .covered("the destination's name is part of the hash"), references: .owner,
        read: { $0.destinationEntityName.map(ModelValue.entity) ?? .none },
        write: { relationship, value, editor in
          editor.keepInverse(of: relationship)
          relationship.destinationEntity = value.entityName.flatMap(editor.knownEntity(named:))
          // A reference that leads nowhere is kept as it was.
          if relationship.destinationEntity == nil {
            relationship.destinationEntityName = value.entityName
          }
        }),
      Fact(
        "inverse", of: NSRelationshipDescription.self,
        .covered("the inverse's name is part of the hash"), references: .destination,
        read: { $0.inverseRelationshipName.map { .property($0) } ?? .none },
        write: { relationship, value, editor in
          try editor.setInverse(of: relationship, to: value.propertyName)
        }),
      Fact(
        "maxCount", \NSRelationshipDescription.maxCount, .integer,
        .covered("the greatest count is part of the hash")),
      Fact(
        "minCount", \NSRelationshipDescription.minCount, .integer,
        .covered("the least count is part of the hash")),
      Fact(
        "deleteRule", of: NSRelationshipDescription.self,
        .notCovered("delete rules act at run time; no hash covers them"),
        read: { $0.deleteRule.modelValue },
        write: { relationship, value, _ in
          relationship.deleteRule = try NSDeleteRule(modelValue: value)
        }),
    ] + settings(of: .relationship)

  static let fetchedPropertyFacts: [Fact] =
    propertyFacts.map { $0.uncovered("fetched properties are not hashed") } + [
      Fact(
        "request", of: NSFetchedPropertyDescription.self,
        .notCovered("fetched properties are not hashed"), merging: .fields, references: .owner,
        read: { property in
          property.fetchRequest.map { FetchRequestFields.read(from: $0) } ?? .none
        },
        write: { property, value, editor in
          property.fetchRequest = try FetchRequestFields.make(from: value, editor)
        })
    ]

  static let expressionPropertyFacts: [Fact] =
    propertyFacts.map { $0.uncovered("expressions are not hashed") } + [
      Fact(
        "expression", \NSExpressionDescription.expression, .expression,
        .notCovered("expressions are not hashed")),
      Fact(
        "resultType", of: NSExpressionDescription.self,
        .notCovered("expressions are not hashed"),
        read: { $0.expressionResultType.modelValue },
        write: { property, value, _ in
          property.expressionResultType = try NSAttributeType(modelValue: value)
        }),
    ]
}

/// The validation of a property: predicates, each with what its failure says.
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
