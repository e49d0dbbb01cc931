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
    var equal = 0
    var others = 0
    var othersEqual = 0
    for file in Corpus.files(ofKind: "mom") {
      let bytes = try FileBytes.read(file.url.path)
      let model = try ModelArchive.decode(bytes)
      let written = try ModelArchive.encode(model)
      if model.compilerStamp == nil {
        others += 1
        othersEqual += written == bytes ? 1 : 0
        continue
      }
      stamped += 1
      equal += written == bytes ? 1 : 0
      #expect(written == bytes, "\(file.path)")
    }
    print("\(equal) of \(stamped) stamped models, \(othersEqual) of \(others) others")
  }
}
