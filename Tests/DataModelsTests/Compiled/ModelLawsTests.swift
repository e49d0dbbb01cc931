import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Laws that hold for every model created by Apple's tools.
@Suite struct ModelLawsTests {
  private static let files = ["mom", "modelcache-mom"].flatMap(Corpus.files(ofKind:))

  /// Core Data has loaded these models, so they can't violate a rule.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence), arguments: files)
  func noRuleIsBroken(file: Corpus.File) throws {
    let model = try NSManagedObjectModel(loading: file.url.path)
    let errors = model.findings().filter { $0.severity == .error }
    #expect(errors.isEmpty, "\(errors.map(\.description).joined(separator: "\n"))")
  }

  @Test(.enabled(if: Corpus.isPresent, Corpus.absence), arguments: files)
  func copiesAndMergesAreTheSameModel(file: Corpus.File) throws {
    let model = try NSManagedObjectModel(loading: file.url.path)
    let copy = model.deepCopy()
    #expect(ModelComparison.difference(copy, model) == nil)
    #expect(copy.entityVersionHashesByName == model.entityVersionHashesByName)
    let merged = try NSManagedObjectModel.merging([model, copy])
    #expect(ModelComparison.difference(merged, model) == nil)
  }
}
