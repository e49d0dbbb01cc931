import Foundation
import TestSupport
import Testing

/// Inputs of kinds that strangers try: pipes, what is staged, pointers of Git LFS; and names that mean something to
/// whoever reads the messages.
@Suite struct InputKindTests {
  private static let number = OrderSource.attribute("number", "Integer 64")

  private static func write(_ contents: String, _ name: String, in folder: URL) throws {
    let source = folder.appendingPathComponent("\(name).xcdatamodel")
    try FileManager.default.createDirectory(at: source, withIntermediateDirectories: true)
    try Data(contents.utf8).write(to: source.appendingPathComponent("contents"))
  }

  /// `<(command)` of shells.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func pipesAreRead() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.write(OrderSource.contents([Self.number]), "A", in: folder)
      try Self.write(
        OrderSource.contents([Self.number, OrderSource.attribute("more")]), "B", in: folder)
      for name in ["A", "B"] {
        #expect(try Tool.run("compile", "\(name).xcdatamodel", in: folder).status == 0)
      }
      func bash(_ command: String) throws -> Tool.Outcome {
        try Tool.run(
          URL(fileURLWithPath: "/bin/bash"),
          arguments: ["-c", command.replacing("momtool", with: "'\(Tool.url.path)'")], in: folder)
      }
      for command in [
        "momtool diff <(cat A.mom) <(cat B.mom)",
        "momtool diff <(cat A.xcdatamodel/contents) B.xcdatamodel",
        "cat A.mom | momtool diff /dev/stdin B.mom",
      ] {
        let run = try bash(command)
        #expect(
          run.status == 1 && run.text.contains("+ attribute more"), "\(command): \(run.errors)")
      }
      let titled = try bash("momtool dump <(cat A.mom)")
      #expect(titled.text.hasPrefix("model /dev/fd/"), "\(titled.text) \(titled.errors)")
      let empty = try bash("momtool dump <(true)")
      #expect(empty.status == 2 && empty.errors.contains("/dev/fd/"), "\(empty.errors)")
      #expect(!empty.errors.contains("momkit-"), "\(empty.errors)")
    }
  }

  /// What hooks look at: neither the last commit nor the working tree.
  @Test func whatIsStagedIsRead() throws {
    let repository = try TemporaryRepository()
    let source = "A.xcdatamodeld/V1.xcdatamodel/contents"
    try repository.write(OrderSource.contents([Self.number]), to: source)
    try repository.write(OrderSource.pointer("V1"), to: "A.xcdatamodeld/.xccurrentversion")
    try repository.commit("base")
    try repository.write(
      OrderSource.contents([Self.number, OrderSource.attribute("staged")]), to: source)
    try repository.git("add", ".")
    try repository.write(
      OrderSource.contents([Self.number, OrderSource.attribute("later")]), to: source)
    for staged in ["git::A.xcdatamodeld", "git:0:A.xcdatamodeld", "git::0:A.xcdatamodeld"] {
      let run = try Tool.run("diff", "git:HEAD:A.xcdatamodeld", staged, in: repository.folder)
      #expect(run.text.contains("+ attribute staged"), "\(staged): \(run.text) \(run.errors)")
      #expect(!run.text.contains("later"), "\(staged)")
    }
    let gone = try Tool.run("dump", "git::B.xcdatamodeld", in: repository.folder)
    #expect(gone.status == 2 && gone.errors.contains("is not"), "\(gone.errors)")
    try repository.git("commit", "-qam", "ours")
    try repository.git("checkout", "-qb", "theirs", "HEAD~1")
    try repository.write(
      OrderSource.contents([Self.number, OrderSource.attribute("theirs")]), to: source)
    try repository.commit("theirs")
    _ = try? repository.git("merge", "-q", "-")
    let unmerged = try Tool.run("dump", "git::A.xcdatamodeld", in: repository.folder)
    #expect(unmerged.status == 2 && unmerged.errors.contains("unmerged"), "\(unmerged.errors)")
  }

  @Test func pointersOfLargeFilesAreNamed() throws {
    try Tool.withTemporaryFolder { folder in
      let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("X.momd"), withIntermediateDirectories: true)
      for name in ["X.momd/X.mom", "X.sqlite"] {
        try Data(pointer.utf8).write(to: folder.appendingPathComponent(name))
      }
      try Self.write(pointer, "X", in: folder)
      for arguments in [
        ["dump", "X.momd"], ["dump", "X.momd/X.mom"], ["store", "info", "X.sqlite"],
        ["dump", "X.xcdatamodel"], ["compile", "X.xcdatamodel"], ["compile", "X.momd/X.mom"],
      ] {
        let run = try Tool.run(arguments: arguments, in: folder)
        #expect(
          run.status != 0 && run.errors.contains("git lfs pull"), "\(arguments): \(run.errors)")
        #expect(run.errors.components(separatedBy: "git lfs pull").count == 2, "\(run.errors)")
      }
      let lint = try Tool.run("lint", "X.xcdatamodel", in: folder)
      #expect(lint.status == 1 && lint.text.contains("git lfs pull"), "\(lint.text)")
    }
  }

  /// Messages about a revision's files name the revision, not the temporary files that stand for it, and once.
  @Test func messagesNameRevisions() throws {
    let repository = try TemporaryRepository()
    let pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 3\n"
    for (version, text) in [
      ("V1", OrderSource.contents([Self.number])), ("V2", pointer), ("V3", "<model><entity/>"),
    ] {
      try repository.write(text, to: "A.xcdatamodeld/\(version).xcdatamodel/contents")
    }
    try repository.commit("sources")
    let current = try Tool.run("dump", "git:HEAD:A.xcdatamodeld", in: repository.folder)
    #expect(current.status == 2)
    #expect(
      current.errors
        == "git:HEAD:A.xcdatamodeld: error: there are 3 versions and none is marked as current; name one of"
        + " 'V1', 'V2', 'V3'\n")
    let all = try Tool.run("migrate-check", "git:HEAD:A.xcdatamodeld", in: repository.folder)
    for line in [
      "git:HEAD:A.xcdatamodeld/V2.xcdatamodel/contents: warning: the file is a pointer, not a source; Git LFS keeps its"
        + " contents: git lfs pull fetches them\n",
      "git:HEAD:A.xcdatamodeld/V3.xcdatamodel/contents:1:17: warning: the file is not well-formed XML",
    ] {
      #expect(all.errors.contains(line), "\(all.errors)")
    }
    let one = try Tool.run("dump", "git:HEAD:A.xcdatamodeld@V3", in: repository.folder)
    #expect(
      one.errors.hasPrefix("git:HEAD:A.xcdatamodeld/V3.xcdatamodel/contents:1:17: error: "),
      "\(one.errors)")
  }

  /// A line that begins with two colons is a command to GitHub's runner.
  @Test func namesBeginNoLines() throws {
    try Tool.withTemporaryFolder { folder in
      func source(_ type: String) -> String {
        """
        <model><entity name="A&#10;::error::x" representedClassName="A">
        <attribute name="b&#13;&#10;::set-output" attributeType="\(type)"/></entity></model>
        """
      }
      try Self.write(source("Nope"), "Old", in: folder)
      try Self.write(source("String"), "New", in: folder)
      for arguments in [
        ["lint", "Old.xcdatamodel"], ["compile", "Old.xcdatamodel"], ["dump", "Old.xcdatamodel"],
        ["diff", "Old.xcdatamodel", "New.xcdatamodel"],
        ["migrate-check", "Old.xcdatamodel", "New.xcdatamodel"],
        ["dump", "gone\n::error::x.mom"], ["generate", "Old.xcdatamodel", "--all"],
      ] {
        let run = try Tool.run(arguments: arguments, in: folder)
        let lines = (run.text + run.errors).split { $0.isNewline }
        #expect(!lines.isEmpty, "\(arguments)")
        for line in lines {
          #expect(!line.drop { $0 == " " }.hasPrefix("::"), "\(arguments): \(line)")
        }
      }
    }
  }

  @Test func compiledModelsWithoutClassesNeedNoOption() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.write("<model><entity name=\"A\"/></model>", "A", in: folder)
      #expect(try Tool.run("compile", "A.xcdatamodel", in: folder).status == 0)
      let run = try Tool.run("generate", "A.mom", in: folder)
      #expect(run.errors.contains("no entity names a class"), "\(run.errors)")
    }
  }

  /// A store that fails to be made, as on a full disk, is named as it would have been, and leaves nothing.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func whatCannotBeMadeHasItsName() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.write(OrderSource.contents([Self.number]), "A", in: folder)
      #expect(try Tool.run("compile", "A.xcdatamodel", in: folder).status == 0)
      let run = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: [
          "-c",
          "trap '' XFSZ; ulimit -f 4; '\(Tool.url.path)' store create A.mom new.sqlite",
        ], in: folder)
      #expect(run.status == 2 && run.errors.hasPrefix("new.sqlite: error: SQLite"), "\(run.errors)")
      #expect(!run.errors.contains("momkit-"), "\(run.errors)")
      let left = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(Set(left) == ["A.xcdatamodel", "A.mom"])
    }
  }

  @Test func storesThatCannotBeCheckedAreCounted() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.write(OrderSource.contents([Self.number]), "A", in: folder)
      #expect(try Tool.run("compile", "A.xcdatamodel", in: folder).status == 0)
      for name in ["a.sqlite", "b.sqlite"] {
        #expect(try Tool.run("store", "create", "A.mom", name, in: folder).status == 0)
      }
      // A page of the second one's schema.
      let file = try FileHandle(forWritingTo: folder.appendingPathComponent("b.sqlite"))
      try file.seek(toOffset: 100)
      try file.write(contentsOf: Data(repeating: 0xFF, count: 2000))
      try file.close()
      let run = try Tool.run("store", "check", ".", in: folder)
      #expect(run.status == 2)
      #expect(
        run.errors.contains(
          "1 store, 1 of them without findings, 0 errors and 0 warnings; 1 can't"),
        "\(run.errors)")
    }
  }
}
