import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// The hashes of real models, compared with those that Apple's tools recorded.
///
/// `ModelFileTests` tests what bundles and stores record about themselves.
@Suite("Hashes of the corpus", .enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusHashTests {
  /// Core Data stores the model that a store was created with in the store's cache, so its hashes equal those of the
  /// `.mom` identified by the store's metadata.
  @Test func aCachedModelIsTheSameAsItsMom() throws {
    var byDigest: [String: NSManagedObjectModel] = [:]
    for file in Corpus.files(ofKind: "mom") {
      let model = try ModelArchive.decode(FileBytes.read(file.url.path))
      byDigest[model.versionHashesDigest] = model
    }
    var pairs = 0
    for file in Corpus.files(ofKind: "modelcache-mom") {
      let cached = try ModelArchive.decode(FileBytes.read(file.url.path))
      guard let mom = byDigest[cached.versionHashesDigest] else { continue }
      pairs += 1
      #expect(cached.entityVersionHashesByName == mom.entityVersionHashesByName, "\(file.path)")
      #expect(cached.versionChecksum == mom.versionChecksum, "\(file.path)")
    }
    #expect(pairs > 0)
  }

  /// A cached model written as a `.mom` preserves the entire model.
  @Test func aCachedModelWrittenAsMomKeepsTheModel() throws {
    for file in Corpus.files(ofKind: "modelcache-mom") {
      let cached = try ModelArchive.decode(FileBytes.read(file.url.path))
      let mom = try ModelArchive.decode(ModelArchive.encode(cached))
      #expect(ModelLikeness.difference(cached, mom) == nil, "\(file.path)")
      #expect(ModelLikeness.isCoherent(mom), "\(file.path)")
    }
  }

  /// A model of any vintage, written in the newest format, is unchanged, and is rewritten to the same bytes.
  @Test func everyModelSurvivesBeingWritten() throws {
    for file in Corpus.files(ofKind: "mom") {
      let model = try ModelArchive.decode(FileBytes.read(file.url.path))
      let bytes = try ModelArchive.encode(model)
      let copy = try ModelArchive.decode(bytes)
      #expect(ModelLikeness.difference(model, copy) == nil, "\(file.path)")
      #expect(ModelLikeness.isCoherent(copy), "\(file.path)")
      #expect(try ModelArchive.encode(copy) == bytes, "\(file.path)")
    }
  }
}
