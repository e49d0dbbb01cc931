import BinaryPlist
import CompiledModel
import ManagedModel
import TestSupport
import Testing

@Suite("Models of the corpus", .enabled(if: Corpus.isPresent, Corpus.absence))
struct CorpusModelTests {
  @Test("Every archived model loads", arguments: ["mom", "modelcache-mom"])
  func loading(kind: String) throws {
    for file in Corpus.files(ofKind: kind) {
      do {
        _ = try ModelArchive.decode(FileBytes.read(file.url.path))
      } catch {
        Issue.record("\(file.path): \(error)")
      }
    }
  }

  @Test("Stamped models come out byte for byte, through the model")
  func rewriting() throws {
    var stamped = 0
    for file in Corpus.files(ofKind: "mom") {
      let bytes = try FileBytes.read(file.url.path)
      let model = try ModelArchive.decode(bytes)
      guard model.compilerStamp != nil else { continue }
      stamped += 1
      let written = try ModelArchive.encode(model)
      #expect(written.elementsEqual(bytes), "\(file.path)")
    }
    #expect(stamped > 0)
  }
}
