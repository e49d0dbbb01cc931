import CompiledModel
import Foundation
import ManagedModel
import ModelEvolution
import ModelSource
import TestSupport
import Testing

/// Real sources against the models that Apple's compiler made of them.
@Suite struct PairTests {
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func sourcesMeanWhatWasCompiled(kind: String) throws {
    let pairs = Corpus.pairs(ofKind: kind)
    var misses: [String] = []
    for pair in pairs {
      let compiled = try ModelArchive.decode([UInt8](Data(contentsOf: pair.momURL)))
      let source = try SourceModel(contentsOf: pair.sourceURL)
      let changes = ModelDifference(from: compiled, to: source.model).changes.filter {
        // What is in a store's cache has no class where the running program had none.
        !(kind == "modelcache-mom" && $0.fact == "className" && $0.oldValue == .none)
      }
      if !changes.isEmpty {
        misses.append(pair.mom)
        print("\(pair.mom):")
        for change in changes.prefix(8) {
          print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
        }
      }
    }
    print("\(pairs.count - misses.count) of \(pairs.count) \(kind) pairs mean the same")
    #expect(!pairs.isEmpty)
    #expect(misses.isEmpty)
  }
}
