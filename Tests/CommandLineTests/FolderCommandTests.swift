import Foundation
import TestSupport
import Testing

/// Commands on an application or another folder: everything inside is found, and damaged files are reported without
/// hiding the rest.
struct FolderCommandTests {
  /// An application with a bundle, a single model in a framework, and a link to itself.
  private func withApplication(_ body: (URL) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      let files = FileManager.default
      let archives = Corpus.packageRoot.appendingPathComponent("TestArchives")
      let resources = folder.appendingPathComponent("Shop.app/Contents/Resources")
      let framework = folder.appendingPathComponent("Shop.app/Frameworks/Kit.framework")
      for path in [resources, framework] {
        try files.createDirectory(at: path, withIntermediateDirectories: true)
      }
      try files.copyItem(
        at: archives.appendingPathComponent("Shop.momd"),
        to: resources.appendingPathComponent("Shop.momd"))
      try files.copyItem(
        at: archives.appendingPathComponent("archives/Features.mom"),
        to: framework.appendingPathComponent("Kit.mom"))
      try files.createSymbolicLink(
        at: framework.appendingPathComponent("Self"),
        withDestinationURL: folder.appendingPathComponent("Shop.app"))
      try body(folder)
    }
  }

  @Test func everyModelInsideIsShown() throws {
    try withApplication { folder in
      let dump = try Tool.run("dump", "Shop.app", in: folder)
      #expect(dump.status == 0)
      #expect(dump.errors == "")
      #expect(
        dump.text.split(separator: "\n").filter { $0.hasPrefix("model ") } == [
          "model Shop.app/Contents/Resources/Shop.momd/Shop 2.mom",
          "model Shop.app/Frameworks/Kit.framework/Kit.mom",
        ])
      #expect(try Tool.run("dump", "Shop.app/", in: folder).status == 0)
      let all = try Tool.run("dump", "Shop.app", "--all-versions", in: folder)
      #expect(all.text.split(separator: "\n").filter { $0.hasPrefix("model ") }.count == 3)
      let hashes = try Tool.run("hashes", "Shop.app", in: folder)
      #expect(hashes.status == 0)
      #expect(hashes.text.split(separator: "\n").filter { $0.hasPrefix("model ") }.count == 3)
    }
  }

  /// The files of a revision exist until the last model of a folder is read.
  @Test func aFolderOfARevisionIsReadToo() throws {
    let repository = try TemporaryRepository()
    try withApplication { folder in
      try FileManager.default.moveItem(
        at: folder.appendingPathComponent("Shop.app"),
        to: repository.folder.appendingPathComponent("Shop.app"))
      try repository.commit("first")
      for (input, base) in [
        ("git:HEAD:Shop.app", "git:HEAD:Shop.app/"), ("git:HEAD:Shop.app/", "git:HEAD:Shop.app/"),
        ("git:HEAD:.", "git:HEAD:./Shop.app/"),
      ] {
        let dump = try Tool.run("dump", input, in: repository.folder)
        #expect(dump.status == 0 && dump.errors == "", "\(dump.errors)")
        #expect(
          dump.text.split(separator: "\n").filter { $0.hasPrefix("model ") } == [
            "model \(base)Contents/Resources/Shop.momd",
            "model \(base)Frameworks/Kit.framework/Kit.mom",
          ])
      }
      let path = "Shop.app/Contents/Resources/Broken.mom"
      try repository.write("bplist00", to: path)
      try repository.commit("second")
      let broken = try Tool.run("dump", "git:HEAD:Shop.app", in: repository.folder)
      #expect(broken.status == 2 && broken.errors.hasPrefix("git:HEAD:\(path)[byte 8]: error: "))
    }
  }

  /// macOS leaves a file of its own, `._Shop.mom`, beside each one on other systems' disks.
  @Test func namesThatBeginWithADotAreNoModels() throws {
    try withApplication { folder in
      let resources = "Shop.app/Contents/Resources"
      for name in ["Shop.momd/._Shop.mom", "Shop.momd/._Shop.omo", "._Shop.momd", "._Kit.mom"] {
        try Data("\0\u{5}\u{16}\u{7}".utf8).write(
          to: folder.appendingPathComponent("\(resources)/\(name)"))
      }
      for command in [["dump", "--all-versions"], ["hashes"], ["verify"]] {
        let run = try Tool.run(arguments: command + ["Shop.app"], in: folder)
        #expect(run.status == 0 && run.errors == "", "\(run.errors)")
        #expect(!run.text.contains("._"), "\(run.text)")
      }
    }
  }

  @Test func whatRecordsNothingIsPassedOver() throws {
    try withApplication { folder in
      let outcome = try Tool.run("verify", "Shop.app", in: folder)
      #expect(outcome.status == 0)
      #expect(outcome.text == "Shop.app/Contents/Resources/Shop.momd: as recorded\n")
    }
  }

  @Test func aDamagedModelHidesNoOther() throws {
    try withApplication { folder in
      let broken = folder.appendingPathComponent("Shop.app/Contents/Resources/Broken.mom")
      try Data("bplist00".utf8).write(to: broken)
      for command in ["dump", "hashes"] {
        let outcome = try Tool.run(command, "Shop.app", in: folder)
        #expect(outcome.status == 2)
        #expect(outcome.text.contains("model Shop.app/Frameworks/Kit.framework/Kit.mom\n"))
        #expect(outcome.errors.hasPrefix("Shop.app/Contents/Resources/Broken.mom"))
        #expect(outcome.errors.split(separator: "\n").count == 1)
      }
    }
  }

  @Test func aFolderWithoutModelsIsTrouble() throws {
    try Tool.withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Empty.app/Contents"), withIntermediateDirectories: true)
      for command in ["dump", "hashes", "verify"] {
        let outcome = try Tool.run(command, "Empty.app", in: folder)
        #expect(outcome.status == 2)
        #expect(
          outcome.errors == """
            Empty.app: error: the folder contains no compiled model (.momd, .mom or .omo)

            """)
      }
    }
  }

  // MARK: Bundles

  @Test func anEmptyBundleIsTrouble() throws {
    try Tool.withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("Shop.app/Shop.momd"), withIntermediateDirectories: true)
      let outcome = try Tool.run("verify", "Shop.app/Shop.momd", in: folder)
      #expect(outcome.status == 2)
      #expect(outcome.text == "")
      #expect(
        outcome.errors == """
          Shop.app/Shop.momd: error: the bundle is empty: it contains neither a version (.mom) nor \
          VersionInfo.plist

          """)
      let inside = try Tool.run("verify", "Shop.app", "--format", "json", in: folder)
      #expect(inside.status == 2)
      #expect(inside.errors == outcome.errors)
      for command in ["dump", "hashes"] {
        let outcome = try Tool.run(command, "Shop.app/Shop.momd", in: folder)
        #expect(outcome.status == 2)
        #expect(
          outcome.errors.hasPrefix("Shop.app/Shop.momd: error: the bundle contains no .mom file"))
      }
    }
  }

  /// A list of versions none of which exists is a difference, and so are versions without a list.
  @Test func aBundleThatIsHalfThereDiffers() throws {
    try Tool.withTemporaryFolder { folder in
      let shop = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd")
      for (name, kept) in [("List.momd", "VersionInfo.plist"), ("Models.momd", "Shop.mom")] {
        let bundle = folder.appendingPathComponent(name)
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        try FileManager.default.copyItem(
          at: shop.appendingPathComponent(kept), to: bundle.appendingPathComponent(kept))
      }
      let list = try Tool.run("verify", "List.momd", in: folder)
      #expect(list.status == 1)
      #expect(list.text.contains("version 'Shop': recorded, but there is no such file"))
      let models = try Tool.run("verify", "Models.momd", in: folder)
      #expect(models.status == 1)
      #expect(models.text == "Models.momd: no version hashes are recorded\n")
    }
  }
}
