import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import TestSupport
import Testing

/// What follows from verdicts: suggestions, mappings and stages.
@Suite struct MigrationPlanTests {
  @Test func suggestsRenames() {
    let old = libraryModel()
    let new = edited(old) {
      $0.attribute("born", of: "Author").name = "birthday"
      $0.the("Thing").name = "Item"
    }
    let suggestions = MigrationVerdict(from: old, to: new).findings.compactMap(\.suggestion)
    #expect(suggestions.contains { $0.contains("birthday") && $0.contains("born") })
    #expect(suggestions.contains { $0.contains("Item") && $0.contains("Thing") })
  }

  @Test func mapsRenamedProperties() throws {
    let old = libraryModel()
    let new = edited(old) {
      let born = $0.attribute("born", of: "Author")
      (born.name, born.renamingIdentifier) = ("birthday", "born")
    }
    let mapping = try NSMappingModel.inferredMappingModel(
      forSourceModel: old, destinationModel: new)
    let author = try #require(mapping.entityMappingsByName["IEM_Transform_Author"])
    let birthday = author.attributeMappings?.first { $0.name == "birthday" }
    #expect(birthday?.valueExpression?.description.contains("born") == true)
    #expect(author.sourceExpression?.description.hasPrefix("FETCH(") == true)
    #expect(mapping.entityMappingsByName["IEM_Transform_Book"] == nil)
    #expect(mapping.entityMappingsByName["IEM_Copy_Book"] != nil)
  }

  @Test func plansStages() throws {
    let one = libraryModel()
    let two = edited(one) { $0.the("Book").properties.append(attribute("a", .string)) }
    let three = edited(two) { $0.attribute("a", of: "Book").attributeType = .dateAttributeType }
    let history = VersionedModel(
      [("V10", three), ("V2", two), ("V1", one)], currentVersionName: "V10")
    #expect(history.versions.map(\.name) == ["V1", "V2", "V10"])
    let plan = try MigrationPlan(for: history)
    #expect(plan.routes.map(\.verdict.outcome) == [.lightweight, .impossible])
    #expect(
      plan.stages == [
        .lightweight(
          versions: ["V1", "V2"], checksums: [one.versionChecksum, two.versionChecksum]),
        .custom(from: "V2", to: "V10"),
        .lightweight(versions: ["V10"], checksums: [three.versionChecksum]),
      ])
    #expect(throws: EvolutionError.self) {
      try MigrationPlan(for: VersionedModel([("A", one), ("B", two)], currentVersionName: nil))
    }
  }
}
