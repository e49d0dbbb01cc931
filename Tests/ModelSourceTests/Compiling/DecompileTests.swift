import DataModels
import Foundation
import ModelEvolution
import TestSupport
import Testing

@testable import ModelSource

/// Compiled models, made sources of and compiled again.
@Suite struct DecompileTests {
  /// Every model that momc made comes back whole. What programs built at run time and stores keep
  /// can hold more than a source can say; then what is lost is named.
  @Test(
    .enabled(if: Corpus.isPresent, Corpus.absence), arguments: ["mom", "modelcache-mom"])
  func realModelsComeBack(kind: String) throws {
    let files = Corpus.files(ofKind: kind)
    #expect(!files.isEmpty)
    var misses = 0
    for file in files {
      let model = try ModelArchive.decode([UInt8](Data(contentsOf: file.url)))
      let output = ModelDecompiler.decompile(
        [("Model", model)], name: "Model", isVersioned: false)
      let source = try SourceModel(data: Data(output.files[0].bytes), path: file.path)
      let hasIndexes = model.entities.contains { !$0.indexes.isEmpty }
      let changes = ModelDifference(from: model, to: source.model).changes.filter {
        // An attribute marked as indexed gets an index of its own since Xcode 9.
        hasIndexes || !($0.elementKind == .index || $0.fact == "indexed")
      }
      guard !changes.isEmpty || !output.losses.isEmpty else { continue }
      misses += 1
      print("\(file.path): \(output.losses)")
      for change in changes.prefix(5) {
        print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
      }
      #expect(kind != "mom", "\(file.path)")
      #expect(!output.losses.isEmpty, "\(file.path): lost without a word")
    }
    print("\(files.count - misses) of \(files.count) \(kind) models come back")
  }
}
