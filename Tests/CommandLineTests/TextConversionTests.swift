import Foundation
import TestSupport
import Testing

/// git's textconv, which must never fail.
@Suite struct TextConversionTests {
  private static let path = "Shop.xcdatamodeld/V1.xcdatamodel/contents"

  private func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    let setup = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    try #require(setup.status == 0, "\(setup.errors)")
    return repository
  }

  /// The log of a file that at times contained no model is complete.
  @Test func theLogGoesOnWhateverStoodInTheFile() throws {
    let repository = try repository()
    let states = [
      OrderSource.contents([OrderSource.attribute("first")]), "<<<<<<< ours\n=======\n",
      OrderSource.contents([
        OrderSource.attribute("n", "Integer 16", more: " defaultValueString=\"NO\"")
      ]), "", "<model><entity/></model>", "\0\u{1}",
      OrderSource.contents([OrderSource.attribute("last")]),
    ]
    for (number, state) in states.enumerated() {
      try repository.write(state, to: Self.path)
      try repository.commit("state \(number)")
    }
    let log = try repository.attempt(["log", "-p", "--", Self.path])
    #expect(log.status == 0)
    for number in states.indices { #expect(log.text.contains("state \(number)"), "\(log.text)") }
    #expect(log.text.contains("<<<<<<< ours"))
    #expect(!log.text.contains("fatal") && !log.text.contains("warning"))
    try repository.write("<<<<<<<\n", to: Self.path)
    let diff = try repository.attempt(["diff"])
    #expect(diff.status == 0 && diff.text.contains("+<<<<<<<"))
  }

  @Test func whatIsNoModelIsShownAsItIs() throws {
    try Tool.withTemporaryFolder { folder in
      let file = folder.appendingPathComponent("contents")
      for text in ["", "<", "no model\n", "<html/>", "<model", "\u{FEFF}<?xml version='1.0'?>"] {
        try Data(text.utf8).write(to: file)
        let run = try Tool.run("textconv", file.path)
        #expect(run.status == 0 && run.text == text && run.errors.isEmpty)
      }
      try Data([0x62, 0x70, 0x6C, 0x69, 0x73, 0x74, 0x30, 0x30, 0xFF]).write(to: file)
      let damaged = try Tool.run("textconv", file.path)
      #expect(damaged.status == 0 && damaged.errors.isEmpty)
      #expect(damaged.text.hasPrefix("a compiled model that can't be read: "))
      #expect(try Tool.run("textconv", "gone").status == 0)
    }
  }

  @Test func theDifftoolTakesFilesThatAreNoModels() throws {
    let repository = try repository()
    try repository.write(OrderSource.pointer("V1"), to: "Shop.xcdatamodeld/.xccurrentversion")
    try repository.write(OrderSource.contents([]), to: Self.path)
    try repository.commit("one")
    try repository.write(OrderSource.pointer("V2"), to: "Shop.xcdatamodeld/.xccurrentversion")
    try repository.write(OrderSource.contents([OrderSource.attribute("x")]), to: Self.path)
    let run = try repository.attempt(["difftool", "--no-prompt", "-t", "momtool"])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("V2.xcdatamodel") && run.text.contains("+ attribute x"))
  }

  /// Of whole folders, with links to the working tree in the second.
  @Test func theDifftoolTakesFolders() throws {
    let repository = try repository()
    let gone = "Shop.xcdatamodeld/V0.xcdatamodel/contents"
    try repository.write(OrderSource.pointer("V1"), to: "Shop.xcdatamodeld/.xccurrentversion")
    try repository.write(OrderSource.contents([]), to: Self.path)
    try repository.write(OrderSource.contents([]), to: gone)
    try repository.commit("one")
    try repository.write(OrderSource.pointer("V2"), to: "Shop.xcdatamodeld/.xccurrentversion")
    try repository.write(OrderSource.contents([OrderSource.attribute("x")]), to: Self.path)
    try FileManager.default.removeItem(at: repository.folder.appendingPathComponent(gone))
    let run = try repository.attempt(["difftool", "-d", "-t", "momtool"])
    #expect(run.status == 0, "\(run.text)")
    #expect(run.text.contains("+\t<string>V2.xcdatamodel"), "\(run.text)")
    #expect(run.text.contains("+ attribute x"), "\(run.text)")
    #expect(run.text.components(separatedBy: "deleted file mode").count == 2, "\(run.text)")
  }

  @Test func theUsersSetupIsWhereHomeSays() throws {
    try Tool.withTemporaryFolder { home in
      try Data("[user]\n\tname = A\n\temail = a@example.org\n".utf8)
        .write(to: home.appendingPathComponent(".gitconfig"))
      let run = try Tool.run(
        "git-setup", "--global", "--command", "momtool", environment: ["HOME": home.path])
      #expect(run.status == 0, "\(run.errors)")
      let attributes = home.appendingPathComponent(".config/git/attributes")
      #expect(try String(contentsOf: attributes, encoding: .utf8).contains("diff=momtool"))
      let configuration = try String(
        contentsOf: home.appendingPathComponent(".gitconfig"), encoding: .utf8)
      #expect(configuration.contains("cachetextconv = false"))
      let undone = try Tool.run("git-setup", "--global", "--undo", environment: ["HOME": home.path])
      #expect(undone.status == 0)
      #expect(!FileManager.default.fileExists(atPath: attributes.path))
    }
  }
}
