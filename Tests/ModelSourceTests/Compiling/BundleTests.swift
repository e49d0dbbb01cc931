import DataModels
import Foundation
import TestSupport
import Testing

@testable import ModelSource

/// Whole bundles, compiled and decompiled.
@Suite struct BundleTests {
  /// The hashes recorded by real bundles, compared with those of their sources.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func hashesAreThoseOfVersionInfo() throws {
    var count = 0
    for pair in Corpus.pairs(ofKind: "mom") {
      guard let path = pair.versioninfo else { continue }
      let info = try VersionInfo(contentsOf: Corpus.root.appendingPathComponent(path).path)
      let name = pair.momURL.deletingPathExtension().lastPathComponent
      guard let version = info.version(named: name) else { continue }
      let model = try SourceModel(contentsOf: pair.sourceURL).model
      #expect(model.entityVersionHashesByName == version.entityHashes, "\(pair.mom)")
      if let checksum = version.checksum { #expect(model.versionChecksum == checksum) }
      count += 1
    }
    print("\(count) versions have the hashes their bundles record")
    #expect(count > 0)
  }

  @Test func aBundleIsWrittenAndReplaced() throws {
    let folder = try TemporaryFolder()
    let source = folder.url.appendingPathComponent("Shop.xcdatamodeld")
    try Self.write(
      #"<model userDefinedModelVersionIdentifier="1"><entity name="Item"/></model>"#,
      to: source.appendingPathComponent("Shop.xcdatamodel/contents"))
    try Self.write(
      #"<model userDefinedModelVersionIdentifier="2"><entity name="Article"/></model>"#,
      to: source.appendingPathComponent("Shop 2.xcdatamodel/contents"))
    try Self.write(
      ModelPackage.currentVersionFile(currentVersionName: "Shop 2"),
      to: source.appendingPathComponent(ModelPackage.currentVersionFileName))
    let output = folder.url.appendingPathComponent("Shop.momd").path
    for _ in 1...2 {
      let compiled = try ModelCompiler(source: source).compile()
      #expect(compiled.diagnostics == [])
      try compiled.write(to: output)
      let names = try FileManager.default.contentsOfDirectory(atPath: output).sorted()
      #expect(names == ["Shop 2.mom", "Shop.mom", "VersionInfo.plist"])
      let bundle = try ModelBundle(at: output)
      #expect(try bundle.currentVersionName() == "Shop 2")
      #expect(try bundle.model().entities.map(\.name) == ["Article"])
      #expect(try bundle.model(named: "Shop").versionIdentifiers == ["1"])
      #expect(bundle.verify() == [])
    }
    // A folder that contains anything else is left unchanged.
    try Self.write("notes", to: URL(fileURLWithPath: output).appendingPathComponent("notes.txt"))
    #expect(throws: ModelFileError.self) {
      try ModelCompiler(source: source).compile().write(to: output)
    }
    #expect(FileManager.default.fileExists(atPath: output + "/notes.txt"))
  }

  /// macOS leaves a file of its own, `._Shop.xcdatamodel`, beside each one on other systems' disks.
  @Test func namesThatBeginWithADotAreNoVersions() throws {
    let folder = try TemporaryFolder()
    let source = folder.url.appendingPathComponent("Shop.xcdatamodeld")
    try Self.write(
      #"<model><entity name="Item"/></model>"#,
      to: source.appendingPathComponent("Shop.xcdatamodel/contents"))
    for name in ["._Shop.xcdatamodel", "._contents", ".DS_Store"] {
      try Self.write("notes", to: source.appendingPathComponent(name))
    }
    let package = try ModelPackage(at: source)
    #expect(package.versions.map(\.name) == ["Shop"] && package.currentVersion?.name == "Shop")
    #expect(try ModelCompiler(source: source).compile().diagnostics == [])
  }

  @Test func noFileOverwritesAnother() throws {
    let folder = try TemporaryFolder()
    let model = try SourceModel(
      data: Data(#"<model><entity name="Item"/></model>"#.utf8)
    ).model
    let output = ModelDecompiler.decompile(
      [("Shop", model), ("Shop", model)], name: "Shop", isVersioned: true)
    let error = #expect(throws: ModelFileError.self) {
      try output.write(to: folder.file("Shop.xcdatamodeld").path)
    }
    #expect(error?.message == "there are two files 'Shop.xcdatamodel/contents' to write into it")
    #expect(try folder.contents().isEmpty)
  }

  @Test func everyVersionIsReported() throws {
    let folder = try TemporaryFolder()
    let source = folder.url.appendingPathComponent("Shop.xcdatamodeld")
    for name in ["A", "B"] {
      try Self.write(
        #"<model><entity name="Item"><attribute name="x"/></entity></model>"#,
        to: source.appendingPathComponent("\(name).xcdatamodel/contents"))
    }
    let compiler = try ModelCompiler(source: source, path: "Shop.xcdatamodeld")
    let error = #expect(throws: ModelSourceError.self) { try compiler.compile() }
    #expect(
      error?.diagnostics.map(\.description) == [
        "Shop.xcdatamodeld: warning: there are 2 versions and no .xccurrentversion; none is taken"
          + " for the current one",
        "Shop.xcdatamodeld/A.xcdatamodel/contents:1:28: error: [Item.x] the attribute has no type"
          + " and isn't transient",
        "Shop.xcdatamodeld/B.xcdatamodel/contents:1:28: error: [Item.x] the attribute has no type"
          + " and isn't transient",
      ])
  }

  @Test(arguments: [
    ("15.4", "15.4", 150400), ("13.4.1", "13.4.1", 130401), ("26.2", "26.2", 260200),
  ])
  func stampsAreFoundByRelease(text: String, release: String, version: Int) throws {
    let stamp = try #require(CompilerStamp(xcode: text))
    #expect(stamp.xcodeVersion == version)
    #expect(stamp.xcodeRelease == release)
    #expect(CompilerStamp(text: "\(version):\(stamp.toolVersion)") == stamp)
  }

  @Test(arguments: ["", "15", "x", "15.4.1.2", "-1.0", "99.0"])
  func unknownReleasesHaveNoStamp(text: String) {
    #expect(CompilerStamp(xcode: text) == nil)
    #expect(CompilerStamp(text: text) == nil)
  }

  static func write(_ text: String, to url: URL) throws {
    try FileManager.default.createDirectory(
      at: url.deletingLastPathComponent(), withIntermediateDirectories: true)
    try Data(text.utf8).write(to: url)
  }
}
