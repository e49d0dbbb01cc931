import Foundation
import ModelListing
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

extension FeatureModels.Feature: CustomTestStringConvertible {
  var testDescription: String { name }
}

/// The files in `TestArchives/features`: the archive and the listing for each feature of models.
///
/// `MOMKIT_RECORD=1 Tools/test --filter FeatureGoldenTests` re-creates them.
@Suite(.serialized) struct FeatureGoldenTests {
  private static let folder = Corpus.packageRoot.appendingPathComponent("TestArchives/features")

  private static func file(_ name: String) -> String { folder.appendingPathComponent(name).path }

  private static func listing(_ model: NSManagedObjectModel) -> String {
    ModelTextListing(ModelSchema(model)).text
  }

  @Test(arguments: FeatureModels.all)
  func filesAreAsTheyWere(feature: FeatureModels.Feature) throws {
    let model = feature.make()
    #expect(model.findings().filter { $0.severity == .error } == [])
    let bytes = try ModelArchive.encode(model)
    let (archive, text) = (Self.file(feature.name + ".mom"), Self.file(feature.name + ".txt"))
    if ProcessInfo.processInfo.environment["MOMKIT_RECORD"] != nil {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try AtomicFile.write(bytes, to: archive)
      try AtomicFile.write(Array(Self.listing(model).utf8), to: text)
    }
    let recorded = try FileBytes.read(archive)
    #expect(recorded == bytes)
    #expect(String(decoding: try FileBytes.read(text), as: UTF8.self) == Self.listing(model))
  }

  @Test(arguments: FeatureModels.all)
  func whatWasRecordedIsRead(feature: FeatureModels.Feature) throws {
    let bytes = try FileBytes.read(Self.file(feature.name + ".mom"))
    let model = try ModelArchive.decode(bytes)
    #expect(ModelLikeness.difference(model, feature.make()) == nil)
    #expect(model.versionChecksum == feature.make().versionChecksum)
    #expect(try ModelArchive.encode(model) == bytes)
    let text = try FileBytes.read(Self.file(feature.name + ".txt"))
    #expect(Self.listing(model) == String(decoding: text, as: UTF8.self))
  }

  /// No file is left over when a feature is renamed, and no two features have the same name.
  @Test func theFolderHoldsTheseFilesOnly() throws {
    let names = FeatureModels.all.flatMap { [$0.name + ".mom", $0.name + ".txt"] }
    let files = try FileManager.default.contentsOfDirectory(atPath: Self.folder.path)
    #expect(files.sorted() == names.sorted())
  }

  @Test(.enabled(if: Oracle.isPresent, Oracle.absence))
  func theOracleAgrees() throws {
    var tasks: [[String]] = []
    for feature in FeatureModels.all {
      let file = Self.file(feature.name + ".mom")
      tasks.append(["lint", file])
      // The oracle can't number a class that no real model uses.
      if feature.name != "Request-Subquery" { tasks.append(["order", file]) }
    }
    #expect(try Oracle.complaints(about: tasks) == "")
  }
}
