import Foundation
import ManagedModel
import ModelEvolution
import Testing

@Suite struct StoreIdentificationTests {
  /// Edits that one fact explains, and the words that must name it.
  static let edits: [(String, ModelEdit)] = [
    ("pages is mandatory", { $0.attribute("pages", of: "Book").isOptional = false }),
    (
      "pages is of type Integer 64",
      { $0.attribute("pages", of: "Book").attributeType = .integer64AttributeType }
    ),
    ("author is to-many", { $0.relationship("author", of: "Book").maxCount = 0 }),
    ("author is ordered", { $0.relationship("author", of: "Book").isOrdered = true }),
    ("no pages", { $0.the("Book").remove("pages") }),
    ("no uniqueness constraint on title", { $0.the("Book").uniquenessConstraints = [] }),
    ("abstract", { $0.the("Book").isAbstract = true }),
  ]

  @Test(arguments: edits.indices) func explainsSingleEdits(_ index: Int) {
    let (words, edit) = Self.edits[index]
    let model = libraryModel()
    let stored = edited(model, edit)
    let identification = StoreIdentification(
      entityHashes: stored.entityVersionHashesByName, cachedModel: nil,
      candidates: [(name: "far", model: NSManagedObjectModel()), (name: "near", model: model)])
    #expect(identification.exact == [])
    #expect(identification.nearest?.name == "near")
    let reasons = identification.nearest?.mismatches.first { $0.entity == "Book" }?.reasons ?? []
    #expect(reasons.contains { $0.contains(words) }, "\(reasons)")
  }

  @Test func findsTheVersion() {
    let one = libraryModel()
    let two = edited(one) { $0.the("Book").properties.append(attribute("a", .string)) }
    let identification = StoreIdentification(
      entityHashes: two.entityVersionHashesByName, cachedModel: nil,
      candidates: [(name: "V1", model: one), (name: "V2", model: two)])
    #expect(identification.exact == ["V2"])
    #expect(identification.ranking.map(\.name) == ["V2", "V1"])
  }

  @Test func theStoresCopyTellsExactly() {
    let model = libraryModel()
    let stored = edited(model) {
      $0.attribute("pages", of: "Book").isOptional = false
      $0.attribute("title", of: "Book").attributeType = .dateAttributeType
    }
    let identification = StoreIdentification(
      entityHashes: stored.entityVersionHashesByName, cachedModel: stored,
      candidates: [(name: "V1", model: model)])
    let reasons = identification.nearest?.mismatches.first { $0.entity == "Book" }?.reasons ?? []
    #expect(
      reasons == [
        "Book.pages: optional was no, is yes", "Book.title: type was Date, is String",
      ])
  }
}
