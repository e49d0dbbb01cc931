import DataModels
import Foundation
import ModelListing
import TestSupport
import Testing

struct ModelHashListingTests {
  private func entry(version: String?) throws -> ModelHashListing.Entry {
    let entity = entity("Two words")
    let model = NSManagedObjectModel(of: [entity])
    return try ModelHashListing.Entry(path: "a b/Shop.momd", version: version, model: model)
  }

  @Test func hashesAreThoseOfTheModel() throws {
    let entry = try entry(version: nil)
    #expect(entry.entities.keys.sorted() == ["Two words"])
    // SHA-256 of the name and a zero byte for "not abstract".
    #expect(
      entry.entities["Two words"]
        == "46eec512b8e574bb9f3d6415f2730b6b04f3fc80e10a900af84ec3bf2fede050")
    #expect(entry.checksum.count == 44)
    #expect(entry.digest.count == 88)
  }

  @Test func theTextHasALineForEachEntity() throws {
    let listing = ModelHashListing([try entry(version: "Shop 2"), try entry(version: nil)])
    let lines = listing.text.split(separator: "\n", omittingEmptySubsequences: false)
    let hash = listing.models[0].entities["Two words"] ?? ""
    #expect(lines[0] == "model a b/Shop.momd")
    #expect(lines[1] == "  checksum     \(listing.models[0].checksum)")
    #expect(lines[3] == "  \"Two words\"  \(hash)")
    #expect(lines[4] == "")
    #expect(lines[5] == "model a b/Shop.momd")
  }

  @Test func theJSONFormReadsBack() throws {
    let listing = ModelHashListing([try entry(version: "Shop 2")])
    let json = try listing.json()
    #expect(try JSONDecoder().decode(ModelHashListing.self, from: Data(json.utf8)) == listing)
    #expect(json.hasSuffix("  \"schemaVersion\": 1\n}\n"))
  }
}
