import Foundation
import HostileInput
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Damaged files: every reader refuses them or takes them, and goes on.
@Suite struct HostileBytesTests {
  /// Five files, cut off after each of their bytes.
  @Test func everyTruncationIsRefused() throws {
    var models = try [
      ModelArchive.encode(FeatureModel.model()), ModelArchive.encode(RandomModel(seed: 3).model()),
    ]
    if Corpus.isPresent {
      for file in Corpus.files(ofKind: "mom").prefix(2) {
        models.append(try FileBytes.read(file.url.path))
      }
      let cache = try #require(Corpus.files(ofKind: "modelcache-mom").first)
      models.append(try FileBytes.read(cache.url.path))
    }
    for bytes in models {
      for count in 0..<min(bytes.count, 20_000) {
        let error = #expect(throws: ArchiveError.self) {
          try ModelArchive.decode(Array(bytes[..<count]))
        }
        // What stands for the trailer then may well name more objects than are read.
        #expect(error?.code == .malformedPropertyList || error?.code == .limitExceeded)
      }
    }
  }

  @Test func everyTruncationOfAnXMLArchiveIsRefused() throws {
    let bytes = try Array(FeatureModel.archive().xml.utf8)
    for count in stride(from: 0, to: bytes.count - 1, by: 37) {
      #expect(throws: ArchiveError.self) { try KeyedArchive(Array(bytes[..<count])) }
    }
  }

  /// A few thousand mutations in a process of their own, so that a trap is told from a failed test.
  /// `Tools/mutate` tries as many as one likes.
  @Test func mutationsEndNoReader() throws {
    let folder = Bundle.main.executableURL?.deletingLastPathComponent()
    let tool = try #require(
      [folder, Corpus.packageRoot.appendingPathComponent(".build/debug")]
        .compactMap { $0?.appendingPathComponent("mutator") }
        .first { FileManager.default.isExecutableFile(atPath: $0.path) })
    let output = try TemporaryFolder()
    try Data().write(to: output.file("out"))
    let process = Process()
    process.executableURL = tool
    process.arguments = [
      "2500", "--milliseconds", "20000",
      Corpus.packageRoot.appendingPathComponent("TestArchives").path,
    ]
    process.standardOutput = try FileHandle(forWritingTo: output.file("out"))
    try process.run()
    process.waitUntilExit()
    let text = try String(contentsOf: output.file("out"), encoding: .utf8)
    #expect(process.terminationStatus == 0, "\(text)")
    #expect(text.contains("failures: 0"))
  }
}
