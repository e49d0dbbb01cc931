import PropertyLists
import TestSupport
import Testing

@testable import DataModels

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

  /// Models from older compilers without a stamp, in the format of their vintage.
  ///
  /// The independent oracle reproduces all but one of the 117 distinct files with the known vintages, and two more
  /// with a rule that applies to one vendor's files.
  @Test("Older models come out byte for byte, through the model")
  func rewritingOlderModels() throws {
    var ages: [CompilerVintage: (equal: Int, all: Int)] = [:]
    for file in Corpus.files(ofKind: "mom") {
      let bytes = try FileBytes.read(file.url.path)
      let model = try ModelArchive.decode(bytes)
      guard model.compilerStamp == nil, bytes.starts(with: Array("bplist".utf8)) else { continue }
      let vintage = try #require(model.compilerVintage, "\(file.path)")
      let isEqual = try ModelArchive.encode(model) == bytes
      ages[vintage, default: (0, 0)].all += 1
      if isEqual {
        ages[vintage, default: (0, 0)].equal += 1
      } else {
        print("other bytes: \(file.path)")
      }
    }
    for (age, count) in ages.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
      print(
        "age \(age.rawValue): \(count.equal) of \(count.all) older models come out byte for byte")
    }
    let (equal, all) = ages.values.reduce((0, 0)) { ($0.0 + $1.equal, $0.1 + $1.all) }
    #expect(all - equal <= 3)
    #expect(all > 0)
  }
}
