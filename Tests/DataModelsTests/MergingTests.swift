import Foundation
import PredicateFormat
import TestSupport
import Testing

@testable import DataModels

/// Merging models: what is shared, linked and rejected.
@Suite struct MergingTests {
  @Test func noModelsGiveAnEmptyModel() throws {
    #expect(try NSManagedObjectModel.merging([]).entities.isEmpty)
    #expect(NSManagedObjectModel(byMerging: [])?.entities.isEmpty == true)
    #expect(NSManagedObjectModel(byMerging: nil) == nil)
  }

  /// All versions of a model are available, as in a bundle: the store's is found even though the older one also
  /// matches and differs only in what hashes don't cover.
  @Test func aStoresModelIsFoundAmongVersions() throws {
    func version(_ names: [String], _ className: String) -> NSManagedObjectModel {
      let made = model(names.map { entity($0, [attribute("x")]) })
      made.entitiesByName["A"]?.managedObjectClassName = className
      made.versionIdentifiers = [className]
      return made
    }
    let versions = [
      version(["A"], "One"), version(["A", "B"], "Two"), version(["A", "B", "C"], "Three"),
    ]
    for place in versions.indices {
      let metadata: [String: Any] = [
        "NSStoreModelVersionHashes": versions[place].entityVersionHashesByName
      ]
      let found = NSManagedObjectModel(byMerging: versions, forStoreMetadata: metadata)
      #expect(found?.versionIdentifiers == versions[place].versionIdentifiers)
      #expect(found?.entities.count == place + 1)
    }
    // Models that are all needed are merged, and others are omitted.
    let (left, right) = (version(["A", "B"], "Left"), model([entity("D", [attribute("x")])]))
    let whole = try NSManagedObjectModel.merging([left, right])
    let metadata: [String: Any] = ["NSStoreModelVersionHashes": whole.entityVersionHashesByName]
    let found = NSManagedObjectModel(
      byMerging: [version(["A"], "Other"), left, right], forStoreMetadata: metadata)
    #expect(found?.entities.map(\.name) == ["A", "B", "D"])
    #expect(found?.entitiesByName["A"]?.managedObjectClassName == "Left")
  }

  @Test func sharedParentsTakeTheSubentitiesOfBoth() throws {
    func part(_ name: String) -> NSManagedObjectModel {
      let (parent, child) = (entity("Parent", [attribute("x")]), entity(name))
      parent.isAbstract = true
      parent.subentities = [child]
      let part = model([parent, child])
      part.versionIdentifiers = [name]
      part.setEntities([child], forConfigurationName: "C")
      return part
    }
    let merged = try NSManagedObjectModel.merging([part("A"), part("B")])
    #expect(merged.entities.map(\.name) == ["Parent", "A", "B"])
    #expect(merged.entitiesByName["Parent"]?.subentities.map(\.name) == ["A", "B"])
    #expect(merged.entities(forConfigurationName: "C")?.map(\.name) == ["A", "B"])
    #expect(merged.versionIdentifiers == ["A", "B"])
    #expect(merged.findings().isEmpty)
  }

  @Test func relationshipsKnownByNameFindTheirEntityInTheOther() throws {
    let r = relationship("r")
    r.destinationEntityName = "B"
    r.inverseRelationshipName = "back"
    let back = relationship("back", max: 1)
    back.destinationEntityName = "A"
    back.inverseRelationshipName = "r"
    let merged = try NSManagedObjectModel.merging([
      model([entity("A", [r])]), model([entity("B", [back])]),
    ])
    let copy = merged.entitiesByName["A"]?.relationshipsByName["r"]
    #expect(copy?.destinationEntity === merged.entitiesByName["B"])
    #expect(copy?.inverseRelationship?.inverseRelationship === copy)
    #expect(merged.findings().isEmpty)
  }

  @Test func differentEntitiesOfOneNameAreRefused() throws {
    let (one, two) = (model([entity("A", [attribute("x")])]), model([entity("A")]))
    one.origin = "/tmp/one.mom"
    let error = #expect(throws: ModelError.self) { try NSManagedObjectModel.merging([one, two]) }
    #expect(error?.code == .mergeConflict && error?.entity == "A")
    #expect(
      error?.message
        == "Can't merge models with two different entities named 'A': /tmp/one.mom and model 2"
        + " differ in property 'x' is missing")
  }

  @Test func coreDatasSpellingTraps() async throws {
    let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
      let (one, two) = (model([entity("A", [attribute("x")])]), model([entity("A")]))
      _ = NSManagedObjectModel(byMerging: [one, two])
    }
    let text = String(decoding: try #require(result).standardErrorContent, as: UTF8.self)
    #expect(text.contains("Can't merge models with two different entities named 'A'"))
  }

  @Test func differentTemplatesOfOneNameAreRefused() {
    func part(_ limit: Int) -> NSManagedObjectModel {
      let part = model([entity("A")])
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "A")
      request.fetchLimit = limit
      part.setFetchRequestTemplate(request, forName: "t")
      return part
    }
    #expect(throws: Never.self) { try NSManagedObjectModel.merging([part(1), part(1)]) }
    let error = #expect(throws: ModelError.self) {
      try NSManagedObjectModel.merging([part(1), part(2)])
    }
    #expect(error?.message.contains("'t': model 1 and model 2 differ in fetchLimit") == true)
  }

  /// A changed setting of a property, and the name under which the difference is reported.
  static let changes: [(String, @Sendable (NSManagedObjectModel) -> Void)] = [
    ("managedObjectClassName", { $0.entities[0].managedObjectClassName = "X" }),
    ("isAbstract", { $0.entities[0].isAbstract = true }),
    ("versionHashModifier", { $0.entities[0].versionHashModifier = "X" }),
    ("renamingIdentifier", { $0.entities[0].renamingIdentifier = "X" }),
    ("userInfo", { $0.entities[0].userInfo = ["a": 1] }),
    ("uniquenessConstraints", { $0.entities[0].uniquenessConstraints = [["x"]] }),
    ("compoundIndexes", { $0.entities[0].compoundIndexes = [["x"]] }),
    ("indexes", { $0.entities[0].indexes = [NSFetchIndexDescription(name: "i", elements: nil)] }),
    ("superentity", { $0.entities[1].subentities = [$0.entities[0]] }),
    ("property 'x': isOptional", { $0.entities[0].properties[0].isOptional = false }),
    ("property 'x': isTransient", { $0.entities[0].properties[0].isTransient = true }),
    ("property 'x': isIndexed", { $0.entities[0].properties[0].isIndexed = true }),
    (
      "property 'x': versionHashModifier", { $0.entities[0].properties[0].versionHashModifier = "" }
    ),
    ("property 'x': attributeType", { $0.entities[0].attributesByName["x"]?.type = .date }),
    ("property 'x': defaultValue", { $0.entities[0].attributesByName["x"]?.defaultValue = "" }),
    (
      "property 'x': valueTransformerName",
      { $0.entities[0].attributesByName["x"]?.valueTransformerName = "T" }
    ),
    (
      "property 'x': validationPredicates",
      {
        $0.entities[0].properties[0].setValidation(
          [NSPredicate(.compare(.evaluatedObject, .equalTo, .constant(1)))], warnings: [1])
      }
    ),
    ("property 'r': maxCount", { $0.entities[0].relationshipsByName["r"]?.maxCount = 1 }),
    ("property 'r': minCount", { $0.entities[0].relationshipsByName["r"]?.minCount = 1 }),
    (
      "property 'r': deleteRule",
      { $0.entities[0].relationshipsByName["r"]?.deleteRule = .denyDeleteRule }
    ),
    ("property 'r': isOrdered", { $0.entities[0].relationshipsByName["r"]?.isOrdered = true }),
    (
      "property 'r': destinationEntity",
      { $0.entities[0].relationshipsByName["r"]?.destinationEntity = $0.entities[0] }
    ),
    (
      "property 'r': inverseRelationship",
      {
        let r = $0.entities[0].relationshipsByName["r"]
        r?.inverseRelationship = r
      }
    ),
    ("property 'r' is missing", { $0.entities[0].properties.removeLast() }),
    ("property 'y' is missing", { $0.entities[0].properties.append(attribute("y")) }),
  ]

  @Test(arguments: changes.indices) func anyDifferenceIsNamed(place: Int) {
    func sample() -> NSManagedObjectModel {
      let r = relationship("r")
      let sample = model([entity("A", [attribute("x"), r]), entity("B")])
      r.destinationEntity = sample.entities[1]
      return sample
    }
    let (setting, change) = Self.changes[place]
    let (one, two) = (sample(), sample())
    #expect(one == two && one.hash == two.hash && one.entities == two.entities)
    change(two)
    #expect(one != two)
    #expect(EntityComparison.difference(one.entities[0], two.entities[0]) == setting)
    #expect(one.entities[0] != two.entities[0])
  }
}
