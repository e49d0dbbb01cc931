import Foundation
import TestSupport
import Testing

@testable import momtool

@Suite struct GitRepositoryTests {
  @Test func readsFilesOfOtherRevisions() throws {
    let temporary = try TemporaryRepository()
    try temporary.write("one", to: "App/M.xcdatamodeld/V1.xcdatamodel/contents")
    try temporary.write("pointer\n", to: "App/M.xcdatamodeld/.xccurrentversion")
    try temporary.commit("first")
    try temporary.write("zwei\nZeilen", to: "App/M.xcdatamodeld/V1.xcdatamodel/contents")
    try temporary.commit("second")

    let repository = try GitRepository(containing: temporary.folder.appendingPathComponent("App"))
    let old = try repository.files(at: "App/M.xcdatamodeld", in: "HEAD~1")
    #expect(old.keys.sorted() == [".xccurrentversion", "V1.xcdatamodel/contents"])
    #expect(old["V1.xcdatamodel/contents"] == Data("one".utf8))
    let file = "App/M.xcdatamodeld/V1.xcdatamodel/contents"
    #expect(try repository.files(at: file, in: "HEAD") == ["": Data("zwei\nZeilen".utf8)])
    #expect(
      try repository.paths(endingIn: ".xcdatamodeld", in: "HEAD") == ["App/M.xcdatamodeld"])
    #expect(try repository.mergeBase("HEAD", "HEAD~1") == repository.commit("HEAD~1"))
    let gone = temporary.folder.appendingPathComponent("App/Gone.xcdatamodeld")
    #expect(try repository.path(of: gone) == "App/Gone.xcdatamodeld")
  }

  @Test func refusesWhatItCannotRead() throws {
    let temporary = try TemporaryRepository()
    try temporary.write("one", to: "a")
    try temporary.commit("first")
    let repository = try GitRepository(containing: temporary.folder)
    func code(_ body: () throws -> Void) -> GitError.Code? {
      do { try body() } catch { return (error as? GitError)?.code }
      return nil
    }
    #expect(code { _ = try repository.commit("nowhere") } == .unknownRevision)
    #expect(code { _ = try repository.commit("--all") } == .unknownRevision)
    #expect(code { _ = try repository.files(at: "b", in: "HEAD") } == .unknownPath)
    #expect(code { _ = try repository.files(at: "a", in: "HEAD", limit: 2) } == .tooLarge)
    let outside = FileManager.default.temporaryDirectory
    #expect(code { _ = try repository.path(of: outside) } == .unknownPath)
    #expect(
      code { _ = try GitRepository(containing: URL(fileURLWithPath: "/")) } == .notARepository)
  }
}
