import DataModels
import ModelEvolution
import TestSupport
import Testing

/// Bundles to which both sides added versions.
@Suite struct VersionedModelMergeTests {
  /// A model with one attribute for each number.
  private func model(_ numbers: Int...) -> NSManagedObjectModel {
    return NSManagedObjectModel(of: [entity("Order", numbers.map { attribute("a\($0)", .string) })])
  }

  private func history(
    _ versions: [Int: NSManagedObjectModel], current: Int
  ) -> VersionedModel {
    VersionedModel(
      versions.map { (name: "Model \($0.key)", model: $0.value) },
      currentVersionName: "Model \(current)")
  }

  private func attributes(_ merge: VersionedModelMerge, _ version: String) -> [String] {
    merge.history[version]?.model.entities.first?.attributesByName.keys.sorted() ?? []
  }

  @Test func theLoneVersionGoesOnTopOfTheOtherSidesCurrentOne() throws {
    let base = history([47: model(47)], current: 47)
    let many = history(
      [47: model(47), 48: model(47, 1), 49: model(47, 1, 2), 50: model(47, 1, 2, 3)], current: 50)
    let one = history([47: model(47), 48: model(47, 9)], current: 48)
    for (ours, theirs, side) in [(many, one, MergeSide.theirs), (one, many, .ours)] {
      let merge = try VersionedModelMerge(base: base, ours: ours, theirs: theirs, renumbering: true)
      #expect(merge.conflicts.isEmpty)
      #expect(
        merge.renumberings.map { [$0.side.rawValue, $0.from, $0.to] } == [
          [side.rawValue, "Model 48", "Model 51"]
        ])
      #expect(merge.history.currentVersionName == "Model 51")
      #expect(attributes(merge, "Model 51") == ["a1", "a2", "a3", "a47", "a9"])
      #expect(attributes(merge, "Model 48") == ["a1", "a47"])
      #expect(attributes(merge, "Model 50") == ["a1", "a2", "a3", "a47"])
      #expect(merge.history.versions.count == 5)
    }
  }

  @Test func allOfTheMovedSidesVersionsFromTheFirstRivalOnMove() throws {
    let base = history([1: model(0)], current: 1)
    let ours = history([1: model(0), 2: model(0, 1), 3: model(0, 1, 2)], current: 3)
    let theirs = history([1: model(0), 2: model(0, 7), 3: model(0, 7, 8)], current: 3)
    let merge = try VersionedModelMerge(base: base, ours: ours, theirs: theirs, renumbering: true)
    #expect(merge.renumberings.map(\.to) == ["Model 4", "Model 5"])
    #expect(merge.history.currentVersionName == "Model 5")
    #expect(attributes(merge, "Model 4") == ["a0", "a1", "a2", "a7"])
    #expect(attributes(merge, "Model 5") == ["a0", "a1", "a2", "a7", "a8"])
  }

  @Test func ofTwoCurrentVersionsTheLaterIsTaken() throws {
    let base = history([1: model(0)], current: 1)
    let ours = history([1: model(0), 9: model(0, 1)], current: 9)
    let theirs = history([1: model(0), 10: model(0, 2)], current: 10)
    for (one, other) in [(ours, theirs), (theirs, ours)] {
      let merge = try VersionedModelMerge(base: base, ours: one, theirs: other)
      #expect(merge.conflicts.isEmpty)
      #expect(merge.history.currentVersionName == "Model 10")
      #expect(merge.contestedCurrentVersions.count == 2)
    }
  }

  @Test func twoModelsOfOneVersionAreAConflict() throws {
    let base = history([1: model(0)], current: 1)
    let ours = history([1: model(0), 2: model(0, 1)], current: 2)
    let theirs = history([1: model(0), 2: model(0, 2)], current: 2)
    let merge = try VersionedModelMerge(base: base, ours: ours, theirs: theirs)
    #expect(merge.conflicts.map(\.conflict.kind) == [.version])
    let same = try VersionedModelMerge(base: base, ours: ours, theirs: ours)
    #expect(same.conflicts.isEmpty)
    #expect(same.history.versions.count == 2)
  }

  /// Versions that both sides have, as when one of them took the other's, neither move nor count.
  @Test func versionsThatBothSidesAddedStay() throws {
    let base = history([1: model(0)], current: 1)
    let one = history([1: model(0), 2: model(0, 1), 3: model(0, 3)], current: 3)
    let other = history([1: model(0), 2: model(0, 2), 3: model(0, 3)], current: 3)
    for (ours, theirs) in [(one, other), (other, one)] {
      let merge = try VersionedModelMerge(base: base, ours: ours, theirs: theirs, renumbering: true)
      #expect(
        merge.renumberings.map { [$0.side.rawValue, $0.from, $0.to] } == [
          ["theirs", "Model 2", "Model 4"]
        ])
      #expect(attributes(merge, "Model 3") == ["a0", "a3"])
      #expect(merge.history.versions.count == 4)
      // Their sources are merged.
      #expect(merge.sides.keys.sorted() == ["Model 1", "Model 3", "Model 4"])
    }
    let many = history([1: model(0), 2: model(0, 2), 3: model(0, 3), 4: model(0, 4)], current: 4)
    let merge = try VersionedModelMerge(base: base, ours: one, theirs: many, renumbering: true)
    #expect(merge.renumberings.map(\.from) == ["Model 2"])
    #expect(attributes(merge, "Model 5") == ["a0", "a1", "a4"])
    let plain = try VersionedModelMerge(base: base, ours: one, theirs: other)
    #expect(plain.sides["Model 3"] != nil)
  }

  @Test func aRemovedVersionWhoseSourceWasEditedIsAConflict() throws {
    let base = history([1: model(0), 2: model(0, 1)], current: 2)
    let edited = history([1: model(0), 2: model(0, 1)], current: 2)
    let removed = history([2: model(0, 1)], current: 2)
    let old = try #require(edited["Model 1"]).model
    for (ours, theirs) in [(edited, removed), (removed, edited)] {
      let merge = try VersionedModelMerge(
        base: base, ours: ours, theirs: theirs, isEdited: { $1 === old })
      #expect(merge.conflicts.map(\.conflict.kind) == [.removedAndChanged])
      #expect(merge.history.versions.count == 2)
      let same = try VersionedModelMerge(base: base, ours: ours, theirs: theirs)
      #expect(same.conflicts.isEmpty && same.history.versions.count == 1)
    }
  }
}
