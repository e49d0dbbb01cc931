import BinaryPlist
import CompiledModel
import ManagedModel
import TestSupport
import Testing

@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusDecodingTests {
  @Test(arguments: ["mom", "modelcache-mom"])
  func everyModelLoads(kind: String) throws {
    for file in Corpus.files(ofKind: kind) {
      do {
        _ = try ModelArchive.decode(FileBytes.read(file.url.path))
      } catch {
        Issue.record("\(file.path): \(error)")
      }
    }
  }
}
