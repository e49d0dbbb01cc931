import DataModels
import Foundation
import TestSupport
import Testing

@testable import ModelEvolution

/// What consecutive versions share is the same as when each version is read alone.
@Suite struct OutlineSequenceTests {
  /// Versions of a model, each a few random edits away from the previous one; some are read twice, some change
  /// nothing.
  private func versions(_ seed: Int) -> [NSManagedObjectModel] {
    var edits = RandomEdits(seed: UInt64(seed), tag: "S")
    // Every other model has only plain attributes and relationships, like most of a large model.
    var models = [seed % 2 == 0 ? RandomModel(seed: UInt64(seed)).model() : plainModel()]
    for step in 1..<10 {
      guard let last = models.last else { break }
      switch step % 5 {
      case 3: models.append(last)
      case 4: models.append(edited(last) { _ in })
      default: models.append(edited(last) { edits.edit($0, times: 1 + step % 3) })
      }
    }
    return models
  }

  private func plainModel() -> NSManagedObjectModel {
    let entities = (0..<8).map { number in
      entity("Plain\(number)", (0..<5).map { attribute("a\(number)x\($0)", .string) })
    }
    for (one, other) in zip(entities, entities.dropFirst()) {
      relate(
        one, "to\(other.name ?? "")", toMany: true, other, "from\(one.name ?? "")", toMany: false)
    }
    entities[1].subentities = [entities[6], entities[7]]
    return NSManagedObjectModel(of: entities)
  }

  @Test(arguments: 0..<24) func versionsSayWhatTheySayAlone(_ seed: Int) {
    let models = versions(seed)
    let sequence = OutlineSequence(models)
    #expect(sequence.outlines.count == models.count)
    for (place, model) in models.enumerated() {
      let alone = ModelOutline(of: model)
      #expect(sequence.outlines[place] == alone)
      #expect(Array(sequence.outlines[place].paths) == Array(alone.paths))
      #expect(sequence.hashes[place] == model.entityVersionHashesByName)
      guard place > 0 else { continue }
      let before = ModelOutline(of: models[place - 1])
      for name in sequence.unchanged[place] {
        #expect(elements(of: name, alone) == elements(of: name, before))
      }
      let whole = ElementMatching(from: before, to: alone)
      let part = ElementMatching(
        from: before, to: alone,
        among: (
          sequence.paths(of: place - 1, changedIn: place),
          sequence.paths(of: place, changedIn: place)
        ))
      #expect(alone.paths.allSatisfy { part.oldPath(of: $0) == whole.oldPath(of: $0) })
      #expect(before.paths.allSatisfy { part.newPath(of: $0) == whole.newPath(of: $0) })
      let differences = (
        ModelDifference(from: before, to: alone),
        ModelDifference(
          from: sequence.outlines[place - 1], to: sequence.outlines[place],
          among: (
            sequence.paths(of: place - 1, changedIn: place),
            sequence.paths(of: place, changedIn: place)
          ))
      )
      #expect(differences.0.changes == differences.1.changes)
      #expect(
        differences.0.entitiesChangedByReference == differences.1.entitiesChangedByReference)
    }
  }

  @Test(arguments: 0..<24) func verdictsAreThoseOfModelsAlone(_ seed: Int) {
    let models = versions(seed)
    let sequence = OutlineSequence(models)
    let contents = sequence.visibleProperties()
    for old in models.indices {
      for new in [models.count - 1, (old + 1) % models.count] {
        let shared = MigrationVerdict(
          from: contents[old], to: contents[new],
          hashesAreEqual: sequence.hashes[old] == sequence.hashes[new])
        let alone = MigrationVerdict(from: models[old], to: models[new])
        #expect(shared.outcome == alone.outcome)
        #expect(shared.findings == alone.findings)
      }
    }
  }

  /// Equal in Swift, but with different bytes and therefore another hash.
  @Test func namesThatLookAlikeAreNotTheSame() {
    let models = ["caf\u{E9}", "cafe\u{301}"].map { name in
      NSManagedObjectModel(of: [entity("Place", [attribute(name, .string)])])
    }
    let sequence = OutlineSequence(models)
    #expect(sequence.hashes == models.map(\.entityVersionHashesByName))
    #expect(sequence.hashes[0] != sequence.hashes[1])
  }

  @Test func entitiesThatLookAlikeKeepTheirNames() {
    let names = ["caf\u{E9}", "cafe\u{301}"]
    let models = names.map { NSManagedObjectModel(of: [entity($0, [attribute("x", .string)])]) }
    let sequence = OutlineSequence(models)
    for (place, contents) in sequence.visibleProperties().enumerated() {
      #expect(contents.entities.map { Array($0.name.utf8) } == [Array(names[place].utf8)])
      #expect(
        sequence.outlines[place].paths.dropFirst().map { Array(($0.entityName ?? "").utf8) }
          == [Array(names[place].utf8), Array(names[place].utf8)])
    }
  }

  private func elements(of entity: String, _ outline: ModelOutline) -> [ModelPath: ModelElement] {
    Dictionary(
      uniqueKeysWithValues: outline.elements.filter { $0.key.entityName == entity }
        .map { ($0.key, $0.value) })
  }
}
