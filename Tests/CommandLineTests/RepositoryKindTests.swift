import Foundation
import TestSupport
import Testing

/// Kinds of repositories and checkouts: sparse, shallow, with submodules, with other systems' line endings; and
/// merges that don't use merge drivers.
@Suite struct RepositoryKindTests {
  /// A page of every commit that changed the model, whatever its path consists of, from any folder, and from a clone
  /// that has the last commit alone.
  @Test func historiesAreShown() throws {
    let repository = try TemporaryRepository()
    let bundle = "My Models/[a] ü.xcdatamodeld"
    for attribute in ["firstOfAll", "secondOfAll"] {
      try repository.write(
        OrderSource.contents([OrderSource.attribute(attribute)]),
        to: "\(bundle)/V1.xcdatamodel/contents")
      try repository.commit(attribute)
    }
    let shallow = repository.folder.appendingPathComponent("shallow")
    try repository.git(
      "clone", "-q", "--depth", "1", "file://\(repository.folder.path)", shallow.path)
    for (place, path, shown) in [
      (repository.folder, bundle, true),
      (repository.folder.appendingPathComponent("My Models"), "[a] ü.xcdatamodeld", true),
      (shallow, bundle, false),
    ] {
      let run = try Tool.run("report", path, "--history", "-o", "page.html", in: place)
      #expect(run.status == 0, "\(run.errors)")
      let page = try String(
        contentsOf: place.appendingPathComponent("page.html"), encoding: .utf8)
      #expect(page.contains("secondOfAll"))
      #expect(page.contains("firstOfAll") == shown)
    }
  }

  private static let bundle = "Äpp [old]/Größe *1.xcdatamodeld"
  private static let source = "\(bundle)/V1.xcdatamodel/contents"
  private static let number = OrderSource.attribute("number", "Integer 64")

  /// A repository with a bundle of one version, released as v1.
  private static func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    try repository.write(OrderSource.contents([number]), to: source)
    try repository.write(OrderSource.pointer("V1"), to: "\(bundle)/.xccurrentversion")
    try repository.write("hello", to: "docs/readme")
    try repository.commit("base")
    try repository.git("tag", "v1")
    return repository
  }

  @Test func whatASparseCheckoutLeavesOutIsGuardedAllTheSame() throws {
    let repository = try Self.repository()
    try repository.write(
      OrderSource.contents([Self.number, OrderSource.attribute("a")]), to: Self.source)
    try repository.commit("changed")
    try repository.git("sparse-checkout", "set", "docs")
    try #require(
      !FileManager.default.fileExists(
        atPath: repository.folder.appendingPathComponent(Self.bundle).path))
    for paths in [[], [Self.bundle]] {
      let same = try Tool.run(
        arguments: ["guard", "--against", "HEAD"] + paths, in: repository.folder)
      #expect(same.status == 0 && same.text.isEmpty, "\(same.text) \(same.errors)")
      let changed = try Tool.run(
        arguments: ["guard", "--against", "v1"] + paths, in: repository.folder)
      #expect(changed.status == 1 && changed.text.contains("[version-changed]"), "\(changed.text)")
    }
  }

  @Test func frozenSchemasThatASparseCheckoutLeavesOutAreGuardedToo() throws {
    let repository = try Self.repository()
    let frozen = try Tool.run(
      "generate", Self.bundle, "--language", "swiftdata", "-o", "Schemas", in: repository.folder)
    try #require(frozen.status == 0, "\(frozen.errors)")
    let files = try FileManager.default.contentsOfDirectory(
      atPath: repository.folder.appendingPathComponent("Schemas").path)
    let name = try #require(files.first { $0.contains("Schema") })
    try repository.commit("frozen")
    try repository.git("sparse-checkout", "set", "docs")
    let same = try Tool.run("guard", "--against", "HEAD", in: repository.folder)
    #expect(same.status == 0 && same.text.isEmpty, "\(same.text) \(same.errors)")
    try repository.git("sparse-checkout", "disable")
    let text = try repository.text(of: "Schemas/\(name)")
    try repository.write(text + "\nstruct More {}\n", to: "Schemas/\(name)")
    try repository.commit("changed")
    try repository.git("sparse-checkout", "set", "docs")
    let changed = try Tool.run("guard", "--against", "HEAD~1", in: repository.folder)
    #expect(changed.status == 1 && changed.text.contains("[schema-changed]"), "\(changed.text)")
  }

  @Test func submodulesAreCalledSo() throws {
    let (inner, outer) = (try Self.repository(), try TemporaryRepository())
    try outer.git(
      "-c", "protocol.file.allow=always", "submodule", "--quiet", "add", inner.folder.path, "sub")
    try outer.commit("submodule")
    for path in ["sub", "sub/\(Self.bundle)"] {
      let run = try Tool.run("guard", "--against", "HEAD", path, in: outer.folder)
      #expect(run.status == 2 && run.errors.contains("the submodule 'sub'"), "\(run.errors)")
    }
    let dump = try Tool.run("dump", "git:HEAD:sub/\(Self.bundle)", in: outer.folder)
    #expect(dump.status == 2 && dump.errors.contains("the submodule 'sub'"), "\(dump.errors)")
    let inside = outer.folder.appendingPathComponent("sub")
    let run = try Tool.run("guard", "--against", "v1", in: inside)
    #expect(run.status == 0, "\(run.errors)")
  }

  @Test func aShallowCloneIsCalledSo() throws {
    let repository = try Self.repository()
    try repository.commit("more")
    let clone = try TemporaryRepository()
    try clone.git(
      "clone", "--quiet", "--depth", "1", "file://\(repository.folder.path)", "clone")
    let run = try Tool.run(
      "guard", "--against", "HEAD~1", in: clone.folder.appendingPathComponent("clone"))
    #expect(run.status == 2 && run.errors.contains("git fetch --unshallow"), "\(run.errors)")
  }

  /// momtool's lines are found again even with other line endings, and other lines are kept byte for byte.
  @Test func attributesKeepTheirForm() throws {
    let repository = try TemporaryRepository()
    let attributes = repository.folder.appendingPathComponent(".gitattributes")
    let own: [UInt8] = Array("# caf".utf8) + [0xE9] + Array("\r\n*.png binary".utf8)
    try Data(own).write(to: attributes)
    for _ in 0..<2 {
      let run = try Tool.run("git-setup", "--command", "momtool", in: repository.folder)
      #expect(run.status == 0, "\(run.errors)")
    }
    let bytes = [UInt8](try Data(contentsOf: attributes))
    #expect(bytes.starts(with: own))
    #expect(bytes.count { $0 == 0x0A } == bytes.count { $0 == 0x0D })
    #expect(bytes.count { $0 == 0x0A } == 8)
    // A checkout on another system.
    try Data(bytes.filter { $0 != 0x0D }).write(to: attributes)
    _ = try Tool.run("git-setup", "--undo", in: repository.folder)
    #expect(
      [UInt8](try Data(contentsOf: attributes)) == own.filter { $0 != 0x0D } + [0x0A])
  }

  @Test func aCurrentVersionThatIsNotThereIsFound() throws {
    let repository = try Self.repository()
    try repository.write(OrderSource.pointer("V9"), to: "\(Self.bundle)/.xccurrentversion")
    let run = try Tool.run("guard", "--against", "v1", in: repository.folder)
    #expect(
      run.status == 1
        && run.text.contains("the current version 'V9' is not in the bundle"),
      "\(run.text)")
    try repository.commit("wrong")
    // A state that existed before isn't reported.
    let again = try Tool.run("guard", "--against", "HEAD", in: repository.folder)
    #expect(again.status == 0, "\(again.text)")
  }

  /// git merges more than two branches as text; the merge drivers can still resolve what git can't.
  @Test func aMergeOfManyBranchesIsFinished() throws {
    let repository = try Self.repository()
    _ = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    try repository.commit("setup")
    for name in ["a", "b", "c"] {
      try repository.git("checkout", "-q", "-b", name, "main")
      try repository.write(
        OrderSource.contents([Self.number, OrderSource.attribute(name)]), to: Self.source)
      try repository.commit(name)
    }
    try repository.git("checkout", "-q", "main")
    #expect(try repository.attempt(["merge", "a", "b"]).status != 0)
    let told = try Tool.run("merge", "--explain", in: repository.folder)
    #expect(
      told.text.contains("it can be merged: after git-setup, git checkout --merge"), "\(told.text)")
    try repository.git("checkout", "--merge", "--", Self.source)
    let merged = try repository.text(of: Self.source)
    #expect(merged.contains("\"a\"") && merged.contains("\"b\"") && !merged.contains("<<<<"))
  }

  /// What a program with another PATH shows as text must not be what git shows from then on.
  @Test func nothingShownIsCached() throws {
    let repository = try Self.repository()
    let gone = repository.folder.appendingPathComponent("nowhere/momtool").path
    _ = try Tool.run("git-setup", "--command", gone, in: repository.folder)
    #expect(try repository.git("log", "-p").contains("<entity name=\"Order\""))
    let again = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    #expect(again.text.contains("cachetextconv = false"), "\(again.text)")
    #expect(try repository.git("log", "-p").contains("+entity Order"))
    #expect(try !repository.git("show-ref").contains("textconv"))
    // Earlier set-ups cached.
    try repository.git("config", "diff.momtool.cachetextconv", "true")
    _ = try repository.git("log", "-p")
    #expect(try repository.git("show-ref").contains("refs/notes/textconv/momtool"))
    let mended = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    #expect(mended.text.contains("removed refs/notes/textconv/momtool"), "\(mended.text)")
    #expect(try !repository.git("show-ref").contains("textconv"))
  }

  /// The settings remain after the tool is gone: git falls back to text.
  @Test(arguments: ["nowhere/momtool", "killed"]) func gitGoesOnWithoutTheTool(_ name: String)
    throws
  {
    let repository = try Self.repository()
    let tool = repository.folder.appendingPathComponent(name).path
    if name == "killed" {
      try Data("#!/bin/sh\nkill -SEGV $$\n".utf8).write(to: URL(fileURLWithPath: tool))
      chmod(tool, 0o755)
    }
    _ = try Tool.run("git-setup", "--command", tool, in: repository.folder)
    try repository.commit("setup")
    #expect(try repository.git("log", "-p").contains("+    <entity name=\"Order\""))
    let added = OrderSource.contents([Self.number], more: "<entity name=\"New\"/>\n")
    for (branch, text) in [
      ("a", OrderSource.contents([OrderSource.attribute("a"), Self.number])),
      ("b", added), ("c", OrderSource.contents([OrderSource.attribute("c"), Self.number])),
    ] {
      try repository.git("checkout", "-q", "-b", branch, "main")
      try repository.write(text, to: Self.source)
      try repository.commit(branch)
    }
    try repository.git("checkout", "-q", "a")
    let clean = try repository.attempt(["merge", "b", "-m", "clean"])
    #expect(clean.status == 0, "\(clean.text)")
    #expect(try repository.text(of: Self.source).contains("\"New\""))
    #expect(try repository.attempt(["merge", "c", "-m", "contested"]).status == 1)
    #expect(try repository.text(of: Self.source).contains("<<<<<<< ours"))
  }

  /// Temporary files can't be created, and no more files can be opened.
  @Test func wantsOfTheSystemAreTold() throws {
    let repository = try Self.repository()
    let run = try Tool.run(
      "guard", "--against", "v1", environment: ["TMPDIR": "/nonexistent"], in: repository.folder)
    #expect(
      run.status == 2 && run.errors.contains("can't create a folder in /nonexistent"),
      "\(run.errors)"
    )
    for limit in [12, 16, 24] {
      let run = try Tool.run(
        URL(fileURLWithPath: "/bin/bash"),
        arguments: ["-c", "ulimit -n \(limit); '\(Tool.url.path)' guard --against v1"],
        in: repository.folder)
      #expect(
        run.status == 2 && run.errors.contains("Too many open files"), "\(limit): \(run.errors)")
    }
  }

  // MARK: What only sources say

  @Test func whatOnlySourcesSayIsShown() throws {
    let repository = try Self.repository()
    _ = try Tool.run("git-setup", "--command", Tool.url.path, in: repository.folder)
    try repository.commit("setup")
    let text = try repository.text(of: Self.source)
    for (old, new, sign) in [
      (
        "<entity ", "<entity codeGenerationType=\"class\" ",
        "+  entity Order: codeGenerationType=\"class\""
      ),
      ("<model ", "<model sourceLanguage=\"Swift\" ", "+  model: sourceLanguage=\"Swift\""),
      ("<attribute ", "<attribute usesScalarValueType=\"YES\" ", "usesScalarValueType=\"YES\""),
      ("<attribute ", "<!-- of old -->\n<attribute ", "+  entity Order: <!-- of old -->"),
      ("</model>", "<future a=\"1\"/></model>", "+  <future a=\"1\"/>"),
      ("</model>", "</model><!-- end -->", "+  <!-- end -->"),
    ] {
      try repository.write(
        text.replacingOccurrences(of: old, with: new), to: Self.source)
      let shown = try repository.git("diff")
      #expect(shown.contains(sign), "\(new): \(shown)")
      let diff = try Tool.run(
        "diff", "git:HEAD:\(Self.bundle)", Self.bundle, in: repository.folder)
      #expect(diff.status == 0 && diff.errors.contains("the models are equal"), "\(diff.errors)")
    }
    try repository.write(text, to: Self.source)
    let diff = try Tool.run("diff", "git:HEAD:\(Self.bundle)", Self.bundle, in: repository.folder)
    #expect(diff.status == 0 && diff.errors.isEmpty, "\(diff.errors)")
  }
}
