import Foundation
import TestSupport
import Testing

/// What guard is told to look at, and where its findings are.
@Suite struct GuardPlaceTests {
  private static let bundle = "App/Shop.xcdatamodeld"
  private static let version = "\(bundle)/V1.xcdatamodel"
  private static let number = OrderSource.attribute("number", "Integer 64")

  /// A repository with a bundle of one version and a model without versions.
  private static func repository() throws -> TemporaryRepository {
    let repository = try TemporaryRepository()
    try repository.write(OrderSource.contents([number]), to: "\(version)/contents")
    try repository.write(OrderSource.pointer("V1"), to: "\(bundle)/.xccurrentversion")
    try repository.write(OrderSource.contents([number]), to: "Lone.xcdatamodel/contents")
    try repository.commit("base")
    return repository
  }

  /// Hooks name the files that were changed, not the bundles that these are in.
  @Test func pathsInsideAModelAreTheModel() throws {
    let repository = try Self.repository()
    let paths = [
      Self.bundle, Self.version, "\(Self.version)/contents", "\(Self.bundle)/.xccurrentversion",
    ]
    for path in paths + ["Lone.xcdatamodel", "Lone.xcdatamodel/contents"] {
      let same = try Tool.run("guard", "--against", "HEAD", path, in: repository.folder)
      #expect(same.status == 0 && same.text.isEmpty, "\(path): \(same.text)\(same.errors)")
    }
    let changed = OrderSource.contents([Self.number, OrderSource.attribute("more")])
    try repository.write(changed, to: "\(Self.version)/contents")
    let all = try Tool.run(
      arguments: ["guard", "--against", "HEAD"] + paths, in: repository.folder)
    #expect(
      all.text
        == "\(Self.version)/contents: error: the released version V1 was changed: "
        + "attribute Order.more was added [version-changed]\n", "\(all.text)\(all.errors)")
    try repository.write(changed, to: "Lone.xcdatamodel/contents")
    let lone = try Tool.run(
      "guard", "--against", "HEAD", "Lone.xcdatamodel/contents", in: repository.folder)
    #expect(lone.status == 1)
    #expect(lone.text.contains("the released version Lone was changed"), "\(lone.text)")
  }

  /// A step of a workflow may run in a folder below the workspace.
  @Test func annotationsAreWhereTheWorkspaceHasTheFile() throws {
    let repository = try Self.repository()
    let changed = OrderSource.contents([OrderSource.attribute("x", "Nope")])
    try repository.write(changed, to: "\(Self.version)/contents")
    let folder = repository.folder.appendingPathComponent("App")
    let workspace = ["GITHUB_WORKSPACE": repository.folder.path]
    for arguments in [
      ["guard", "--against", "HEAD", "--format", "github"],
      ["lint", "Shop.xcdatamodeld", "--format", "github"],
    ] {
      let run = try Tool.run(arguments: arguments, environment: workspace, in: folder)
      #expect(run.text.contains(" file=\(Self.version)/contents,"), "\(arguments): \(run.text)")
    }
  }

  /// A carriage return and a line feed are one character to Swift, and two to GitHub's runner.
  @Test func annotationsAreOneLine() throws {
    let repository = try Self.repository()
    let name = "a&#13;&#10;::set-output"
    try repository.write(
      OrderSource.contents([Self.number, OrderSource.attribute(name)]),
      to: "\(Self.version)/contents")
    let run = try Tool.run(
      "guard", "--against", "HEAD", "--format", "github", in: repository.folder)
    #expect(run.text.contains("%0D%0A::set-output"), "\(run.text)")
    #expect(run.text.split { $0.isNewline }.count == 1, "\(run.text)")
  }

  /// Who names a folder for its sources is told their names by commands for compiled models.
  @Test func sourcesOfAFolderAreNamed() throws {
    let repository = try Self.repository()
    for command in ["dump", "hashes", "migrate-check"] {
      let run = try Tool.run(command, "App", in: repository.folder)
      #expect(run.status == 2, "\(command)")
      #expect(run.errors.contains("such as App/Shop.xcdatamodeld"), "\(command): \(run.errors)")
    }
  }

  /// Of two released bundles that say the same, one was moved and one deleted.
  @Test func oneBundleIsWhereOneWentOnly() throws {
    let repository = try Self.repository()
    let copy = "Watch/Shop.xcdatamodeld"
    try repository.write(OrderSource.contents([Self.number]), to: "\(copy)/V1.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V1"), to: "\(copy)/.xccurrentversion")
    try repository.commit("a copy")
    try repository.git("tag", "two")
    try repository.git("rm", "-qr", copy)
    try FileManager.default.createDirectory(
      at: repository.folder.appendingPathComponent("Core"), withIntermediateDirectories: true)
    try repository.git("mv", Self.bundle, "Core/Shop.xcdatamodeld")
    let run = try Tool.run("guard", "--against", "two", in: repository.folder)
    #expect(run.status == 1, "\(run.text)")
    #expect(run.text.components(separatedBy: "[bundle-removed]").count == 2, "\(run.text)")
  }

  /// Without paths the whole repository is guarded, whatever the current folder.
  @Test func bundlesAreFoundOutsideTheCurrentFolder() throws {
    let repository = try Self.repository()
    for name in ["Core", "Watch"] {
      try FileManager.default.createDirectory(
        at: repository.folder.appendingPathComponent(name), withIntermediateDirectories: true)
    }
    try repository.git("mv", Self.bundle, "Core/Shop.xcdatamodeld")
    for (folder, place) in [
      ("Core", " now at Shop.xcdatamodeld"), ("Watch", "/Core/Shop.xcdatamodeld"),
    ] {
      let run = try Tool.run(
        "guard", "--against", "HEAD", in: repository.folder.appendingPathComponent(folder))
      #expect(run.status == 0, "\(run.text)\(run.errors)")
      #expect(run.errors.contains(place), "\(run.errors)")
    }
  }

  /// The released bundle, read into a temporary folder inside the checkout, isn't where it went.
  @Test func ownTemporaryFoldersAreNotTheCheckout() throws {
    let repository = try Self.repository()
    try repository.git("rm", "-qr", Self.bundle)
    let temporary = repository.folder.appendingPathComponent("tmp")
    try FileManager.default.createDirectory(at: temporary, withIntermediateDirectories: true)
    let run = try Tool.run(
      "guard", "--against", "HEAD", environment: ["TMPDIR": temporary.path], in: repository.folder)
    #expect(run.status == 1 && run.text.contains("[bundle-removed]"), "\(run.text)\(run.errors)")
  }

  /// Several bundles named where they are now are those that they have most in common with, whatever their paths.
  @Test func movedBundlesArePairedByWhatTheyHaveInCommon() throws {
    let repository = try Self.repository()
    func write(_ entities: String..., version: String = "1", to bundle: String) throws {
      let more = entities.map { "    <entity name=\"\($0)\" syncable=\"YES\"/>\n" }.joined()
      let text = OrderSource.contents([Self.number], more: more)
        .replacing(
          " documentVersion", with: " lastSavedToolsVersion=\"\(version)\" documentVersion")
      try repository.write(text, to: "\(bundle)/Model.xcdatamodel/contents")
      try repository.write(OrderSource.pointer("Model"), to: "\(bundle)/.xccurrentversion")
    }
    try write("Post", to: "A/One.xcdatamodeld")
    try write("Tag", to: "B/Two.xcdatamodeld")
    try repository.commit("two")
    try repository.git("mv", "A", "Z")
    try repository.git("mv", "B", "Y")
    try write("Post", version: "2", to: "Z/One.xcdatamodeld")
    try write("Tag", version: "2", to: "Y/Two.xcdatamodeld")
    let run = try Tool.run(
      "guard", "--against", "HEAD", "Z/One.xcdatamodeld", "Y/Two.xcdatamodeld",
      in: repository.folder)
    #expect(run.status == 0, "\(run.text)\(run.errors)")
    for (old, new) in [("A/One", "Z/One"), ("B/Two", "Y/Two")] {
      #expect(
        run.errors.contains(
          "\(old).xcdatamodeld: warning: the bundle is now at \(new).xcdatamodeld\n"),
        "\(run.errors)")
    }
  }

  /// Bundles of one template have their first version in common, and their second one was written again after the move.
  @Test func movedBundlesOfOneTemplateArePairedByTheRest() throws {
    let repository = try Self.repository()
    func write(_ entity: String, version: String, to bundle: String) throws {
      let text = OrderSource.contents(
        [Self.number], more: "    <entity name=\"\(entity)\" syncable=\"YES\"/>\n")
      try repository.write(
        text.replacing(
          " documentVersion", with: " lastSavedToolsVersion=\"\(version)\" documentVersion"),
        to: "\(bundle)/V2.xcdatamodel/contents")
      try repository.write(
        OrderSource.contents([Self.number]), to: "\(bundle)/V1.xcdatamodel/contents")
      try repository.write(OrderSource.pointer("V2"), to: "\(bundle)/.xccurrentversion")
    }
    try write("Post", version: "1", to: "A/Model.xcdatamodeld")
    try write("Tag", version: "1", to: "B/Model.xcdatamodeld")
    try repository.commit("two")
    try repository.git("mv", "A", "Z")
    try repository.git("mv", "B", "Y")
    try write("Post", version: "2", to: "Z/Model.xcdatamodeld")
    try write("Tag", version: "2", to: "Y/Model.xcdatamodeld")
    for paths in [[], ["Y/Model.xcdatamodeld"]] {
      let run = try Tool.run(
        arguments: ["guard", "--against", "HEAD"] + paths, in: repository.folder)
      #expect(run.status == 0, "\(run.text)\(run.errors)")
      #expect(run.errors.contains("the bundle is now at Y/Model.xcdatamodeld"), "\(run.errors)")
    }
  }

  /// Half of a new bundle's entities are too few for a deleted one, unless it is called the same.
  @Test func aBundleWithOtherEntitiesIsAnother() throws {
    let repository = try Self.repository()
    try repository.git("rm", "-qr", Self.bundle)
    let contents = OrderSource.contents([Self.number], more: "    <entity name=\"Big\"/>\n")
    for (name, isMoved) in [("Feature/New", false), ("Feature/Shop", true)] {
      let bundle = "\(name).xcdatamodeld"
      try repository.write(contents, to: "\(bundle)/V1.xcdatamodel/contents")
      try repository.write(OrderSource.pointer("V1"), to: "\(bundle)/.xccurrentversion")
      let run = try Tool.run("guard", "--against", "HEAD", bundle, in: repository.folder)
      #expect(run.status == (isMoved ? 1 : 0), "\(run.text)\(run.errors)")
      #expect(
        run.errors.contains(isMoved ? "is now at \(bundle)" : "nothing was compared"),
        "\(run.errors)")
    }
  }

  /// Copies in ignored folders and in other working trees aren't where a bundle went.
  @Test func copiesThatAreNotOfTheCheckoutDoNotCount() throws {
    let repository = try Self.repository()
    let folder = repository.folder
    try repository.write("build/\n", to: ".gitignore")
    try repository.git("worktree", "add", "-q", "--detach", "tree", "HEAD")
    try FileManager.default.moveItem(
      at: folder.appendingPathComponent("App"), to: folder.appendingPathComponent("build"))
    let gone = try Tool.run("guard", "--against", "HEAD", in: folder)
    #expect(
      gone.status == 1 && gone.text.contains("[bundle-removed]"), "\(gone.text)\(gone.errors)")
    // One that isn't added yet does.
    try FileManager.default.moveItem(
      at: folder.appendingPathComponent("build"), to: folder.appendingPathComponent("Core"))
    let moved = try Tool.run("guard", "--against", "HEAD", in: folder)
    #expect(moved.status == 0, "\(moved.text)")
    #expect(moved.errors.contains("is now at Core/Shop.xcdatamodeld"), "\(moved.errors)")
  }

  /// What is staged is moved to where the index has it, not the working tree.
  @Test func stagedMovesAreThoseOfTheIndex() throws {
    let repository = try Self.repository()
    let folder = repository.folder
    let moved = "Core/Shop.xcdatamodeld"
    func run(_ arguments: String...) throws -> Tool.Outcome {
      try Tool.run(arguments: ["guard", "--against", "HEAD", "--staged"] + arguments, in: folder)
    }
    let core = folder.appendingPathComponent("Core")
    try FileManager.default.createDirectory(at: core, withIntermediateDirectories: true)
    try repository.git("mv", Self.bundle, moved)
    try FileManager.default.removeItem(at: core)
    for staged in [try run(), try run(moved)] {
      #expect(staged.status == 0, "\(staged.text)\(staged.errors)")
      #expect(staged.errors.contains("is now at \(moved)"), "\(staged.errors)")
    }
    try repository.git("rm", "-rqf", "--cached", "Core")
    try repository.write(
      OrderSource.contents([Self.number]), to: "\(moved)/V1.xcdatamodel/contents")
    try repository.write(OrderSource.pointer("V1"), to: "\(moved)/.xccurrentversion")
    let gone = try run()
    #expect(
      gone.status == 1 && gone.text.contains("[bundle-removed]"), "\(gone.text)\(gone.errors)")
    let unstaged = try run(moved)
    #expect(unstaged.status == 2)
    #expect(unstaged.errors.contains("it is neither staged nor in HEAD"), "\(unstaged.errors)")
  }

  /// A pre-commit hook judges what is staged.
  @Test func stagedStatesAreJudged() throws {
    let repository = try Self.repository()
    let contents = "\(Self.version)/contents"
    let changed = OrderSource.contents([Self.number, OrderSource.attribute("more")])
    func status(_ arguments: String...) throws -> Int32 {
      try Tool.run(arguments: ["guard", "--against", "HEAD"] + arguments, in: repository.folder)
        .status
    }
    try repository.write(changed, to: contents)
    #expect(try status() == 1)
    #expect(try status("--staged") == 0)
    #expect(try status("--staged", Self.bundle) == 0)
    try repository.git("add", contents)
    try repository.write(OrderSource.contents([Self.number]), to: contents)
    #expect(try status() == 0)
    #expect(try status("--staged") == 1)
    try repository.git("rm", "-qrf", "--cached", Self.bundle)
    let gone = try Tool.run("guard", "--against", "HEAD", "--staged", in: repository.folder)
    #expect(gone.status == 1 && gone.text.contains("[bundle-removed]"), "\(gone.text)")
    let named = try Tool.run(
      "guard", "--against", "HEAD", "git::\(Self.bundle)", in: repository.folder)
    #expect(named.status == 64 || named.status == 2)
    #expect(named.errors.contains("--staged"), "\(named.errors)")
  }
}
