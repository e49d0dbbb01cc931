import Foundation
import MomKit
import TestSupport
import Testing

import class PredicateFormat.NSExpression

// Every name of Core Data's model classes that ordinary programs use, with its type and spelling. This file mainly
// has to compile; completeness is checked against the table of Core Data's public interface, if that is beside the
// checkout.

// MARK: NSManagedObjectModel

private func managedObjectModel(_ model: NSManagedObjectModel, _ request: Request) throws {
  let _: NSManagedObjectModel = NSManagedObjectModel()
  let _: NSManagedObjectModel? = NSManagedObjectModel(contentsOf: URL(fileURLWithPath: "/none"))
  let _: NSManagedObjectModel? = NSManagedObjectModel(byMerging: [model])
  let _: NSManagedObjectModel? = NSManagedObjectModel(byMerging: nil)
  let _: NSManagedObjectModel? = NSManagedObjectModel(byMerging: [model], forStoreMetadata: [:])
  let _: NSManagedObjectModel? = NSManagedObjectModel.mergedModel(from: [Bundle]())
  let _: NSManagedObjectModel? = NSManagedObjectModel.mergedModel(
    from: [Bundle](), forStoreMetadata: [:])
  let _: [String] = model.configurations
  model.entities = model.entities
  let _: [String: NSEntityDescription] = model.entitiesByName
  let _: [String: Data] = model.entityVersionHashesByName
  let _: [String: Request] = model.fetchRequestTemplatesByName
  model.localizationDictionary = [String: String]?.none
  let _: String = model.versionChecksum
  model.versionIdentifiers = Set<AnyHashable>(["1"])
  let entities: [NSEntityDescription]? = model.entities(forConfigurationName: nil)
  model.setEntities(entities ?? [], forConfigurationName: "All")
  model.setFetchRequestTemplate(request, forName: "all")
  let _: Request? = model.fetchRequestTemplate(forName: "all")
  let _: Request? = model.fetchRequestFromTemplate(
    withName: "all", substitutionVariables: ["A": 1])
  let _: Bool = model.isConfiguration(withName: nil, compatibleWithStoreMetadata: [:])
}

// MARK: NSEntityDescription

private func entityDescription(_ entity: NSEntityDescription) {
  let _: [String: NSAttributeDescription] = entity.attributesByName
  entity.compoundIndexes = [[Any]]()
  entity.indexes = [NSFetchIndexDescription]()
  entity.isAbstract = false
  entity.managedObjectClassName = "Thing"
  let _: NSManagedObjectModel = entity.managedObjectModel
  entity.name = String?.some("Thing")
  entity.properties = [NSPropertyDescription]()
  let _: [String: NSPropertyDescription] = entity.propertiesByName
  let _: [String: NSRelationshipDescription] = entity.relationshipsByName
  entity.renamingIdentifier = String?.none
  entity.subentities = [NSEntityDescription]()
  let _: [String: NSEntityDescription] = entity.subentitiesByName
  let _: NSEntityDescription? = entity.superentity
  entity.uniquenessConstraints = [[Any]]()
  entity.userInfo = [AnyHashable: Any]?.none
  let _: Data = entity.versionHash
  entity.versionHashModifier = String?.none
  let _: Bool = entity.isKindOf(entity: entity)
  let _: [NSRelationshipDescription] = entity.relationships(forDestination: entity)
}

private func entities(in context: NSManagedObjectContext) {
  let _: NSEntityDescription? = NSEntityDescription.entity(forEntityName: "Thing", in: context)
  let _: NSManagedObject = NSEntityDescription.insertNewObject(
    forEntityName: "Thing", into: context)
}

// MARK: NSPropertyDescription

private func propertyDescription(_ property: NSPropertyDescription) {
  let _: NSEntityDescription = property.entity
  property.isIndexed = false
  property.isOptional = true
  property.isTransient = false
  property.name = "name"
  property.renamingIdentifier = String?.none
  property.userInfo = [AnyHashable: Any]?.none
  property.setValidationPredicates([NSPredicate]?.none, withValidationWarnings: [String]?.none)
  let _: [NSPredicate] = property.validationPredicates
  let _: [Any] = property.validationWarnings
  let _: Data = property.versionHash
  property.versionHashModifier = String?.none
}

// MARK: NSAttributeDescription

private func attributeDescription(_ attribute: NSAttributeDescription) {
  attribute.allowsExternalBinaryDataStorage = false
  attribute.attributeType = NSAttributeType.stringAttributeType
  attribute.attributeValueClassName = String?.none
  attribute.defaultValue = Any?.none
  attribute.preservesValueInHistoryOnDeletion = false
  attribute.type = NSAttributeDescription.AttributeType.string
  attribute.valueTransformerName = String?.none
  let _: Data = attribute.versionHash
}

// MARK: NSAttributeDescription.AttributeType

private let attributeTypes: [NSAttributeDescription.AttributeType] = [
  .binaryData, .boolean, .composite, .date, .decimal, .double, .float, .integer16, .integer32,
  .integer64, .objectID, .string, .transformable, .undefined, .uri, .uuid,
  .init(rawValue: .stringAttributeType),
]

// MARK: NSAttributeType

private let olderAttributeTypes: [NSAttributeType?] = [
  .URIAttributeType, .UUIDAttributeType, .binaryDataAttributeType, .booleanAttributeType,
  .compositeAttributeType, .dateAttributeType, .decimalAttributeType, .doubleAttributeType,
  .floatAttributeType, .integer16AttributeType, .integer32AttributeType, .integer64AttributeType,
  .objectIDAttributeType, .stringAttributeType, .transformableAttributeType,
  .undefinedAttributeType, NSAttributeType(rawValue: 700),
]

// MARK: NSCompositeAttributeDescription

private func compositeAttribute(_ composite: NSCompositeAttributeDescription) {
  composite.elements = [NSAttributeDescription]()
}

// MARK: NSDerivedAttributeDescription

private func derivedAttribute(_ derived: NSDerivedAttributeDescription) {
  derived.derivationExpression = NSExpression?.none
}

// MARK: NSExpressionDescription

private func expressionDescription(_ description: NSExpressionDescription) {
  description.expression = NSExpression?.none
  description.expressionResultType = NSAttributeType.stringAttributeType
  description.resultType = NSAttributeDescription.AttributeType.string
}

// MARK: NSRelationshipDescription

private func relationshipDescription(_ relationship: NSRelationshipDescription) {
  relationship.deleteRule = NSDeleteRule.nullifyDeleteRule
  relationship.destinationEntity = NSEntityDescription?.none
  relationship.inverseRelationship = NSRelationshipDescription?.none
  relationship.isOrdered = false
  let _: Bool = relationship.isToMany
  relationship.maxCount = 1
  relationship.minCount = 0
  let _: Data = relationship.versionHash
}

// MARK: NSDeleteRule

private let deleteRules: [NSDeleteRule?] = [
  .cascadeDeleteRule, .denyDeleteRule, .noActionDeleteRule, .nullifyDeleteRule,
  NSDeleteRule(rawValue: 1),
]

// MARK: NSFetchedPropertyDescription

private func fetchedProperty(_ fetched: NSFetchedPropertyDescription) {
  fetched.fetchRequest = Request?.none
}

// MARK: NSFetchIndexDescription

private func fetchIndex() {
  let index = NSFetchIndexDescription(name: "byName", elements: [])
  index.elements = [NSFetchIndexElementDescription]()
  let _: NSEntityDescription? = index.entity
  index.name = "byName"
  index.partialIndexPredicate = NSPredicate?.none
}

// MARK: NSFetchIndexElementDescription

private func fetchIndexElement(_ property: NSPropertyDescription) {
  let element = NSFetchIndexElementDescription(property: property, collationType: .binary)
  element.collationType = NSFetchIndexElementType.binary
  let _: NSFetchIndexDescription? = element.indexDescription
  element.isAscending = true
  let _: NSPropertyDescription? = element.property
  let _: String? = element.propertyName
}

// MARK: NSFetchIndexElementType

private let elementTypes: [NSFetchIndexElementType?] = [
  .binary, .rTree, NSFetchIndexElementType(rawValue: 1),
]

// MARK: NSFetchRequest

private typealias Request = NSFetchRequest<NSFetchRequestResult>

private func fetchRequest(_ entity: NSEntityDescription) {
  let _: Request = NSFetchRequest()
  let request = Request(entityName: "Thing")
  request.entity = NSEntityDescription?.none
  let _: String? = request.entityName
  request.fetchBatchSize = 0
  request.fetchLimit = 0
  request.fetchOffset = 0
  request.havingPredicate = NSPredicate?.none
  request.includesPendingChanges = true
  request.includesPropertyValues = true
  request.includesSubentities = true
  request.predicate = NSPredicate?.none
  request.propertiesToFetch = [Any]?.none
  request.propertiesToGroupBy = [Any]?.none
  request.relationshipKeyPathsForPrefetching = [String]?.none
  request.resultType = NSFetchRequestResultType.managedObjectResultType
  request.returnsDistinctResults = false
  request.returnsObjectsAsFaults = true
  request.shouldRefreshRefetchedObjects = false
  request.sortDescriptors = [NSSortDescriptor]?.none
}

// MARK: NSFetchRequestResultType

private let resultTypes: NSFetchRequestResultType = [
  .countResultType, .dictionaryResultType, .managedObjectIDResultType, .managedObjectResultType,
  .init(rawValue: 4),
]

// MARK: NSFetchRequestExpression

private func fetchRequestExpression(_ expression: NSExpression) {
  let _: NSExpression = NSFetchRequestExpression.expression(
    forFetch: expression, context: expression, countOnly: true)
  guard let fetch = expression as? NSFetchRequestExpression else { return }
  let _: NSExpression = fetch.requestExpression
  let _: NSExpression = fetch.contextExpression
  let _: Bool = fetch.isCountOnlyRequest
  let _: NSExpression.ExpressionType = NSFetchRequestExpressionType
}

// MARK: NSPersistentStoreRequest

private func storeRequest(_ request: NSPersistentStoreRequest) {
  let _: NSPersistentStoreRequestType = request.requestType
}

// MARK: NSPersistentStoreRequestType

private let requestTypes: [NSPersistentStoreRequestType?] = [
  .batchDeleteRequestType, .batchInsertRequestType, .batchUpdateRequestType, .fetchRequestType,
  .saveRequestType, NSPersistentStoreRequestType(rawValue: 1),
]

// MARK: Tests

@Suite struct ModelSurfaceTests {
  /// The declarations above also run, with the smallest model.
  @Test func theNamesWork() throws {
    let entity = NSEntityDescription()
    let (attribute, relationship) = (NSAttributeDescription(), NSRelationshipDescription())
    attribute.name = "title"
    relationship.name = "other"
    relationship.destinationEntity = entity
    entity.name = "Thing"
    entity.properties = [attribute, relationship]
    let model = NSManagedObjectModel()
    model.entities = [entity]
    attributeDescription(attribute)
    relationshipDescription(relationship)
    propertyDescription(attribute)
    fetchIndexElement(attribute)
    fetchIndex()
    fetchRequest(entity)
    compositeAttribute(NSCompositeAttributeDescription())
    derivedAttribute(NSDerivedAttributeDescription())
    expressionDescription(NSExpressionDescription())
    fetchedProperty(NSFetchedPropertyDescription())
    storeRequest(Request())
    entityDescription(entity)
    try managedObjectModel(model, Request())
    fetchRequestExpression(
      NSFetchRequestExpression.expression(
        forFetch: NSExpression(forVariable: "R"), context: NSExpression(forVariable: "C"),
        countOnly: false))
  }

  @Test func rawValuesAreCoreDatas() {
    #expect(
      olderAttributeTypes.compactMap { $0?.rawValue } == [
        1200, 1100, 1000, 800, 2100, 900, 400, 500, 600, 100, 200, 300, 2000, 700, 1800, 0, 700,
      ])
    #expect(attributeTypes.last == .string)
    #expect(deleteRules.map { $0?.rawValue } == [2, 3, 0, 1, 1])
    #expect(elementTypes.map { $0?.rawValue } == [0, 1, 1])
    #expect(resultTypes.rawValue == 7)
    #expect(requestTypes.compactMap { $0?.rawValue } == [7, 5, 6, 1, 2, 1])
    #expect(NSFetchRequestExpressionType.rawValue == 50)
  }

  // MARK: The table

  private struct Table: Decodable {
    struct Entry: Decodable {
      struct Member: Decodable {
        var name: String
        var tier: Int
      }
      var name: String
      var members: [Member]
    }
    var types: [Entry]
  }

  /// Names that other modules' tests cover, or that can't exist here: SwiftData's types.
  private static let elsewhere = [
    "NSManagedObjectModel.makeManagedObjectModel(for:mergedWith:)",
    "NSFetchRequest.execute()", "NSFetchRequest.affectedStores",
    "NSPersistentStoreRequest.affectedStores",
  ]

  private static let table = Corpus.tools.deletingLastPathComponent()
    .appendingPathComponent("spec/core-data-api.json")

  @Test(
    .enabled(
      if: FileManager.default.fileExists(atPath: table.path),
      "no table of Core Data's interface beside the package"))
  func nothingOfTheTableIsLeftOut() throws {
    let source = try String(contentsOfFile: #filePath, encoding: .utf8)
    var sections: [String: String] = [:]
    for section in source.components(separatedBy: "\n// MARK: ") {
      let name = section.prefix { !$0.isNewline }
      sections[String(name), default: ""] += section
    }
    let table = try JSONDecoder().decode(Table.self, from: Data(contentsOf: Self.table))
    var missing: [String] = []
    var count = 0
    for type in table.types {
      guard let section = sections[type.name] else { continue }
      for member in type.members where member.tier <= 2 {
        let base = String(member.name.prefix { $0 != "(" })
        let isNamed =
          base == "init"
          ? section.contains("init(") || section.contains("\(type.name)(")
          : section.contains(base)
        let name = "\(type.name).\(member.name)"
        if !isNamed, !Self.elsewhere.contains(where: { name.hasPrefix($0) || $0.hasPrefix(name) }) {
          missing.append(name)
        }
        count += 1
      }
    }
    #expect(missing == [])
    #expect(count > 140)
  }
}
