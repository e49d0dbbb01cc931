import Foundation
import TestSupport
import Testing

/// The listings of TestArchives' model, as they were recorded; TestArchives/README.md says how.
struct GoldenListingTests {
  @Test(arguments: [("text", "txt"), ("json", "json"), ("dot", "dot")])
  func theListingIsTheRecordedOne(format: String, suffix: String) throws {
    let recorded = try Data(
      contentsOf: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.\(suffix)"))
    let outcome = try Tool.run(
      "dump", "TestArchives/Shop.xcdatamodeld", "--format", format, in: Corpus.packageRoot)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text == String(decoding: recorded, as: UTF8.self))
  }

  @Test func theReadmeShowsWhatTheToolPrints() throws {
    let readme = try String(
      contentsOf: Corpus.packageRoot.appendingPathComponent("README.md"), encoding: .utf8)
    let listing = try String(
      contentsOf: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.txt"),
      encoding: .utf8)
    #expect(readme.contains("```\n\(listing)```\n"))
  }
}
