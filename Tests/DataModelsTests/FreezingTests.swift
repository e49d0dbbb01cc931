import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// One object of every class, in a model.
struct Specimens {
  let model = NSManagedObjectModel()
  let entity = NSEntityDescription()
  let plain = attribute("plain")
  let derived = NSDerivedAttributeDescription()
  let composite = NSCompositeAttributeDescription()
  let element = attribute("element")
  let relationship = NSRelationshipDescription()
  let fetched = NSFetchedPropertyDescription()
  let index = NSFetchIndexDescription(name: "index", elements: nil)
  let indexElement: NSFetchIndexElementDescription
  let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Entity")
  let expression = NSExpressionDescription()

  init() {
    entity.name = "Entity"
    derived.name = "derived"
    composite.name = "composite"
    composite.elements = [element]
    relationship.name = "relationship"
    fetched.name = "fetched"
    fetched.fetchRequest = NSFetchRequest(entityName: "Entity")
    expression.name = "expression"
    entity.properties = [plain, derived, composite, relationship, fetched]
    indexElement = NSFetchIndexElementDescription(property: expression, collationType: .binary)
    index.elements = [indexElement]
    entity.indexes = [index]
    model.entities = [entity]
    model.setFetchRequestTemplate(template, forName: "template")
  }
}

/// A setter, with the name that its trap mentions.
struct Setter: Sendable, CustomTestStringConvertible {
  let name: String
  let call: @Sendable (Specimens) -> Void

  init(_ name: String, _ call: @escaping @Sendable (Specimens) -> Void) {
    self.name = name
    self.call = call
  }

  var testDescription: String { name }

  static let all: [Setter] = model + entity + property + attribute + others + index + request

  private static let model = [
    Setter("-[NSManagedObjectModel setEntities:]") { $0.model.entities = [] },
    Setter("-[NSManagedObjectModel setEntities:forConfiguration:]") {
      $0.model.setEntities([], forConfigurationName: "C")
    },
    Setter("-[NSManagedObjectModel setFetchRequestTemplate:forName:]") {
      $0.model.setFetchRequestTemplate(nil, forName: "t")
    },
    Setter("-[NSManagedObjectModel setVersionIdentifiers:]") { $0.model.versionIdentifiers = [] },
    Setter("-[NSManagedObjectModel setLocalizationDictionary:]") {
      $0.model.localizationDictionary = nil
    },
  ]

  private static let entity = [
    Setter("-[NSEntityDescription setName:]") { $0.entity.name = "x" },
    Setter("-[NSEntityDescription setManagedObjectClassName:]") {
      $0.entity.managedObjectClassName = "x"
    },
    Setter("-[NSEntityDescription setAbstract:]") { $0.entity.isAbstract = true },
    Setter("-[NSEntityDescription setVersionHashModifier:]") {
      $0.entity.versionHashModifier = "x"
    },
    Setter("-[NSEntityDescription setRenamingIdentifier:]") { $0.entity.renamingIdentifier = "x" },
    Setter("-[NSEntityDescription setCoreSpotlightDisplayNameExpression:]") {
      $0.entity.coreSpotlightDisplayNameExpression = nil
    },
    Setter("-[NSEntityDescription setSubentities:]") { $0.entity.subentities = [] },
    Setter("-[NSEntityDescription setProperties:]") { $0.entity.properties = [] },
    Setter("-[NSEntityDescription setIndexes:]") { $0.entity.indexes = [] },
    Setter("-[NSEntityDescription setUniquenessConstraints:]") {
      $0.entity.uniquenessConstraints = []
    },
    Setter("-[NSEntityDescription setCompoundIndexes:]") { $0.entity.compoundIndexes = [] },
  ]

  private static let property = [
    Setter("-[NSPropertyDescription setName:]") { $0.plain.name = "x" },
    Setter("-[NSPropertyDescription setOptional:]") { $0.relationship.isOptional = false },
    Setter("-[NSPropertyDescription setTransient:]") { $0.fetched.isTransient = false },
    Setter("-[NSPropertyDescription setIndexed:]") { $0.plain.isIndexed = true },
    Setter("-[NSPropertyDescription setIndexedBySpotlight:]") {
      $0.plain.isIndexedBySpotlight = true
    },
    Setter("-[NSPropertyDescription setStoredInExternalRecord:]") {
      $0.plain.isStoredInExternalRecord = true
    },
    Setter("-[NSPropertyDescription setVersionHashModifier:]") {
      $0.derived.versionHashModifier = "x"
    },
    Setter("-[NSPropertyDescription setRenamingIdentifier:]") {
      $0.element.renamingIdentifier = "x"
    },
    Setter("-[NSPropertyDescription setValidationPredicates:withValidationWarnings:]") {
      $0.plain.setValidationPredicates(nil, withValidationWarnings: nil)
    },
  ]

  private static let attribute = [
    Setter("-[NSAttributeDescription setAttributeType:]") { $0.plain.type = .date },
    Setter("-[NSAttributeDescription setAttributeValueClassName:]") {
      $0.plain.attributeValueClassName = "x"
    },
    Setter("-[NSAttributeDescription setDefaultValue:]") { $0.element.defaultValue = "x" },
    Setter("-[NSAttributeDescription setAllowsExternalBinaryDataStorage:]") {
      $0.plain.allowsExternalBinaryDataStorage = true
    },
    Setter("-[NSAttributeDescription setPreservesValueInHistoryOnDeletion:]") {
      $0.plain.preservesValueInHistoryOnDeletion = true
    },
    Setter("-[NSAttributeDescription setAllowsCloudEncryption:]") {
      $0.plain.allowsCloudEncryption = true
    },
    Setter("-[NSAttributeDescription setValueTransformerName:]") {
      $0.plain.valueTransformerName = "x"
    },
    Setter("-[NSDerivedAttributeDescription setDerivationExpression:]") {
      $0.derived.derivationExpression = nil
    },
    Setter("-[NSCompositeAttributeDescription setElements:]") { $0.composite.elements = [] },
  ]

  private static let others = [
    Setter("-[NSRelationshipDescription setDestinationEntity:]") {
      $0.relationship.destinationEntity = nil
    },
    Setter("-[NSRelationshipDescription setInverseRelationship:]") {
      $0.relationship.inverseRelationship = nil
    },
    Setter("-[NSRelationshipDescription setMaxCount:]") { $0.relationship.maxCount = 1 },
    Setter("-[NSRelationshipDescription setMinCount:]") { $0.relationship.minCount = 1 },
    Setter("-[NSRelationshipDescription setDeleteRule:]") {
      $0.relationship.deleteRule = .denyDeleteRule
    },
    Setter("-[NSRelationshipDescription setOrdered:]") { $0.relationship.isOrdered = true },
    Setter("-[NSFetchedPropertyDescription setFetchRequest:]") { $0.fetched.fetchRequest = nil },
    Setter("-[NSExpressionDescription setExpression:]") { $0.expression.expression = nil },
    Setter("-[NSExpressionDescription setExpressionResultType:]") {
      $0.expression.resultType = .date
    },
  ]

  private static let index = [
    Setter("-[NSFetchIndexDescription setName:]") { $0.index.name = "x" },
    Setter("-[NSFetchIndexDescription setElements:]") { $0.index.elements = [] },
    Setter("-[NSFetchIndexDescription setPartialIndexPredicate:]") {
      $0.index.partialIndexPredicate = nil
    },
    Setter("-[NSFetchIndexElementDescription setCollationType:]") {
      $0.indexElement.collationType = .rTree
    },
    Setter("-[NSFetchIndexElementDescription setAscending:]") {
      $0.indexElement.isAscending = false
    },
  ]

  private static let request = [
    Setter("-[NSFetchRequest setEntity:]") { $0.template.entity = nil },
    Setter("-[NSFetchRequest setPredicate:]") { $0.fetched.fetchRequest?.predicate = nil },
    Setter("-[NSFetchRequest setSortDescriptors:]") { $0.template.sortDescriptors = [] },
    Setter("-[NSFetchRequest setFetchLimit:]") { $0.template.fetchLimit = 1 },
    Setter("-[NSFetchRequest setFetchOffset:]") { $0.template.fetchOffset = 1 },
    Setter("-[NSFetchRequest setFetchBatchSize:]") { $0.template.fetchBatchSize = 1 },
    Setter("-[NSFetchRequest setResultType:]") { $0.template.resultType = .countResultType },
    Setter("-[NSFetchRequest setIncludesSubentities:]") { $0.template.includesSubentities = false },
    Setter("-[NSFetchRequest setPropertiesToFetch:]") { $0.template.propertiesToFetch = [] },
    Setter("-[NSFetchRequest setHavingPredicate:]") { $0.template.havingPredicate = nil },
  ]
}

@Suite struct FreezingTests {
  @Test func everySetterWorksBefore() {
    let specimens = Specimens()
    #expect(specimens.model.isEditable)
    for setter in Setter.all { setter.call(specimens) }
  }

  @Test(arguments: Setter.all.indices)
  func everySetterTrapsAfter(place: Int) async throws {
    let result = await #expect(
      processExitsWith: .failure, observing: [\.standardErrorContent]
    ) { [place] in
      let specimens = Specimens()
      specimens.model.freeze()
      Setter.all[place].call(specimens)
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    let expected = "\(Setter.all[place].name): can't modify a model that is in use; copy it first"
    #expect(text.contains(expected), "\(text)")
  }

  @Test func aCopyIsEditableAgain() throws {
    let specimens = Specimens()
    specimens.model.freeze()
    #expect(!specimens.model.isEditable)
    let copy = try #require(specimens.model.copy() as? NSManagedObjectModel)
    #expect(copy.isEditable)
    copy.entities[0].name = "Other"
    copy.entities[0].properties[0].name = "other"
    copy.entities[0].indexes[0].elements[0].isAscending = false
    copy.fetchRequestTemplate(forName: "template")?.fetchLimit = 3
    #expect(specimens.entity.name == "Entity")
    #expect(specimens.template.fetchLimit == 0)
    let property = try #require(specimens.plain.copy() as? NSAttributeDescription)
    property.name = "copied"
    #expect(specimens.plain.name == "plain")
  }

  /// Accesses everything that is created lazily from many threads at once. Run this with the thread sanitizer.
  @Test(arguments: 0..<4) func afterFreezingManyThreadsMayRead(seed: UInt64) async {
    let model = RandomModel(seed: seed, entities: 8...16).model()
    let expected = Self.readings(of: model.deepCopy())
    model.freeze()
    await withTaskGroup(of: [String].self) { group in
      for _ in 0..<8 {
        group.addTask {
          model.freeze()
          return Self.readings(of: model)
        }
      }
      for await readings in group { #expect(readings == expected) }
    }
  }

  private static func readings(of model: NSManagedObjectModel) -> [String] {
    let copy = model.deepCopy()
    let findings = model.findings().map(\.description)
    let entities = model.entities.map { entity in
      let tables = [
        Array(entity.propertiesByName.keys), Array(entity.attributesByName.keys),
        Array(entity.relationshipsByName.keys), Array(entity.subentitiesByName.keys),
      ]
      let destinations = entity.relationshipsByName.values.map {
        "\($0.name) \($0.destinationEntity?.name ?? "") \($0.inverseRelationship?.name ?? "")"
      }
      let defaults = entity.attributesByName.values.map { "\($0.name) \($0.defaultValue ?? "")" }
      return "\(entity.versionHash.hex) \(tables.map { $0.sorted() }) \(destinations.sorted())"
        + " \(defaults.sorted()) \(entity.properties.count) \(copy.entitiesByName.count)"
    }
    return findings + entities + [model.versionChecksum]
  }

  /// Programmer errors that are detected without a frozen model.
  @Test func entitiesOfAnotherModelTrap() async {
    await #expect(processExitsWith: .failure) {
      let specimens = Specimens()
      NSManagedObjectModel().entities = [specimens.entity]
    }
    await #expect(processExitsWith: .failure) {
      let specimens = Specimens()
      NSEntityDescription().properties = [specimens.plain]
    }
    await #expect(processExitsWith: .failure) {
      let one = entity("One")
      let two = entity("Two")
      one.subentities = [two]
      two.subentities = [one]
    }
    await #expect(processExitsWith: .failure) { _ = attribute("free").entity }
  }
}
