import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

/// The laws, tested with random models that use every feature.
@Suite struct RandomModelTests {
  @Test(arguments: 0..<25) func differencesReplayBetweenUnrelatedModels(_ seed: Int) throws {
    let old = RandomModel(seed: UInt64(seed)).model()
    let new = RandomModel(seed: UInt64(seed) + 5000).model()
    let difference = ModelDifference(from: old, to: new)
    let replayed = try difference.applied(to: old)
    #expect(ModelDifference(from: replayed, to: new).changes.map(\.sentence) == [])
    #expect(replayed.entityVersionHashesByName == new.entityVersionHashesByName)
    #expect(ModelDifference(from: new, to: new).isEmpty)
    let copy = new.copy() as? NSManagedObjectModel ?? old
    #expect(ModelDifference(from: new, to: copy).isEmpty)
  }

  @Test(arguments: 0..<25) func mergesObeyTheLaws(_ seed: Int) throws {
    let base = RandomModel(seed: UInt64(seed)).model()
    var edits = RandomEdits(seed: UInt64(seed), tag: "O")
    let ours = edited(base) { edits.edit($0, times: 10) }
    try expectLaws(base: base, side: ours)
    var others = RandomEdits(seed: UInt64(seed) + 99, tag: "T")
    let theirs = edited(base) { others.edit($0, times: 10) }
    let merge = try ModelMerge(base: base, ours: ours, theirs: theirs)
    expectConsistent(merge.model)
    // Nothing is worse than on either side.
    func errors(_ model: NSManagedObjectModel) -> Set<ModelFinding.Code> {
      Set(model.findings().filter { $0.severity == .error }.map(\.code))
    }
    let known = errors(ours).union(errors(theirs))
    #expect(errors(merge.model).subtracting(known).isEmpty, "\(merge.model.findings())")
    // Every edit by theirs that isn't in the merge is in a conflict.
    let wanted = ModelDifference(from: base, to: theirs).changes.filter { $0.kind == .changed }
    let merged = ModelOutline(of: merge.model)
    for change in wanted {
      guard let fact = change.fact, change.newValue.members.isEmpty, change.newValue.fields.isEmpty,
        let element = merged[change.path]
      else { continue }
      let isThere = element[fact] == change.newValue
      let isReported = merge.conflicts.contains { $0.path == change.path }
      #expect(isThere || isReported, "\(change.sentence)")
    }
  }

  @Test(arguments: 0..<25) func verdictsAreNeverSilent(_ seed: Int) throws {
    let base = RandomModel(seed: UInt64(seed)).model()
    var edits = RandomEdits(seed: UInt64(seed), tag: "O")
    let next = edited(base) { edits.edit($0, times: 5) }
    let verdict = MigrationVerdict(from: base, to: next)
    let isSame = base.entityVersionHashesByName == next.entityVersionHashesByName
    #expect((verdict.outcome == .notNeeded) == isSame)
    #expect(isSame || !verdict.findings.isEmpty)
    #expect(MigrationVerdict(from: base, to: base).outcome == .notNeeded)
    #expect(MigrationVerdict(from: base, to: base).findings.isEmpty)
  }

  @Test(arguments: 0..<25) func whatIsMarkedNeutralChangesNoHash(_ seed: Int) throws {
    let base = RandomModel(seed: UInt64(seed)).model()
    var edits = RandomEdits(seed: UInt64(seed) + 7, tag: "N")
    let next = edited(base) { edits.edit($0, times: 1) }
    let difference = ModelDifference(from: base, to: next)
    #expect(
      difference.changesHash == (base.entityVersionHashesByName != next.entityVersionHashesByName),
      "\(difference.changes.map(\.sentence))")
  }
}
