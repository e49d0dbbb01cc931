import CompiledModel
import Foundation
import ManagedModel
import ModelCompiler
import ModelEvolution
import ModelSource
import TestSupport
import Testing

/// Compiled models, made sources of and compiled again.
@Suite struct DecompileTests {
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
      do {
        let source = try SourceModel(data: Data(output.files[0].bytes), path: file.path)
        let changes = ModelDifference(from: model, to: source.model).changes
        guard !changes.isEmpty || !output.losses.isEmpty else { continue }
        misses += 1
        print("\(file.path): \(output.losses)")
        for change in changes.prefix(5) {
          print("  \(change.path) \(change.fact ?? ""): \(change.oldValue) → \(change.newValue)")
        }
      } catch {
        misses += 1
        print(error)
      }
    }
    print("\(files.count - misses) of \(files.count) \(kind) models come back from their sources")
    #expect(misses == 0)
  }
}
