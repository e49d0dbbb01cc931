import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

@testable import ModelSource

/// Real sources, compared with the models that Apple's compiler created from them.
@Suite struct PairTests {
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func sourcesMeanWhatWasCompiled(kind: String) throws {
    let pairs = Corpus.pairs(ofKind: kind)
    var equal = 0
    for pair in pairs {
      let compiled = try ModelArchive.decode([UInt8](Data(contentsOf: pair.momURL)))
      let source = try SourceModel(contentsOf: pair.sourceURL)
      let changes = ModelDifference(from: compiled, to: source.model).changes.filter {
        // A store's cached model has no class if the running program had none.
        !(kind == "modelcache-mom" && $0.fact == "className" && $0.oldValue == .none)
      }
      if changes.isEmpty {
        equal += 1
        continue
      }
      print("\(pair.mom):")
      for change in changes {
        print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
      }
      let reason = changes.allSatisfy(Self.isOfOldCompilers) ? "an older compiler" : nil
      #expect(
        compiled.compilerStamp == nil
          && (reason ?? Self.otherRevision(source.document)) != nil, "\(pair.mom)")
    }
    print("\(equal) of \(pairs.count) \(kind) pairs mean the same")
    #expect(!pairs.isEmpty)
    #expect(pairs.count - equal <= 3)
  }

  /// A compiler from Xcode 13.4 or later would have left its stamp: a compiled model without one was not created from
  /// a source saved by such an Xcode, but from an earlier revision.
  private static func otherRevision(_ document: SourceDocument) -> String? {
    let tools = document.root["lastSavedToolsVersion"].flatMap { Double($0) } ?? 0
    return tools >= 20086 ? "another revision" : nil
  }

  /// Compilers before Xcode 9 dropped the limits of fetch requests, and some named indexes on several attributes
  /// after these.
  private static func isOfOldCompilers(_ change: ModelChange) -> Bool {
    ["fetchLimit", "fetchBatchSize", "returnsDistinctResults"].contains(change.fact)
      || change.elementKind == .index
  }
}
