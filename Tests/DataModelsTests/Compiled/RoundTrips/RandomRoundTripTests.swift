import Foundation
import TestSupport
import Testing

@testable import DataModels

/// Laws that every model obeys when it is written and read, tested with random models that use every feature.
@Suite struct RandomRoundTripTests {
  private static let seeds = Trials.seeds(200)

  @Test func writingAndReadingGivesTheSameModel() throws {
    for seed in Self.seeds {
      let model = RandomModel(seed: seed).model()
      let copy = try ModelArchive.decode(ModelArchive.encode(model))
      #expect(ModelLikeness.difference(model, copy) == nil, "seed \(seed)")
      #expect(ModelLikeness.isCoherent(copy), "seed \(seed)")
      #expect(copy.compilerStamp == model.compilerStamp, "seed \(seed)")
      #expect(copy.versionIdentifiers == model.versionIdentifiers, "seed \(seed)")
    }
  }

  @Test func writingIsDeterministicAndIdempotent() throws {
    for seed in Self.seeds {
      let model = RandomModel(seed: seed).model()
      let bytes = try ModelArchive.encode(model)
      #expect(try ModelArchive.encode(model) == bytes, "seed \(seed): written twice")
      let again = RandomModel(seed: seed).model()
      #expect(try ModelArchive.encode(again) == bytes, "seed \(seed): made twice")
      let copy = try ModelArchive.decode(bytes)
      #expect(try ModelArchive.encode(copy) == bytes, "seed \(seed): read and written")
    }
  }

  /// The order of entities and properties in memory doesn't affect the output.
  @Test func orderInMemoryDoesNotShow() throws {
    for seed in Self.seeds.prefix(100) {
      var random = SeededGenerator(seed: seed)
      let model = RandomModel(seed: seed).model()
      let bytes = try ModelArchive.encode(model)
      model.entities.shuffle(using: &random)
      for entity in model.entities {
        entity.properties = entity.ownProperties.shuffled(using: &random)
      }
      #expect(try ModelArchive.encode(model) == bytes, "seed \(seed)")
    }
  }

  @Test func aModelWithoutEntitiesIsAModel() throws {
    let bytes = try ModelArchive.encode(NSManagedObjectModel())
    let copy = try ModelArchive.decode(bytes)
    #expect(copy.entities.isEmpty)
    #expect(try ModelArchive.encode(copy) == bytes)
  }

  @Test(
    "A stamp is kept, left out or chosen",
    arguments: [
      (.kept, CompilerStamp(toolVersion: 1.5, xcodeVersion: 2)),
      (.omitted, nil),
      (
        .stamp(CompilerStamp(toolVersion: 24512, xcodeVersion: 260_200)),
        CompilerStamp(toolVersion: 24512, xcodeVersion: 260_200)
      ),
    ] as [(ModelArchiveOptions.Stamp, CompilerStamp?)])
  func stamps(choice: ModelArchiveOptions.Stamp, expected: CompilerStamp?) throws {
    let model = RandomModel(seed: 1).model()
    model.compilerStamp = CompilerStamp(toolVersion: 1.5, xcodeVersion: 2)
    let bytes = try ModelArchive.encode(model, options: ModelArchiveOptions(stamp: choice))
    #expect(try ModelArchive.decode(bytes).compilerStamp == expected)
  }
}
