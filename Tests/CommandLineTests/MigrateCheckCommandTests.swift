import DataModels
import Foundation
import TestSupport
import Testing

@Suite struct MigrateCheckCommandTests {
  private static let number = OrderSource.attribute("number", "Integer 64")
  private static let note = OrderSource.attribute("note")

  /// Returns bytes as `momtool hashes` prints them.
  private static func hex(_ data: Data) -> String {
    data.map { String(format: "%02x", $0) }.joined()
  }

  /// Writes an old model, and a new one with an additional attribute.
  private static func writeModels(in folder: URL) throws {
    for (name, attributes) in [("Old", [number]), ("New", [number, note])] {
      let model = folder.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      try Data(OrderSource.contents(attributes).utf8)
        .write(to: model.appendingPathComponent("contents"))
    }
  }

  @Test func theInferredMappingIsWritten() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.writeModels(in: folder)
      let run = try Tool.run(
        "migrate-check", "Old.xcdatamodel", "New.xcdatamodel", "--mapping", "Out.cdm", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let bytes = [UInt8](try Data(contentsOf: folder.appendingPathComponent("Out.cdm")))
      let mapping = try MappingArchive.decode(bytes)
      let hashes = try ["Old", "New"].map { name in
        let dump = try Tool.run("hashes", "\(name).xcdatamodel", in: folder)
        #expect(dump.status == 0, "\(dump.errors)")
        return dump.text
      }
      #expect(!mapping.entityMappings.isEmpty)
      for entity in mapping.entityMappings {
        let source = try #require(entity.sourceEntityVersionHash)
        let destination = try #require(entity.destinationEntityVersionHash)
        #expect(source != destination)
        #expect(hashes[0].contains(Self.hex(source)))
        #expect(hashes[1].contains(Self.hex(destination)))
      }
      // The file contains the mapping that the command shows.
      let shown = try Tool.run("mapping", "Out.cdm", in: folder)
      let inferred = try Tool.run(
        "migrate-check", "Old.xcdatamodel", "New.xcdatamodel", "--show-mapping", in: folder)
      #expect(shown.status == 0 && !shown.text.isEmpty)
      #expect(inferred.text.hasSuffix(shown.text))
    }
  }

  @Test func anOutputThatCannotBeWrittenIsNamed() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.writeModels(in: folder)
      let run = try Tool.run(
        "migrate-check", "Old.xcdatamodel", "New.xcdatamodel", "--mapping", "none/Out.cdm",
        in: folder)
      #expect(run.status == 2 && run.errors.contains("none/Out.cdm"), "\(run.errors)")
    }
  }
}
