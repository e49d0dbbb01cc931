import Foundation
import ModelSource
import TestSupport
import Testing

/// `momtool decompile`: which models an input has, and what the sources made of them are called.
@Suite struct DecompileCommandTests {
  private static let archives = Corpus.packageRoot.appendingPathComponent("TestArchives")

  /// Copies `Shop.momd`, whose current version is `Shop 2`, into a folder.
  private static func copyShop(to folder: URL) throws {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try FileManager.default.copyItem(
      at: archives.appendingPathComponent("Shop.momd"),
      to: folder.appendingPathComponent("Shop.momd"))
  }

  private static func exists(_ path: String, in folder: URL) -> Bool {
    FileManager.default.fileExists(atPath: folder.appendingPathComponent(path).path)
  }

  /// Removes the source that was made, and checks that it has both versions of `Shop.momd` and its current one.
  private static func expectShop(in folder: URL) throws {
    let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
    let package = try ModelPackage(at: bundle)
    #expect(package.versions.map(\.name) == ["Shop 2", "Shop"])
    #expect(package.currentVersionName == "Shop 2")
    try FileManager.default.removeItem(at: bundle)
  }

  @Test func severalModelsAreNotOne() throws {
    try Tool.withTemporaryFolder { folder in
      let app = folder.appendingPathComponent("Shop.app")
      try Self.copyShop(to: app)
      let other = app.appendingPathComponent("Kit.mom")
      try FileManager.default.copyItem(
        at: Self.archives.appendingPathComponent("archives/Features.mom"), to: other)
      for output in [[], ["-o", "Out.xcdatamodeld"], ["-o", "Out.xcdatamodel"]] {
        let run = try Tool.run(arguments: ["decompile", "Shop.app"] + output, in: folder)
        #expect(run.status == 2)
        #expect(
          run.errors
            == "Shop.app: error: 2 models were found; choose one of them, such as Shop.app/Kit.mom\n"
        )
      }
      #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["Shop.app"])
      // A single model is that of the folder.
      try FileManager.default.removeItem(at: other)
      let run = try Tool.run("decompile", "Shop.app", in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      try Self.expectShop(in: folder)
    }
  }

  @Test func aRevisionHasItsNameAndCurrentVersion() throws {
    let repository = try TemporaryRepository()
    try Self.copyShop(to: repository.folder.appendingPathComponent("App"))
    try repository.commit("first")
    try FileManager.default.removeItem(at: repository.folder.appendingPathComponent("App"))
    for input in ["git:HEAD:App/Shop.momd", "git:HEAD:App", "git:HEAD:App/", "git:HEAD:./App"] {
      let run = try Tool.run("decompile", input, in: repository.folder)
      #expect(run.status == 0 && run.errors == "", "\(input): \(run.errors)")
      try Self.expectShop(in: repository.folder)
    }
  }

  @Test func aVersionBelongsToItsBundle() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.copyShop(to: folder)
      // The current version of the bundle isn't in the source.
      for input in ["Shop.momd@Shop", "Shop.momd/Shop"] {
        let run = try Tool.run("decompile", input, in: folder)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        let bundle = folder.appendingPathComponent("Shop.xcdatamodeld")
        let package = try ModelPackage(at: bundle)
        #expect(package.versions.map(\.name) == ["Shop"])
        #expect(package.currentVersionName == "Shop")
        try FileManager.default.removeItem(at: bundle)
      }
    }
  }

  @Test func sourcesKeepTheirCurrentVersion() throws {
    try Tool.withTemporaryFolder { folder in
      try FileManager.default.copyItem(
        at: Self.archives.appendingPathComponent("Shop.xcdatamodeld"),
        to: folder.appendingPathComponent("Old.xcdatamodeld"))
      let current = try ModelPackage(at: folder.appendingPathComponent("Old.xcdatamodeld"))
        .currentVersionName
      let run = try Tool.run(
        "decompile", "Old.xcdatamodeld", "-o", "New.xcdatamodeld", in: folder)
      #expect(run.status == 0 && run.errors == "", "\(run.errors)")
      let package = try ModelPackage(at: folder.appendingPathComponent("New.xcdatamodeld"))
      #expect(current != nil && package.currentVersionName == current)
    }
  }

  @Test func whatComesThroughAPipeIsCalledModel() throws {
    try Tool.withTemporaryFolder { folder in
      let model = try Data(
        contentsOf: Self.archives.appendingPathComponent("archives/Features.mom"))
      let run = try Tool.run("decompile", "-", input: model, in: folder)
      #expect(run.status == 0, "\(run.errors)")
      #expect(Self.exists("Model.xcdatamodel/contents", in: folder))
    }
  }

  /// What a pipe gave can't be read twice: `momtool decompile <(git show main:Shop.mom)`.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/bin/bash")))
  func aPipeIsReadOnce() throws {
    try Tool.withTemporaryFolder { folder in
      try Data(
        #"<model><entity name="A" representedClassName="A" codeGenerationType="class"/></model>"#
          .utf8
      ).write(to: folder.appendingPathComponent("contents"))
      let features = Self.archives.appendingPathComponent("archives/Features.mom").path
      for (command, file, text) in [
        ("generate --dry-run", features, "Person+CoreDataClass.swift"),
        ("generate --dry-run", "contents", "A+CoreDataClass.swift"), ("lint", features, ""),
        ("lint", "contents", ""), ("decompile", features, ""),
      ] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/bin/bash"),
          arguments: ["-c", "'\(Tool.url.path)' \(command) <(cat '\(file)')"], in: folder)
        #expect(run.status < 2 && !run.errors.contains("error: "), "\(command): \(run.errors)")
        #expect(text.isEmpty || run.text.contains(text), "\(command): \(run.text)")
      }
      #expect(Self.exists("Model.xcdatamodel/contents", in: folder))
    }
  }
}
