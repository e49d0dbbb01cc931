import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// The archives in TestArchives, compared with those currently created from the same models.
///
/// `MOMKIT_RECORD=1 Tools/test --filter GoldenArchiveTests` re-creates them.
@Suite(.serialized) struct GoldenArchiveTests {
  private static let folder = Corpus.packageRoot.appendingPathComponent("TestArchives/archives")

  /// The name of a golden file, and a function that creates its bytes.
  struct Golden: CustomTestStringConvertible, Sendable {
    var name: String
    var make: @Sendable () throws -> [UInt8]

    var testDescription: String { name }
  }

  static let files = [
    Golden(name: "Features.mom") { try ModelArchive.encode(FeatureModel.model()) },
    Golden(name: "Unstamped.mom") {
      try ModelArchive.encode(
        FeatureModel.model(), options: ModelArchiveOptions(stamp: .omitted))
    },
    Golden(name: "Empty.mom") { try ModelArchive.encode(NSManagedObjectModel()) },
    Golden(name: "Features.xml") { try Array(FeatureModel.archive().xml.utf8) },
    Golden(name: "Truncated.mom") {
      let bytes = try ModelArchive.encode(FeatureModel.model())
      return Array(bytes.prefix(bytes.count / 2))
    },
    Golden(name: "Future.mom") {
      var archive = try FeatureModel.archive()
      let unknown = archive.addClass("FutureThing", "NSObject")
      let thing = archive.addInstance(of: unknown, [ArchiveField("size", .double(2.5))])
      archive[archive.entity("Order"), "XFutureThing"] = .reference(thing)
      return try ModelArchive.encode(ModelArchive.decode(archive.bytes))
    },
    Golden(name: "Ring.archive") {
      var archive = EditableArchive()
      let first = archive.addInstance(of: 3, [ArchiveField("next", .reference(2))])
      _ = archive.addInstance(
        of: 3,
        [ArchiveField("next", .reference(first)), ArchiveField("weight", .double(1.5))])
      _ = archive.addClass("Node", "NSObject")
      archive.top = [ArchiveField("root", .reference(first))]
      return archive.bytes
    },
  ]

  @Test(arguments: files) func filesAreAsTheyWere(golden: Golden) throws {
    let bytes = try golden.make()
    let file = Self.folder.appendingPathComponent(golden.name)
    if ProcessInfo.processInfo.environment["MOMKIT_RECORD"] != nil {
      try FileManager.default.createDirectory(at: Self.folder, withIntermediateDirectories: true)
      try AtomicFile.write(bytes, to: file.path)
    }
    let recorded = try FileBytes.read(file.path)
    #expect(recorded.elementsEqual(bytes))
  }

  @Test(arguments: ["Features.mom", "Unstamped.mom", "Features.xml"])
  func theFeaturesAreRead(name: String) throws {
    let bytes = try FileBytes.read(Self.folder.appendingPathComponent(name).path)
    let model = try ModelArchive.decode(bytes)
    #expect(ModelLikeness.difference(model, FeatureModel.model()) == nil)
    let again = try ModelArchive.encode(model)
    #expect(again.elementsEqual(bytes) || name == "Features.xml")
  }

  @Test func theTruncatedFileIsRefused() throws {
    let bytes = try FileBytes.read(Self.folder.appendingPathComponent("Truncated.mom").path)
    let error = #expect(throws: ArchiveError.self) { try ModelArchive.decode(bytes) }
    #expect(error?.code == .malformedPropertyList)
  }
}
