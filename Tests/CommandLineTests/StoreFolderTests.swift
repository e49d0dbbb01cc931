import Foundation
import MomKit
import TestSupport
import Testing

/// Commands that accept folders of stores, and their JSON.
@Suite struct StoreFolderTests {
  /// A folder with two oddly named stores, one of them deeply nested, a SQLite file that isn't a store, and other
  /// files.
  private static func fill(_ folder: URL) throws {
    try FileManager.default.createDirectory(
      at: folder.appendingPathComponent("stores/deep"), withIntermediateDirectories: true)
    let model = Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path
    for name in ["stores/one.wiredatabase", "stores/deep/two"] {
      #expect(try Tool.run("store", "create", model, name, in: folder).status == 0)
    }
    try Data("nothing".utf8).write(to: folder.appendingPathComponent("stores/a.sqlite"))
    try Data().write(to: folder.appendingPathComponent("stores/b.sqlite"))
    _ = try Tool.run(
      URL(fileURLWithPath: "/bin/bash"),
      arguments: ["-c", "ln -s deep/two stores/link"], in: folder)
  }

  private static func json(_ run: Tool.Outcome) throws -> [String: Any] {
    try #require(JSONSerialization.jsonObject(with: run.output) as? [String: Any])
  }

  @Test func everyStoreOfAFolderIsTold() throws {
    try Tool.withTemporaryFolder { folder in
      try Self.fill(folder)
      let info = try Tool.run("store", "info", "stores", in: folder)
      #expect(info.status == 0, "\(info.errors)")
      let named = info.text.split(separator: "\n").filter { $0.hasPrefix("store  ") }
      #expect(
        named == ["store        stores/deep/two", "store        stores/one.wiredatabase"])
      let listed = try Self.json(
        try Tool.run("store", "info", "stores", "--format", "json", in: folder))
      #expect(
        (listed["stores"] as? [[String: Any]])?.compactMap { $0["store"] as? String }
          == ["stores/deep/two", "stores/one.wiredatabase"])
      let checked = try Tool.run("store", "check", "stores", "--format", "json", in: folder)
      #expect(checked.status == 0, "\(checked.errors)")
      #expect((try Self.json(checked)["stores"] as? [Any])?.count == 2)
      let verified = try Tool.run("verify", "stores", in: folder)
      #expect(verified.status == 0)
      #expect(
        verified.text
          == "stores/deep/two: as recorded\nstores/one.wiredatabase: as recorded\n")
      let schema = try Tool.run("store", "schema", "stores", in: folder)
      #expect(schema.status == 0)
      #expect(
        schema.text.hasPrefix("-- stores/deep/two\nCREATE TABLE "), "\(schema.text.prefix(99))")
      #expect(schema.text.contains("\n\n-- stores/one.wiredatabase\n"))
      let tables = try Self.json(
        try Tool.run("store", "schema", "stores/deep/two", "--format", "json", in: folder))
      let models = try #require(tables["models"] as? [[String: Any]])
      let entities = try #require(models.first?["entities"] as? [[String: Any]])
      #expect(
        entities.contains { $0["name"] as? String == "Order" && $0["table"] as? String == "ZORDER" }
      )
      #expect((models.first?["statements"] as? [String])?.isEmpty == false)
    }
  }

  @Test func aFolderWithoutStoresIsTold() throws {
    try Tool.withTemporaryFolder { folder in
      try FileManager.default.createDirectory(
        at: folder.appendingPathComponent("none"), withIntermediateDirectories: true)
      for command in ["info", "check"] {
        let run = try Tool.run("store", command, "none", in: folder)
        #expect(run.status == 2 && run.errors.contains("none: error: the folder contains no store"))
      }
      try Self.fill(folder)
      // A broken store doesn't affect the others.
      let store = folder.appendingPathComponent("stores/one.wiredatabase")
      var bytes = [UInt8](try Data(contentsOf: store))
      bytes.removeLast(bytes.count / 2)
      try Data(bytes).write(to: store)
      let run = try Tool.run("store", "info", "stores", in: folder)
      #expect(run.status == 2 && run.text.contains("stores/deep/two"), "\(run.errors)")
      #expect(run.errors.contains("stores/one.wiredatabase: error: "))
    }
  }
}
