import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Names that differ only in how accented letters are composed.
///
/// They are one name to Swift, and so to every table of the interface (`entitiesByName`, version hashes). Whoever judges
/// or writes a model with both refuses it, rather than losing one of the two.
@Suite struct EquivalentNameTests {
  private static let composed = "Caf\u{E9}"
  private static let decomposed = "Cafe\u{301}"

  private func errors(_ model: NSManagedObjectModel) -> [ModelFinding.Code] {
    model.findings().filter { $0.severity == .error }.map(\.code)
  }

  @Test func twoEntitiesAreNotWritten() throws {
    let cafes = model([
      entity(Self.composed, [attribute("a")]), entity(Self.decomposed, [attribute("b")]),
    ])
    #expect(errors(cafes) == [.duplicateEntity])
    #expect(throws: ModelError.self) { try cafes.validate() }
    #expect(throws: ArchiveError.self) { try ModelArchive.encode(cafes) }
    // Whoever only reads meets the first.
    #expect(cafes.entities.count == 2)
    #expect(cafes.entitiesByName[Self.decomposed] === cafes.entities[0])
    #expect(cafes.entityVersionHashesByName.count == 1)
    let copy = try #require(cafes.copy() as? NSManagedObjectModel)
    #expect(copy.entities.map(\.ownProperties.count) == [1, 1])
  }

  @Test func twoPropertiesAreNotWritten() {
    let cafe = entity("Cafe", [attribute(Self.composed), attribute(Self.decomposed)])
    let cafes = model([cafe])
    #expect(errors(cafes) == [.duplicateProperty])
    #expect(cafe.ownProperties.count == 2)
    #expect(cafe.propertiesByName.count == 1)
  }
}
