import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// Damaged files: every reader rejects or accepts them, and continues.
@Suite struct HostileBytesTests {
  /// Five files, truncated after each of their bytes.
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
        // The bytes in place of the trailer may declare more objects than are permitted.
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
}
