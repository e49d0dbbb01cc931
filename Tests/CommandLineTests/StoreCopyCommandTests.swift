import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// `momtool store copy`. What it does with PostgreSQL is tested in Tools/Engines/PostgreSQL.
@Suite struct StoreCopyCommandTests {
  private static let model = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd")

  /// A store with an external file, and a writer that has it open, so that its contents are in the -wal.
  private static func withStore(_ body: (_ folder: URL, _ url: URL) throws -> Void) throws {
    try Tool.withTemporaryFolder { folder in
      let photo = attribute("photo", .binaryDataAttributeType)
      photo.allowsExternalBinaryDataStorage = true
      let model = TestSupport.model([entity("Album", [attribute("title"), photo])])
      let url = folder.appendingPathComponent("albums.sqlite")
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: url)
      let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      for number in 0..<3 {
        let album = NSEntityDescription.insertNewObject(forEntityName: "Album", into: context)
        album.setValue("a\(number)", forKey: "title")
        album.setValue(Data(repeating: UInt8(number), count: 300_000), forKey: "photo")
      }
      try context.save()
      try body(folder, url)
      withExtendedLifetime(context) {}
    }
  }

  @Test func aCopyIsExact() throws {
    try Self.withStore { folder, _ in
      let copy = try Tool.run("store", "copy", "albums.sqlite", "copy.sqlite", in: folder)
      #expect(copy.status == 0, "\(copy.errors)")
      #expect(copy.text.contains("ZALBUM"))
      #expect(copy.text.hasSuffix("counts and checksums are equal\n"))
      let exports = try ["albums.sqlite", "copy.sqlite"].map {
        try Tool.run("store", "export", $0, in: folder)
      }
      #expect(exports[0].status == 0 && exports[0].output.count > 1_000_000)
      #expect(exports[1].output == exports[0].output)
      #expect(try Tool.run("store", "check", "copy.sqlite", in: folder).status == 0)
      let infos = try ["albums.sqlite", "copy.sqlite"].map {
        try Tool.run("store", "info", $0, in: folder).text.split(separator: "\n").dropFirst()
      }
      #expect(infos[0] == infos[1])
    }
  }

  @Test func nothingIsOverwrittenAndNothingIsLeft() throws {
    try Self.withStore { folder, url in
      let before = try Data(contentsOf: url)
      let onto = try Tool.run("store", "copy", "albums.sqlite", "albums.sqlite", in: folder)
      #expect(onto.status == 2 && onto.errors.contains("already exists"))
      #expect(try Data(contentsOf: url) == before)
      try Data("no store".utf8).write(to: folder.appendingPathComponent("text"))
      #expect(try Tool.run("store", "copy", "text", "new.sqlite", in: folder).status == 2)
      #expect(try Tool.run("store", "copy", "gone", "new.sqlite", in: folder).status == 2)
      let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
      #expect(!names.contains { $0.hasPrefix("new") || $0.hasPrefix(".momkit") }, "\(names)")
    }
  }

  /// Neither rows in the -wal nor external files are beside a link.
  @Test func aLinkLeadsToAllOfTheStore() throws {
    try Self.withStore { folder, _ in
      let links = folder.appendingPathComponent("links")
      try FileManager.default.createDirectory(at: links, withIntermediateDirectories: false)
      try FileManager.default.createSymbolicLink(
        atPath: links.appendingPathComponent("link.sqlite").path,
        withDestinationPath: "../albums.sqlite")
      let copy = try Tool.run("store", "copy", "links/link.sqlite", "copy.sqlite", in: folder)
      #expect(copy.status == 0, "\(copy.errors)")
      let exports = try ["albums.sqlite", "copy.sqlite", "links/link.sqlite"].map {
        try Tool.run("store", "export", $0, in: folder)
      }
      #expect(exports[0].output.count > 1_000_000)
      #expect(exports[1].output == exports[0].output)
      #expect(exports[2].output == exports[0].output, "\(exports[2].errors)")
      let check = try Tool.run("store", "check", "links/link.sqlite", in: folder)
      #expect(check.status == 0, "\(check.text)")
      #expect(try FileManager.default.contentsOfDirectory(atPath: links.path) == ["link.sqlite"])
    }
  }

  /// SQLite would take the log of a store that isn't there any more for that of the new file.
  @Test(
    arguments: [
      ["copy", "shop.sqlite", "new.sqlite"], ["create", model.path, "new.sqlite"],
      ["views", "shop.sqlite", "--output", "new.sqlite"],
      ["migrate", "shop.sqlite", "--to", model.path, "--output", "new.sqlite"],
    ])
  func nothingIsMadeBesideTheLogOfAnother(arguments: [String]) throws {
    try Tool.withTemporaryFolder { folder in
      let shop = try Tool.run("store", "create", Self.model.path, "shop.sqlite", in: folder)
      #expect(shop.status == 0, "\(shop.errors)")
      for suffix in ["-wal", "-shm", "-journal"] {
        let left = folder.appendingPathComponent("new.sqlite\(suffix)")
        try Data("left".utf8).write(to: left)
        let run = try Tool.run(arguments: ["store"] + arguments, in: folder)
        #expect(run.status == 2)
        #expect(
          run.errors.contains("a file of another store is left beside it: new.sqlite\(suffix)"),
          "\(run.errors)")
        let names = try FileManager.default.contentsOfDirectory(atPath: folder.path)
        #expect(Set(names) == ["shop.sqlite", left.lastPathComponent])
        try FileManager.default.removeItem(at: left)
      }
      let run = try Tool.run(arguments: ["store"] + arguments, in: folder)
      #expect(run.status == 0, "\(run.errors)")
    }
  }

  @Test func storesInPostgreSQLAreAnotherProgramsWork() throws {
    try Tool.withTemporaryFolder { folder in
      let tool = folder.appendingPathComponent("momtool")
      try FileManager.default.copyItem(at: Tool.url.resolvingSymlinksInPath(), to: tool)
      let arguments = [
        "store", "copy", "a.sqlite", "postgresql://h/d?schema=s", "--model", "m.mom",
      ]
      let without = try Tool.run(
        tool, arguments: arguments, environment: ["PATH": "/nowhere"], in: folder)
      #expect(without.status == 2)
      #expect(without.errors.contains("swift build --package-path Tools/Engines/PostgreSQL"))
      let program = folder.appendingPathComponent("momtool-postgresql")
      try Data("#!/bin/sh\nfor a; do echo \"[$a]\"; done; exit 3\n".utf8).write(to: program)
      try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: program.path)
      let with = try Tool.run(
        tool, arguments: arguments, environment: ["PATH": "/nowhere"], in: folder)
      #expect(with.status == 3)
      #expect(
        with.text == "[copy]\n[a.sqlite]\n[postgresql://h/d?schema=s]\n[--model]\n[m.mom]\n")
    }
  }
}
