import Foundation
import TestSupport
import Testing

/// What new users try, and the messages they get.
@Suite struct NewUserTests {
  private static let bundle = "Wörk Äpp/Größe.xcdatamodeld"
  private static let number = OrderSource.attribute("number", "Integer 64")

  /// A repository with a bundle of one version in a folder.
  private static func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    try repository.write(
      OrderSource.contents([number]), to: "\(bundle)/V1.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V1"), to: "\(bundle)/.xccurrentversion")
    try repository.commit("base")
    return repository
  }

  @Test func aPathThatBeginsInTheFolderIsFound() throws {
    let repository = try Self.repository()
    let folder = repository.folder.appendingPathComponent("Wörk Äpp")
    let wrong = try Tool.run("dump", "git:HEAD:Größe.xcdatamodeld", in: folder)
    #expect(wrong.status == 2)
    #expect(wrong.errors.contains("write git:HEAD:./Größe.xcdatamodeld"), "\(wrong.errors)")
    let right = try Tool.run("dump", "git:HEAD:./Größe.xcdatamodeld", in: folder)
    #expect(right.status == 0, "\(right.errors)")
    let nowhere = try Tool.run("dump", "git:HEAD:Nowhere.xcdatamodeld", in: folder)
    #expect(nowhere.errors.contains("'Nowhere.xcdatamodeld' is not in HEAD\n"), "\(nowhere.errors)")
  }

  /// The plugin's sources are those of this package, and need as new a manifest.
  @Test func thePackagedPluginCompiles() throws {
    let root = Corpus.packageRoot
    let script = try String(
      contentsOf: root.appendingPathComponent("Tools/package"), encoding: .utf8)
    let manifest = try String(
      contentsOf: root.appendingPathComponent("Package.swift"), encoding: .utf8)
    let version = try #require(manifest.split(separator: "\n").first)
    #expect(version.hasPrefix("// swift-tools-version"))
    #expect(script.contains("\n\(version)\n"))
  }

  /// In a root made for a build, say, where Swift finds no arguments.
  @Test(
    .enabled(if: StoreDamageCommandTests.canMount, "no file system can be mounted here"),
    arguments: ["dump Shop.mom", "--version"])
  func withoutProcNothingIsTakenForSuccess(_ arguments: String) throws {
    let run = try Tool.run(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      arguments: [
        "-m", "bash", "-c", "mount -t tmpfs none /proc && '\(Tool.url.path)' \(arguments)",
      ], in: nil)
    #expect(run.status == 2)
    #expect(run.text.isEmpty)
    #expect(run.errors.contains("is /proc mounted?"), "\(run.errors)")
  }

  /// Names that look like options, folders instead of files, paths that can't be written.
  @Test func oddNamesAndPlacesAreExplained() throws {
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("-hat.xcdatamodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
      try Data(OrderSource.contents([Self.number]).utf8)
        .write(to: source.appendingPathComponent("contents"))
      #expect(
        try Tool.run("compile", "./-hat.xcdatamodel", "-o", "A b.mom", in: folder).status == 0)
      #expect(try Tool.run("store", "create", "A b.mom", "-hot.sqlite", in: folder).status == 64)
      #expect(try Tool.run("store", "create", "A b.mom", "./-hot.sqlite", in: folder).status == 0)
      for (arguments, status, message) in [
        (["store", "info", "-hot.sqlite"], 64, "write ./-hot.sqlite for the file of that name"),
        (["store", "info", "--", "-hot.sqlite"], 0, ""),
        (["store", "info", ""], 64, "The store's name is empty."),
        (["store", "info", "-"], 64, "can't be read from standard input"),
        (
          ["generate", "A b.mom", "--all", "-o", "/dev/null"], 2,
          "/dev/null: error: the output must be a folder"
        ),
        (
          ["generate", "A b.mom", "--all", "-o", "-"], 2,
          "several files can't be written to standard output"
        ),
        (["decompile", "A b.mom", "-o", "-"], 64, "A source is a folder"),
        (["store", "export", "./-hot.sqlite", "-o", "A b.mom"], 2, "but this is a file"),
        (["compile", "./-hat.xcdatamodel", "-o", "/dev/null/x/"], 2, "'/dev/null' is a file"),
        (["guard", "--against", "gone/deep", "A b.mom"], 2, "gone/deep"),
        (["compile", "A b.mom"], 2, "it is compiled already; momtool decompile"),
        (["dump", ""], 2, "momtool: error: the input's name is empty"),
        (
          ["store", "fetch", "./-hot.sqlite", "Order", "--sort", "number desc"], 2,
          "write -number"
        ),
      ] as [([String], Int32, String)] {
        let run = try Tool.run(arguments: arguments, in: folder)
        #expect(run.status == status, "\(arguments): \(run.errors)")
        #expect(
          message.isEmpty ? run.errors.isEmpty : run.errors.contains(message),
          "\(arguments): \(run.errors)")
        #expect(!run.errors.contains("could not be completed"), "\(run.errors)")
      }
      let gone = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: [
          "-c",
          "mkdir gone && cd gone && rmdir ../gone && '\(Tool.url.path)' guard --against HEAD x",
        ], in: folder)
      #expect(gone.status == 2 && gone.errors.contains("error: "), "\(gone.errors)")
    }
  }

  /// As an unprivileged user: unreadable and unwritable files are trouble, reported with the system's message.
  @Test(.enabled(if: getuid() == 0 && FileManager.default.fileExists(atPath: "/usr/bin/setpriv")))
  func whatMayNotBeDoneIsTold() throws {
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("M.xcdatamodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
      try Data(OrderSource.contents([Self.number]).utf8)
        .write(to: source.appendingPathComponent("contents"))
      #expect(try Tool.run("compile", "M.xcdatamodel", in: folder).status == 0)
      try Data(OrderSource.contents([Self.number, OrderSource.attribute("more")]).utf8)
        .write(to: source.appendingPathComponent("contents"))
      #expect(try Tool.run("store", "create", "M.mom", "s.sqlite", in: folder).status == 0)
      let closed = folder.appendingPathComponent("closed")
      try FileManager.default.createDirectory(
        at: closed, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
      let tool = folder.appendingPathComponent("momtool")
      try FileManager.default.copyItem(at: Tool.url, to: tool)
      for arguments in [
        ["dump", "closed/M.mom"], ["dump", "closed"], ["guard", "--against", "closed", "M.mom"],
        ["store", "migrate", "s.sqlite", "--to", "M.xcdatamodel"],
        ["store", "export", "s.sqlite", "-o", "out"], ["generate", "M.mom", "--all", "-o", "out"],
        ["store", "create", "M.mom", "t.sqlite"], ["compile", "M.xcdatamodel", "-o", "sub/"],
        ["store", "views", "s.sqlite", "-o", "v.sqlite"],
      ] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/usr/bin/setpriv"),
          arguments: ["--reuid=65534", "--regid=65534", "--clear-groups", tool.path] + arguments,
          in: folder)
        #expect(run.status == 2, "\(arguments): \(run.errors)")
        #expect(
          run.errors.contains("Permission denied") || run.errors.contains("can't list the folder"),
          "\(arguments): \(run.errors)")
        #expect(!run.errors.contains("could not be completed") && !run.errors.contains("SQLite"))
      }
    }
  }

  @Test func bareRepositoriesAreRead() throws {
    let repository = try Self.repository()
    try Tool.withTemporaryFolder { folder in
      try repository.git("clone", "-q", "--bare", ".", folder.appendingPathComponent("b").path)
      let bare = folder.appendingPathComponent("b")
      let run = try Tool.run("dump", "git:main:\(Self.bundle)", in: bare)
      #expect(run.status == 0 && run.text.contains("entity Order"), "\(run.errors)")
      for arguments in [["git-setup"], ["guard", "--against", "main"]] {
        let refused = try Tool.run(arguments: arguments, in: bare)
        #expect(refused.status == 2)
        #expect(refused.errors.contains("the repository is bare"), "\(refused.errors)")
      }
      let outside = try Tool.run("dump", "git:main:\(Self.bundle)", in: folder)
      #expect(
        outside.errors.contains("is not in the working tree of a git repository"),
        "\(outside.errors)")
    }
  }

  @Test func conflictsInAFileAreCalledConflicts() throws {
    let repository = try Self.repository()
    let path = "\(Self.bundle)/V1.xcdatamodel/contents"
    let text = OrderSource.contents([Self.number])
    try repository.write(
      text.replacing(
        "        <attribute", with: "<<<<<<< HEAD\n=======\n>>>>>>> topic\n        <attribute"),
      to: path)
    for command in ["dump", "lint", "compile"] {
      let run = try Tool.run(command, Self.bundle, in: repository.folder)
      #expect(run.status != 0)
      #expect(
        (run.text + run.errors).contains(
          "error: an unresolved conflict marked by git"),
        "\(run.text)\(run.errors)")
    }
  }

  @Test func pathsAreAsGitAndShellsWriteThem() throws {
    let repository = try Self.repository()
    let path = "\(Self.bundle)/V1.xcdatamodel/contents"
    try repository.write(
      OrderSource.contents([OrderSource.attribute("number", "Integer 32")]), to: path)
    // As completed by a shell.
    let guarded = try Tool.run(
      "guard", "--against", "HEAD", Self.bundle + "/", in: repository.folder)
    #expect(guarded.status == 1 && guarded.text.hasPrefix("\(path): error: "), "\(guarded.text)")
    try repository.write(
      OrderSource.contents([
        OrderSource.attribute("number", "Integer 32", more: " defaultValueString=\"x\"")
      ]), to: path)
    let lint = try Tool.run("lint", ".", "--format", "github", in: repository.folder)
    #expect(lint.text.hasPrefix("::warning file=\(path),line="), "\(lint.text)")
    let missing = try Tool.run("merge", "--explain", "nowhere", in: repository.folder)
    #expect(missing.status == 2)
    #expect(missing.errors == "nowhere: error: there is no such file\n")
  }

  @Test func aSourceIsReadFromStandardInput() throws {
    let source = Data(OrderSource.contents([Self.number]).utf8)
    let dump = try Tool.run("dump", "-", input: source)
    #expect(dump.status == 0 && dump.text.contains("entity Order"), "\(dump.errors)")
    let bad = try Tool.run("dump", "-", input: Data("<model><entity".utf8))
    #expect(bad.status == 2 && bad.errors.hasPrefix("-:1:"), "\(bad.errors)")
  }

  @Test func whatGitSetupDoesIsToldToPrograms() throws {
    let repository = try Self.repository()
    let run = try Tool.run("git-setup", "--dry-run", "--format", "json", in: repository.folder)
    let report = try #require(
      try JSONSerialization.jsonObject(with: run.output) as? [String: Any])
    #expect((report["steps"] as? [String])?.count ?? 0 > 5, "\(run.text)\(run.errors)")
  }

  @Test func aBundleOfAnotherNameIsCompared() throws {
    let repository = try Self.repository()
    let copy = repository.folder.appendingPathComponent("Released.xcdatamodeld")
    try FileManager.default.copyItem(
      at: repository.folder.appendingPathComponent(Self.bundle), to: copy)
    try repository.write(
      OrderSource.contents([]), to: "\(Self.bundle)/V1.xcdatamodel/contents")
    let run = try Tool.run(
      "guard", "--against", "Released.xcdatamodeld", Self.bundle, in: repository.folder)
    #expect(run.status == 1 && run.text.contains("version-changed"), "\(run.text)\(run.errors)")
    try repository.git("mv", Self.bundle, "Wörk Äpp/New.xcdatamodeld")
    let new = try Tool.run(
      "guard", "--against", "HEAD", "Wörk Äpp/New.xcdatamodeld", in: repository.folder)
    #expect(new.status == 1 && new.text.contains("[version-changed]"), "\(new.text)")
    #expect(new.errors.contains("is now at Wörk Äpp/New.xcdatamodeld"), "\(new.errors)")
    let both = try Tool.run(
      "guard", "--against", "HEAD", Self.bundle, "Wörk Äpp/New.xcdatamodeld",
      in: repository.folder)
    #expect(both.status == 1)
    #expect(both.text.components(separatedBy: "[version-changed]").count == 2, "\(both.text)")
    try repository.write(
      OrderSource.contents([Self.number]), to: "Wörk Äpp/New.xcdatamodeld/V1.xcdatamodel/contents")
    let same = try Tool.run(
      "guard", "--against", "HEAD", "Wörk Äpp/New.xcdatamodeld", in: repository.folder)
    #expect(same.status == 0 && same.errors.contains("is now at"), "\(same.text)\(same.errors)")
  }

  @Test func aNewBundleIsNoOther() throws {
    let repository = try Self.repository()
    try repository.git("mv", Self.bundle, "Moved.xcdatamodeld")
    let stranger = OrderSource.contents([Self.number]).replacing("Order", with: "Stranger")
    try repository.write(stranger, to: "New.xcdatamodeld/V1.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V1"), to: "New.xcdatamodeld/.xccurrentversion")
    let run = try Tool.run("guard", "--against", "HEAD", "New.xcdatamodeld", in: repository.folder)
    #expect(run.status == 0 && run.errors.contains("nothing was compared"), "\(run.errors)")
  }

  @Test func aVersionCanBeCompiled() throws {
    let repository = try Self.repository()
    let one = try Tool.run(
      "compile", "\(Self.bundle)@V1", "-o", "one.mom", in: repository.folder)
    #expect(one.status == 0, "\(one.errors)")
    let dump = try Tool.run("dump", "one.mom", in: repository.folder)
    #expect(dump.text.contains("entity Order"))
    let wrong = try Tool.run("compile", "\(Self.bundle)@V2", in: repository.folder)
    #expect(wrong.status == 2)
    #expect(
      wrong.errors.contains("the bundle has no version 'V2'; there are V1"), "\(wrong.errors)")
    let git = try Tool.run("compile", "git:HEAD:\(Self.bundle)", in: repository.folder)
    #expect(
      git.status == 2 && git.errors.contains("compile can't read from git: "), "\(git.errors)")
  }

  @Test func namesThatArentThereLeadToThoseThatAre() throws {
    let repository = try Self.repository()
    let entity = try Tool.run("dump", Self.bundle, "--entity", "Ordr", in: repository.folder)
    #expect(entity.status == 2)
    #expect(entity.errors.contains("(did you mean 'Order'?)"), "\(entity.errors)")
    let made = try Tool.run("store", "create", Self.bundle, "a.sqlite", in: repository.folder)
    #expect(made.status == 0, "\(made.errors)")
    let part = try Tool.run("store", "fetch", "a.sqlite", "ord", in: repository.folder)
    #expect(part.errors.contains("(did you mean 'Order'?)"), "\(part.errors)")
    let nowhere = try Tool.run(
      "store", "create", Self.bundle, "nowhere/a.sqlite", in: repository.folder)
    #expect(
      nowhere.errors
        == "nowhere/a.sqlite: error: it can't be created there: No such file or directory\n")
  }
}
