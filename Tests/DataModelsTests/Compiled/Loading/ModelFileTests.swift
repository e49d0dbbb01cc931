import Foundation
import PropertyLists
import TestSupport
import Testing

@testable import DataModels

@Suite struct ModelFileTests {
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func everyRealFileIsRecognised() throws {
    let kinds: [(String, ModelFile.Kind)] = [
      ("mom", .compiledModel), ("modelcache-mom", .compiledModel), ("omo", .optimizedModel),
      ("sqlite", .store),
    ]
    for (kind, expected) in kinds {
      for file in Corpus.files(ofKind: kind) {
        #expect(try ModelFile(at: file.url.path).kind == expected, "\(file.path)")
      }
    }
    let bundle = try #require(Corpus.files(ofKind: "versioninfo").first)
    let folder = bundle.url.deletingLastPathComponent()
    #expect(try ModelFile(at: folder.path).kind == .bundle)
    #expect(try ModelFile(at: Corpus.root.path).kind == .folder)
  }

  /// Every bundle in the corpus: its files can be loaded, and match its records.
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence))
  func realBundlesVerify() throws {
    var versions = 0
    let files = Corpus.files.filter { $0.kind == "versioninfo" }
    for file in files {
      let bundle = try ModelBundle(at: file.url.deletingLastPathComponent().path)
      versions += bundle.versionNames.count
      let differences = bundle.verify()
      #expect(differences.isEmpty, "\(file.path): \(differences.prefix(3))")
      let current = try bundle.currentVersionName()
      _ = try bundle.model()
      #expect(bundle.versionNames.contains(current))
    }
    #expect(files.count > 70 && versions > 450)
  }

  @Test func noModelSaysSo() throws {
    let folder = try TemporaryFolder()
    let cases: [(String, [UInt8]?, ModelFileError.Code)] = [
      ("none.mom", nil, .notFound),
      ("empty.mom", [], .unknownKind),
      ("text.mom", Array("hello, world".utf8), .unknownKind),
      ("short.mom", Array("bplist00".utf8), .malformed),
      // ManagedObjects reads stores.
      ("short.sqlite", Array("SQLite format 3\u{0}".utf8), .unknownKind),
    ]
    for (name, bytes, code) in cases {
      let path = folder.file(name).path
      if let bytes { try Data(bytes).write(to: folder.file(name)) }
      let error = #expect(throws: ModelFileError.self) {
        try NSManagedObjectModel(loading: path)
      }
      #expect(error?.code == code, "\(name): \(error?.description ?? "")")
      #expect(error?.path == path)
      #expect(NSManagedObjectModel(contentsOf: folder.file(name)) == nil)
    }
    let inner = folder.file("inner")
    try FileManager.default.createDirectory(at: inner, withIntermediateDirectories: true)
    let error = #expect(throws: ModelFileError.self) {
      try NSManagedObjectModel(loading: inner.path)
    }
    #expect(error?.code == .noModel)
  }
}
