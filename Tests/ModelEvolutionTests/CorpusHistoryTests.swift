import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusHistoryTests {
  @Test func thereAreHistories() {
    #expect(CorpusHistories.sources.count > 10)
  }

  @Test(arguments: CorpusHistories.sources)
  func differencesReplay(_ history: CorpusHistories.History) throws {
    let models = try history.models()
    for (old, new) in zip(models, models.dropFirst()) {
      let step = "\(old.name) → \(new.name)"
      let difference = ModelDifference(from: old.model, to: new.model)
      let replayed = try difference.applied(to: old.model)
      #expect(ModelDifference(from: replayed, to: new.model).changes.map(\.path) == [], "\(step)")
      #expect(replayed.entityVersionHashesByName == new.model.entityVersionHashesByName, "\(step)")
      #expect(
        !difference.changesHash
          == (old.model.entityVersionHashesByName == new.model.entityVersionHashesByName), "\(step)"
      )
      let back = try ModelDifference(from: new.model, to: old.model).applied(to: new.model)
      #expect(back.entityVersionHashesByName == old.model.entityVersionHashesByName, "\(step)")
      #expect(ModelDifference(from: new.model, to: new.model).isEmpty)
      try expectLaws(base: old.model, side: new.model)
    }
  }

  @Test(arguments: CorpusHistories.sources)
  func everyStepGetsAVerdict(_ history: CorpusHistories.History) throws {
    let models = try history.models()
    for (old, new) in zip(models, models.dropFirst()) {
      let verdict = MigrationVerdict(from: old.model, to: new.model)
      #expect(
        (verdict.outcome == .notNeeded)
          == (old.model.entityVersionHashesByName == new.model.entityVersionHashesByName))
      #expect(
        verdict.outcome == .notNeeded || !verdict.findings.isEmpty, "\(old.name) → \(new.name)")
    }
  }
}
