import Foundation
import TestSupport
import Testing

/// The recorded listings of TestArchives' model; see TestArchives/README.md.
struct GoldenListingTests {
  @Test(arguments: [("text", "txt"), ("json", "json"), ("dot", "dot")])
  func theListingIsTheRecordedOne(format: String, suffix: String) throws {
    let recorded = try Data(
      contentsOf: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.\(suffix)"))
    let outcome = try Tool.run(
      "dump", "TestArchives/Shop.momd", "--format", format, in: Corpus.packageRoot)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(outcome.text == String(decoding: recorded, as: UTF8.self))
  }

  @Test func theBundleIsTheRecordedOne() throws {
    try Tool.withTemporaryFolder { folder in
      let archives = Corpus.packageRoot.appendingPathComponent("TestArchives")
      let source = archives.appendingPathComponent("Shop.xcdatamodeld").path
      let outcome = try Tool.run("convert", source, "Shop.momd", in: folder)
      #expect(outcome.status == 0, "\(outcome.errors)")
      for name in ["Shop.mom", "Shop 2.mom", "VersionInfo.plist"] {
        let recorded = try Data(contentsOf: archives.appendingPathComponent("Shop.momd/\(name)"))
        let made = try Data(contentsOf: folder.appendingPathComponent("Shop.momd/\(name)"))
        #expect(made == recorded, "\(name)")
      }
    }
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
