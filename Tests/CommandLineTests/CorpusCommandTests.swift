import Foundation
import ModelListing
import TestSupport
import Testing

/// The tool with real files created by Apple's tools.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusCommandTests {
  /// The paths of the distinct bundles in the corpus.
  private static let bundles: [String] = {
    let paths = Corpus.files(ofKind: "versioninfo").map {
      $0.url.deletingLastPathComponent().path
    }
    return Set(paths).sorted()
  }()

  /// All compiled models in one run: one document, one process.
  @Test(arguments: ["mom", "modelcache-mom"])
  func everyModelIsDumpedAsTextAndJSON(kind: String) throws {
    let paths = Corpus.files(ofKind: kind).map(\.url.path)
    try #require(!paths.isEmpty)
    let text = try Tool.run(arguments: ["dump"] + paths)
    #expect(text.status == 0)
    #expect(text.errors == "")
    #expect(text.text.split(separator: "\n").filter { $0.hasPrefix("model ") }.count == paths.count)

    let json = try Tool.run(arguments: ["dump", "--format", "json"] + paths)
    #expect(json.status == 0)
    let document = try JSONSerialization.jsonObject(with: json.output) as? [String: Any]
    let models = document?["models"] as? [[String: Any]]
    #expect(models?.compactMap { $0["path"] as? String } == paths)
  }

  @Test func theJSONOfRealModelsReadsBack() throws {
    let paths = Corpus.files(ofKind: "modelcache-mom").map(\.url.path)
    let json = try Tool.run(arguments: ["dump", "--format", "json"] + paths)
    let listing = try JSONDecoder().decode(ModelJSONListing.self, from: json.output)
    #expect(try listing.text() == json.text, "reading the document back loses something")
  }

  @Test func everyBundleIsAsRecorded() throws {
    try #require(!Self.bundles.isEmpty)
    let outcome = try Tool.run(arguments: ["verify"] + Self.bundles)
    #expect(outcome.status == 0)
    #expect(outcome.errors == "")
    #expect(outcome.text == Self.bundles.map { "\($0): as recorded\n" }.joined())
  }

  @Test func everyStoreIsAsRecorded() throws {
    let stores = Corpus.files(ofKind: "sqlite").map(\.url.path)
    try #require(!stores.isEmpty)
    let outcome = try Tool.run(arguments: ["verify", "--format", "json"] + stores)
    #expect(outcome.status == 0, "\(outcome.errors)")
    #expect(!outcome.text.contains("\"kind\""))
  }

  @Test func theHashesOfABundleAreThoseOfAllItsVersions() throws {
    let bundle = try #require(Self.bundles.first)
    let names = try FileManager.default.contentsOfDirectory(atPath: bundle)
      .filter { $0.hasSuffix(".mom") }
    let outcome = try Tool.run("hashes", bundle, "--format", "json")
    let listing = try JSONDecoder().decode(ModelHashListing.self, from: outcome.output)
    #expect(
      Set(listing.models.compactMap(\.version))
        == Set(names.map { ($0 as NSString).deletingPathExtension }))
    #expect(listing.models.allSatisfy { $0.digest.count == 88 && $0.checksum.count == 44 })
  }

  @Test func aVersionIsNamedByOptionOrByPath() throws {
    let file = try #require(
      Corpus.files(ofKind: "mom").first { $0.path.contains(".momd/") }
    ).url
    let name = file.deletingPathExtension().lastPathComponent
    let bundle = file.deletingLastPathComponent()
    let plain = try Tool.run("dump", file.path)
    #expect(plain.status == 0)
    #expect(try Tool.run("dump", bundle.path, "--version", name).text == plain.text)
    #expect(try Tool.run("dump", bundle.path + "/" + name).text == plain.text)

    let missing = try Tool.run("dump", bundle.path, "--version", "no such version")
    #expect(missing.status == 2)
    #expect(missing.errors.contains(": error: there is no version 'no such version'"))
  }

  @Test func aFolderIsSearched() throws {
    let bundle = URL(fileURLWithPath: try #require(Self.bundles.first))
    let direct = try Tool.run("dump", bundle.path)
    let outcome = try Tool.run("dump", bundle.deletingLastPathComponent().path)
    #expect(outcome.status == 0)
    #expect(outcome.text.contains(direct.text))
  }

  @Test func damageIsReportedAndTheRestIsShown() throws {
    let file = try #require(Corpus.files(ofKind: "mom").first).url
    let bytes = try Data(contentsOf: file)
    try Tool.withTemporaryFolder { folder in
      let broken = folder.appendingPathComponent("Broken.mom")
      try bytes.prefix(bytes.count / 2).write(to: broken)
      let outcome = try Tool.run("dump", "Broken.mom", file.path, "gone.mom", in: folder)
      #expect(outcome.status == 2)
      let shown = try Tool.run("dump", file.path)
      #expect(outcome.text == shown.text)
      let lines = outcome.errors.split(separator: "\n")
      #expect(lines.count == 2)
      #expect(lines[0].hasPrefix("Broken.mom["))
      #expect(lines[1] == "gone.mom: error: there is no such file")
    }
  }
}
