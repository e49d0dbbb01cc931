import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

/// The hashes of real models against those that Apple's tools published beside them.
///
/// What bundles and stores record of themselves is in `ModelFileTests`.
@Suite("Hashes of the corpus", .enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusHashTests {
  /// What Core Data writes into a store's cache is the model that the store was made with: the same
  /// hashes as the `.mom` of which the store's metadata tells.
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

  /// A cache written as a `.mom` keeps all of the model.
  @Test func aCachedModelWrittenAsMomKeepsTheModel() throws {
    for file in Corpus.files(ofKind: "modelcache-mom") {
      let cached = try ModelArchive.decode(FileBytes.read(file.url.path))
      let mom = try ModelArchive.decode(ModelArchive.encode(cached))
      #expect(ModelLikeness.difference(cached, mom) == nil, "\(file.path)")
      #expect(ModelLikeness.isCoherent(mom), "\(file.path)")
    }
  }

  /// Every vintage, written in the newest form, is the same model, and stays the same bytes.
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
