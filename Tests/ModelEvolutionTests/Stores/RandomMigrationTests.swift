import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

/// Stores of random models, with objects, are migrated through random edits.
@Suite struct RandomMigrationTests {
  private static let seeds = Trials.seeds(40)

  @Test func randomEditsMigrateAsTheVerdictsSay() throws {
    let folder = try TemporaryFolder()
    var migrated: [URL] = []
    var compared = 0
    for seed in Self.seeds {
      let base =
        seed % 3 == 0
        ? libraryModel()
        : RandomModel(
          seed: seed, entities: 2...8, attributes: 1...5,
          features: [.inheritance, .composites, .derived, .indexes, .uniqueness]
        ).model()
      var edits = RandomEdits(seed: seed, tag: "M")
      let (old, new) = (edited(base) { _ in }, edited(base) { edits.edit($0, times: 6) })
      let store = folder.file("\(seed).sqlite")
      do { try TestStore.make(store, old) } catch {
        // The model's own rules reject the values, so the store has no objects.
        try TestStore.migrate(store, to: old)
      }
      let before = try StoreSnapshot(store, old)
      let verdict = MigrationVerdict(from: old, to: new)
      do {
        try TestStore.migrate(store, to: new)
        #expect(verdict.outcome != .impossible, "seed \(seed)")
        let comparison = MigrationComparison(before, old, try StoreSnapshot(store, new), new)
        #expect(comparison.differences.prefix(3) == [], "seed \(seed)")
        compared += comparison.comparedCount
        if verdict.outcome != .notNeeded { migrated.append(store) }
      } catch let error as NSError {
        switch verdict.outcome {
        case .notNeeded, .lightweight: Issue.record("seed \(seed): \(error)")
        case .failsWithData:
          #expect(
            [NSMigrationError, NSMigrationConstraintViolationError].contains(error.code),
            "seed \(seed): \(error)")
        case .impossible:
          #expect(error.code == NSMigrationMissingMappingModelError, "seed \(seed): \(error)")
        }
        #expect(try StoreSnapshot(store, old) == before, "seed \(seed)")
      }
    }
    #expect(migrated.count > Self.seeds.count / 4)
    #expect(compared > 5 * Self.seeds.count)
    guard Corpus.isPresent else { return }
    let findings = try StoreOracle.findings(migrated, in: folder)
    #expect(findings == [:])
  }
}
