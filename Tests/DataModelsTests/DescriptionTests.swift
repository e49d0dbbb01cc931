import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// Entities and properties: their initial values, lookups and settings.
@Suite struct DescriptionTests {
  @Test func newDescriptionsStartAsCoreDatas() {
    let attribute = NSAttributeDescription()
    #expect(attribute.isOptional && !attribute.isTransient && attribute.type == .undefined)
    #expect(attribute.defaultValue == nil && attribute.attributeValueClassName == nil)
    #expect(attribute.userInfo?.isEmpty == true && attribute.validationPredicates.isEmpty)
    let relationship = NSRelationshipDescription()
    #expect(relationship.deleteRule == .nullifyDeleteRule && relationship.isToMany)
    #expect(NSFetchedPropertyDescription().isTransient)
    #expect(NSDerivedAttributeDescription().isReadOnly)
    #expect(NSCompositeAttributeDescription().type == .composite)
    #expect(NSEntityDescription().managedObjectClassName == "NSManagedObject")
    #expect(NSEntityDescription().explicitClassName == nil)
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "E")
    #expect(request.includesSubentities && request.includesPropertyValues)
    #expect(request.returnsObjectsAsFaults && request.includesPendingChanges)
    #expect(!request.returnsDistinctResults && request.entityName == "E")
    #expect(request.requestType == .fetchRequestType)
    #expect(NSManagedObjectModel().versionIdentifiers.isEmpty)
  }

  @Test func bothSpellingsOfTypesAgree() {
    let attribute = NSAttributeDescription()
    for type in NSAttributeType.allCases {
      attribute.attributeType = type
      #expect(attribute.type.rawValue == type)
      attribute.type = .string
      attribute.type = NSAttributeDescription.AttributeType(rawValue: type)
      #expect(attribute.attributeType == type)
    }
    attribute.attributeType = .URIAttributeType
    #expect(attribute.type == .uri && attribute.attributeValueClassName == "NSURL")
    let expression = NSExpressionDescription()
    expression.expressionResultType = .doubleAttributeType
    #expect(expression.resultType == .double)
  }

  @Test func inheritedPropertiesComeAfterOwn() {
    let parent = entity("Parent", [attribute("a"), attribute("b")])
    let child = entity("Child", [attribute("c"), relationship("r", to: parent)])
    let grandchild = entity("Grandchild", [attribute("d")])
    parent.subentities = [child]
    child.subentities = [grandchild]
    #expect(grandchild.properties.map(\.name) == ["d", "c", "r", "a", "b"])
    #expect(grandchild.ownProperties.map(\.name) == ["d"])
    #expect(Set(grandchild.attributesByName.keys) == ["a", "b", "c", "d"])
    #expect(Set(grandchild.relationshipsByName.keys) == ["r"])
    #expect(grandchild.relationships(forDestination: parent).map(\.name) == ["r"])
    #expect(grandchild.relationships(forDestination: child).isEmpty)
    #expect(grandchild.isKindOf(entity: parent) && grandchild.isKindOf(entity: grandchild))
    #expect(!parent.isKindOf(entity: child))
    #expect(parent.subentitiesByName["Child"] === child)
    #expect(grandchild.propertiesByName["a"]?.entity === parent)
  }

  @Test func tablesFollowChanges() {
    let parent = entity("Parent", [attribute("a")])
    let child = entity("Child")
    #expect(child.propertiesByName.isEmpty)
    parent.subentities = [child]
    #expect(child.propertiesByName["a"] != nil)
    parent.properties.append(attribute("b"))
    #expect(child.propertiesByName["b"] != nil)
    parent.ownProperties[0].name = "renamed"
    #expect(child.propertiesByName["a"] == nil && child.propertiesByName["renamed"] != nil)
    parent.subentities = []
    #expect(child.propertiesByName.isEmpty && child.superentity == nil)
    let holder = model([parent, child])
    #expect(holder.entitiesByName["Child"] === child)
    child.name = "Kid"
    #expect(holder.entitiesByName["Child"] == nil && holder.entitiesByName["Kid"] === child)
  }

  /// `entity.properties += […]` on a subentity also passes the inherited ones back.
  @Test func settingPropertiesLeavesInheritedOnesWhereTheyAre() {
    let parent = entity("Parent", [attribute("a")])
    let child = entity("Child", [attribute("b")])
    parent.subentities = [child]
    child.properties += [attribute("c")]
    #expect(child.ownProperties.map(\.name) == ["b", "c"])
    #expect(parent.ownProperties.map(\.name) == ["a"])
    let kept = child.ownProperties[0]
    child.properties = [attribute("d")]
    #expect(kept.owningEntity == nil)
  }

  @Test func renamingIdentifiersSurviveRenaming() {
    let property = attribute("old")
    #expect(property.renamingIdentifier == "old")
    property.name = "middle"
    #expect(property.renamingIdentifier == "middle")
    property.renamingIdentifier = property.name
    property.name = "new"
    #expect(property.renamingIdentifier == "middle")
    property.renamingIdentifier = nil
    #expect(property.renamingIdentifier == "new" && property.explicitRenamingIdentifier == nil)
    property.setArchivedRenamingIdentifier("new")
    #expect(property.explicitRenamingIdentifier == nil)
    let thing = entity("Thing")
    thing.renamingIdentifier = "Thing"
    thing.name = "Object"
    #expect(thing.renamingIdentifier == "Thing")
  }

  @Test func uniquenessConstraintsAreInheritedAndTakeAttributes() {
    let id = attribute("id")
    let parent = entity("Parent", [id])
    let code = attribute("code")
    let child = entity("Child", [code])
    parent.subentities = [child]
    parent.uniquenessConstraints = [[id]]
    child.uniquenessConstraints = [[code, "id"]]
    #expect(child.uniquenessConstraints as? [[String]] == [["id"], ["code", "id"]])
    #expect(child.ownUniquenessConstraints == [["code", "id"]])
    child.uniquenessConstraints = child.uniquenessConstraints
    #expect(child.ownUniquenessConstraints == [["code", "id"]])
    child.ownUniquenessConstraints = [["id"]]
    #expect(child.uniquenessConstraints as? [[String]] == [["id"], ["id"]])
  }

  /// On current systems Core Data's setter has no effect.
  @Test func compoundIndexesAreKept() throws {
    let (a, b) = (attribute("a"), attribute("b"))
    let place = entity("Place", [a, b])
    place.compoundIndexes = [[a, "b"]]
    #expect(place.compoundIndexes as? [[String]] == [["a", "b"]])
    let again = try ModelArchive.decode(ModelArchive.encode(NSManagedObjectModel(of: [place])))
    let read = try #require(again.entitiesByName["Place"])
    #expect(read.compoundIndexes as? [[String]] == [["a", "b"]])
    read.compoundIndexes = []
    #expect(read.compoundIndexes.isEmpty)
  }

  @Test func relationshipsKnownByNameAreLookedUp() throws {
    let far = relationship("far")
    let back = relationship("back", max: 1)
    let one = entity("One", [far])
    let two = entity("Two", [back])
    far.destinationEntityName = "Two"
    far.inverseRelationshipName = "back"
    #expect(far.destinationEntity == nil)
    let holder = model([one, two])
    #expect(far.destinationEntity === two && far.inverseRelationship === back)
    far.destinationEntity = one
    #expect(far.destinationEntityName == "One")
    far.destinationEntity = nil
    #expect(far.destinationEntityName == nil && holder.entities.count == 2)
  }

  @Test(arguments: [(0, true), (1, false), (-1, true), (7, true)])
  func toManyFollowsTheMaximumCount(count: Int, isToMany: Bool) {
    #expect(relationship("r", max: count).isToMany == isToMany)
  }

  @Test func configurationsHoldEntitiesOfTheModel() {
    let one = entity("One")
    let two = entity("Two")
    let holder = model([one, two])
    holder.setEntities([two, two], forConfigurationName: "Cloud")
    #expect(holder.configurations == ["Cloud"])
    #expect(holder.entities(forConfigurationName: "Cloud") == [two])
    #expect(holder.entities(forConfigurationName: nil) == [one, two])
    #expect(holder.entities(forConfigurationName: "PF_DEFAULT_CONFIGURATION_NAME") == [one, two])
    #expect(holder.entities(forConfigurationName: "Local") == nil)
    holder.entities = [one]
    #expect(holder.entities(forConfigurationName: "Cloud") == [])
    #expect(two.owningModel == nil)
  }

  /// As in Core Data: a coordinator adds the configuration that it takes for nil.
  @Test func aModelInUseListsTheDefaultConfiguration() throws {
    let one = entity("One")
    let holder = model([one])
    holder.setEntities([one], forConfigurationName: "Cloud")
    holder.freeze()
    #expect(holder.configurations == ["Cloud", "PF_DEFAULT_CONFIGURATION_NAME"])
    #expect(holder.configurations.allSatisfy { holder.entities(forConfigurationName: $0) == [one] })
    // It is no part of the model itself.
    let copy = try #require(holder.copy() as? NSManagedObjectModel)
    #expect(copy.configurations == ["Cloud"])
    #expect(holder.isEqual(copy))
  }

  @Test func templatesTakeValuesForTheirVariables() throws {
    let holder = model([entity("Person", [attribute("name")])])
    let template = NSFetchRequest<NSFetchRequestResult>(entityName: "Person")
    template.predicate = NSPredicate(
      .and([
        .compare(.key("name"), .equalTo, .variable("NAME")),
        .compare(.key("age"), .greaterThan, .variable("AGE")),
      ]))
    holder.setFetchRequestTemplate(template, forName: "byName")
    #expect(holder.fetchRequestTemplate(forName: "byName") === template)
    #expect(holder.fetchRequestTemplatesByName.count == 1)
    holder.freeze()
    let request = try #require(
      holder.fetchRequestFromTemplate(
        withName: "byName", substitutionVariables: ["NAME": "Smith", "AGE": NSNull()]))
    #expect(request.predicate?.canonicalFormat == "name == \"Smith\" AND age > nil")
    request.fetchLimit = 1
    #expect(
      holder.fetchRequestFromTemplate(withName: "other", substitutionVariables: [:]) == nil)
  }

  @Test func resultTypesTurnFlagsOff() {
    let request = NSFetchRequest<NSNumber>()
    request.resultType = .managedObjectIDResultType
    #expect(request.fetchFlags.rawValue == 26)
    let other = NSFetchRequest<NSFetchRequestResult>()
    other.resultType = .dictionaryResultType
    #expect(other.fetchFlags.rawValue == 14)
    #expect(NSFetchRequest<NSDictionary>(other).resultType == .dictionaryResultType)
  }

  @Test func userInfoKeepsTheOrderOfTheFile() {
    let property = attribute("a")
    property.orderedUserInfo = ["z": 1, "a": "two"]
    #expect(property.orderedUserInfo.keys.map { "\($0)" } == ["z", "a"])
    #expect(property.userInfo?["a"] as? String == "two")
    property.userInfo = ["z": 1, "b": 2]
    #expect(property.orderedUserInfo.keys.map { "\($0)" } == ["b", "z"])
  }

  @Test func indexesLookTheirPropertiesUp() {
    let name = attribute("name")
    let expression = NSExpressionDescription()
    expression.name = "lower"
    let index = NSFetchIndexDescription(
      name: "byName",
      elements: [
        NSFetchIndexElementDescription(property: name, collationType: .binary),
        NSFetchIndexElementDescription(property: expression, collationType: .binary),
      ])
    #expect(index.elements[0].property === name)
    let thing = entity("Thing", [name])
    thing.indexes = [index]
    #expect(index.entity === thing && index.elements[0].indexDescription === index)
    #expect(index.elements.map(\.propertyName) == ["name", "lower"])
    #expect(index.elements[1].property === expression)
    name.name = "title"
    #expect(index.elements[0].propertyName == "title" && index.elements[0].property === name)
  }

  /// As in the fifth scenario: two lazily created descriptions that refer to each other.
  @Test func descriptionsMayNameEachOtherLazily() {
    enum Company {
      static let description = entity("Company", [relationship("workers")])
    }
    enum Worker {
      static let description = entity("Worker", [relationship("company", max: 1)])
    }
    let company = Worker.description.relationshipsByName["company"]
    let workers = Company.description.relationshipsByName["workers"]
    company?.destinationEntity = Company.description
    workers?.destinationEntity = Worker.description
    company?.inverseRelationship = workers
    workers?.inverseRelationship = company
    #expect(company?.inverseRelationship?.inverseRelationship === company)
    #expect(workers?.destinationEntity?.name == "Worker")
  }
}
