import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// What the check finds in real stores, each finding explained.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusCheckTests {
  /// The findings in real stores, by the end of their path.
  private static let known: [String: [String]] = [
    // The entity was renamed by a migration in place, which left the old name.
    "SampleModel_V2.sqlite": [
      "warning: [entity-name] LuxuryCar: Z_PRIMARYKEY calls entity 3 'ExpensiveSportCar'"
    ],
    // The program that owns the store keeps this one-to-one relationship at one end only: the
    // other end's column is empty in every row.
    "NoteStore.sqlite": [
      "warning: [inverse] ICCloudSyncingObject.cloudState: the ICCloudState it refers to doesn't "
        + "refer back (36 rows: 1, 2, 3, 4, 9, …)"
    ],
  ]

  @Test(arguments: CorpusSchemaTests.withModel)
  func realStoresAreSound(store: Corpus.File) throws {
    let folder = store.url.deletingLastPathComponent()
    let before = try TemporaryFolder.contents(of: folder)
    let findings = try StoreCheck.findings(
      at: store.url, model: CorpusStore.model(of: store))
    let expected = Self.known.first { store.path.hasSuffix($0.key) }?.value ?? []
    #expect(findings.map(\.description) == expected)
    #expect(try TemporaryFolder.contents(of: folder) == before)
  }
}
