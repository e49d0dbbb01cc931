import DataModels
import Foundation
import ManagedObjects
import ModelEvolution
import StoreSupport
import TestSupport
import Testing

/// Compares verdicts with real migrations: a store of the old model, with objects, is opened with the new one.
@Suite struct VerdictMigrationTests {
  @Test func storesMigrateExactlyAsTheVerdictsSay() throws {
    let folder = try TemporaryFolder()
    var migrated: [URL] = []
    var compared = 0
    var counts: [MigrationVerdict.Outcome: Int] = [:]
    for (index, pair) in MigrationVerdictTests.all.enumerated() {
      let old = edited(libraryModel(), pair.prepare)
      let new = edited(old, pair.edit)
      let store = folder.file("\(index).sqlite")
      try TestStore.make(store, old)
      let before = try StoreSnapshot(store, old)
      #expect(before.count == StoreFiller.count * old.entities.count { !$0.isAbstract })
      let bytes = try Data(contentsOf: store)
      counts[pair.outcome, default: 0] += 1
      switch pair.outcome {
      case .notNeeded, .lightweight:
        do { try TestStore.migrate(store, to: new) } catch {
          Issue.record("\(pair.name): \(error)")
          continue
        }
        let after = try StoreSnapshot(store, new)
        // Without a migration nothing changes, whatever the renaming identifiers are.
        if pair.outcome == .notNeeded { #expect(after == before, "\(pair.name)") }
        let comparison = MigrationComparison(
          before, old, after, pair.outcome == .notNeeded ? old : new)
        #expect(comparison.differences == [], "\(pair.name)")
        compared += comparison.comparedCount
        if pair.outcome == .lightweight { migrated.append(store) }
      case .failsWithData:
        let error = #expect(throws: NSError.self, "\(pair.name)") {
          try TestStore.migrate(store, to: new)
        }
        let isUniqueness = pair.rules.contains(.uniquenessAdded)
        #expect(
          error?.code
            == (isUniqueness ? NSMigrationConstraintViolationError : NSMigrationError),
          "\(pair.name)"
        )
        #expect(try StoreSnapshot(store, old) == before, "\(pair.name)")
        // The data causes the failure: an empty store can be migrated.
        let empty = folder.file("\(index)-empty.sqlite")
        try TestStore.make(empty, old, isEmpty: true)
        #expect(throws: Never.self, "\(pair.name)") { try TestStore.migrate(empty, to: new) }
        migrated.append(empty)
      case .impossible:
        let error = #expect(throws: NSError.self, "\(pair.name)") {
          try TestStore.migrate(store, to: new)
        }
        #expect(error?.code == NSMigrationMissingMappingModelError, "\(pair.name)")
        let cause = error?.userInfo[NSUnderlyingErrorKey] as? NSError
        #expect(cause?.code == NSInferredMappingModelError, "\(pair.name)")
        #expect(try Data(contentsOf: store) == bytes, "\(pair.name)")
        #expect(try StoreSnapshot(store, old) == before, "\(pair.name)")
      }
      try expectNothingLeft(beside: store, in: folder)
    }
    #expect(counts.values.reduce(0, +) >= 60)
    #expect(compared > 2000)
    guard Corpus.isPresent else { return }
    let findings = try StoreOracle.findings(migrated, in: folder)
    for (name, finding) in findings {
      let index = Int(name.prefix { $0.isNumber }) ?? 0
      Issue.record("\(MigrationVerdictTests.all[index].name): \(finding)")
    }
  }

  /// Steps of every real history, with data: a few of each, or all if `MOMKIT_ALL_MIGRATIONS` is set.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realHistoriesMigrateStepByStep() throws {
    let folder = try TemporaryFolder()
    let runsAll = ProcessInfo.processInfo.environment["MOMKIT_ALL_MIGRATIONS"] != nil
    var migrated: [URL] = []
    var counts: [MigrationVerdict.Outcome: Int] = [:]
    for (number, history) in CorpusHistories.sources.enumerated() {
      let models = try history.models()
      let steps = Array(zip(models, models.dropFirst()))
      let stride = runsAll ? 1 : max(1, steps.count / 3)
      for index in Swift.stride(from: 0, to: steps.count, by: stride) {
        let (old, new) = steps[index]
        let step = "\(history.testDescription): \(old.name) → \(new.name)"
        let store = folder.file("\(number)-\(index).sqlite")
        let verdict = MigrationVerdict(from: old.model, to: new.model)
        let source = edited(old.model) { _ in }
        do { try TestStore.make(store, source) } catch {
          // The filler's values fail validation, so the store has no objects.
          try TestStore.migrate(store, to: source)
        }
        let before = try StoreSnapshot(store, source)
        let target = edited(new.model) { _ in }
        do {
          try TestStore.migrate(store, to: target)
          #expect(verdict.outcome != .impossible, "\(step)")
          counts[.lightweight, default: 0] += 1
          let comparison = MigrationComparison(
            before, source, try StoreSnapshot(store, target), target)
          #expect(comparison.differences.prefix(5) == [], "\(step)")
          if verdict.outcome != .notNeeded { migrated.append(store) }
        } catch let error as NSError {
          counts[verdict.outcome, default: 0] += 1
          switch verdict.outcome {
          case .notNeeded, .lightweight: Issue.record("\(step): \(error)")
          case .failsWithData:
            #expect(
              [NSMigrationError, NSMigrationConstraintViolationError].contains(error.code),
              "\(step): \(error)")
          case .impossible:
            #expect(error.code == NSMigrationMissingMappingModelError, "\(step): \(error)")
          }
          #expect(try StoreSnapshot(store, source) == before, "\(step)")
        }
        try expectNothingLeft(beside: store, in: folder)
      }
    }
    #expect((counts[.lightweight] ?? 0) > 20, "\(counts)")
    let findings = try StoreOracle.findings(migrated, in: folder)
    #expect(findings == [:])
  }

  private func expectNothingLeft(beside store: URL, in folder: TemporaryFolder) throws {
    let name = ".\(store.lastPathComponent)."
    let left = try FileManager.default.contentsOfDirectory(
      atPath: store.deletingLastPathComponent().path
    ).filter { $0.hasPrefix(name) }
    #expect(left == [])
  }
}
