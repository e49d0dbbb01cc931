import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that no proper program wrote: rows without an entity, text instead of keys, missing metadata, and files
/// that aren't stores. Nothing is skipped silently.
@Suite struct StoreOddityTests {
  private static let contents = """
    <model><entity name="Boat"><attribute name="name" optional="YES" attributeType="String"/>\
    <attribute name="atSea" optional="YES" attributeType="Boolean"/>\
    <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner" inverseName="boats" \
    inverseEntity="Owner"/></entity>\
    <entity name="Owner"><relationship name="boats" optional="YES" toMany="YES" destinationEntity="Boat" \
    inverseName="owner" inverseEntity="Boat"/></entity>\
    <entity name="Thing"><attribute name="name" optional="YES" attributeType="String"/></entity>\
    <entity name="Tool" parentEntity="Thing"/></model>
    """

  /// Programs that read CSV tell columns apart by their names.
  @Test func columnsHaveNamesOfTheirOwn() throws {
    let contents = """
      <model><entity name="Boat"><attribute name="object" optional="YES" attributeType="String"/></entity></model>
      """
    let table = "_object,object\r\nBoat/p1,a lamp\r\n"
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZOBJECT) VALUES (1, 1, 1, 'a lamp')", contents
    ) { store in
      let fetch = try Tool.run("store", "fetch", store, "Boat", "--format", "csv")
      #expect(fetch.text == table, "\(fetch.errors)")
      let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
        .appendingPathComponent("tables")
      let export = try Tool.run(
        "store", "export", store, "--format", "csv", "--output", folder.path)
      #expect(export.status == 0, "\(export.errors)")
      let written = try Data(contentsOf: folder.appendingPathComponent("Boat.csv"))
      #expect(String(decoding: written, as: UTF8.self) == table)
    }
  }

  /// What stands for missing values is written as it is, and mustn't look like several columns.
  @Test(arguments: ["a,b", "\"", "a\nb"]) func theTextForMissingValuesIsPlain(_ text: String) throws
  {
    try Self.withStore("INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1)") { store in
      let run = try Tool.run("store", "fetch", store, "Owner", "--format", "csv", "--null", text)
      #expect(run.status == 64)
      #expect(run.errors.contains("--null can't contain"), "\(run.errors)")
    }
  }

  /// A value that is the same is quoted.
  @Test func noValueIsTakenForAMissingOne() throws {
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'NULL'), (2, 1, 1, NULL), "
        + "(3, 1, 1, 'NULL,')"
    ) { store in
      let rest = ["--format", "csv", "--null", "NULL"]
      let fetch = try Tool.run(
        arguments: ["store", "fetch", store, "Boat", "--columns", "name"] + rest)
      #expect(
        fetch.text
          == "object,name\r\nBoat/p1,\"NULL\"\r\nBoat/p2,NULL\r\nBoat/p3,\"NULL,\"\r\n",
        "\(fetch.errors)")
      let folder = URL(fileURLWithPath: store).deletingLastPathComponent()
        .appendingPathComponent("tables")
      let export = try Tool.run(
        arguments: ["store", "export", store, "--output", folder.path] + rest)
      #expect(export.status == 0, "\(export.errors)")
      let written = try Data(contentsOf: folder.appendingPathComponent("Boat.csv"))
      #expect(
        String(decoding: written, as: UTF8.self)
          == "object,atSea,name,owner\r\nBoat/p1,NULL,\"NULL\",NULL\r\n"
          + "Boat/p2,NULL,NULL,NULL\r\nBoat/p3,NULL,\"NULL,\",NULL\r\n")
    }
  }

  /// Runs a closure with a store whose rows SQL inserts; the boat is entity 1, the owner 2, things 3 and tools 4.
  private static func withStore(
    _ sql: String, _ contents: String = contents, _ body: (String) throws -> Void
  ) throws {
    try Tool.withTemporaryFolder { folder in
      let source = folder.appendingPathComponent("Harbour.xcdatamodel")
      try FileManager.default.createDirectory(at: source, withIntermediateDirectories: false)
      try Data(contents.utf8).write(to: source.appendingPathComponent("contents"))
      let store = folder.appendingPathComponent("harbour.sqlite")
      let made = try Tool.run("store", "create", source.path, store.path)
      try #require(made.status == 0, "\(made.errors)")
      try SQLiteConnection(writing: store, creation: .existing).execute(sql)
      try body(store.path)
    }
  }

  @Test func rowsOfAnEntityThatHasItsTableForItselfAreAllListed() throws {
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a'), (2, NULL, 1, 'b'), (3, 77, 1, 'c')"
    ) { store in
      let fetch = try Tool.run("store", "fetch", store, "Boat", "--format", "jsonl")
      let export = try Tool.run("store", "export", store, "--format", "jsonl")
      #expect(fetch.text.split(separator: "\n").count == 3, "\(fetch.text)")
      #expect(export.text == fetch.text && export.status == 0, "\(export.errors)")
      let info = try Tool.run("store", "info", store)
      #expect(info.text.contains("Boat   3\n"), "\(info.text)")
    }
  }

  /// Rows of a table that an entity has for itself are its objects also as members of a relationship.
  @Test func membersAreOfTheDestination() throws {
    try Self.withStore(
      "INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1); INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZOWNER) "
        + "VALUES (1, 1, 1, 1), (2, NULL, 1, 1), (3, 77, 1, 1), (4, 2, 1, 1)"
    ) { store in
      let json = try Tool.run("store", "fetch", store, "Owner", "--format", "jsonl")
      #expect(
        json.text
          == #"{"@object":"Owner/p1","boats":["Boat/p1","Boat/p2","Boat/p3","Boat/p4"]}"# + "\n",
        "\(json.errors)")
      let csv = try Tool.run("store", "fetch", store, "Owner", "--format", "csv")
      #expect(
        csv.text == "object,boats\r\nOwner/p1,Boat/p1 Boat/p2 Boat/p3 Boat/p4\r\n", "\(csv.errors)")
      let table = try Tool.run("store", "fetch", store, "Owner")
      #expect(table.text.contains("Boat/p1 Boat/p2 Boat/p3 Boat/p4"), "\(table.text)")
    }
  }

  @Test func rowsOfNoEntityAreTold() throws {
    try Self.withStore(
      "INSERT INTO ZTHING (Z_PK, Z_ENT, Z_OPT) VALUES (1, 3, 1), (2, 4, 1), (5, NULL, 1), (6, 1, 1)"
    ) { store in
      for command in [["export", store], ["info", store]] {
        let run = try Tool.run(arguments: ["store"] + command)
        #expect(run.status == 1, "\(command)")
        #expect(
          run.errors.contains(
            "ZTHING: 2 rows whose number belongs to no entity of the table left out, the first with the key 5"
          ),
          "\(run.errors)")
      }
    }
  }

  /// A view of the file's own may never end; what it stands for is a table.
  @Test(.enabled(if: FileManager.default.isExecutableFile(atPath: "/usr/bin/timeout")))
  func viewsInPlaceOfTablesAreRefused() throws {
    try Self.withStore(
      """
      DROP TABLE ZBOAT; CREATE VIEW ZBOAT AS WITH RECURSIVE r(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM r)
      SELECT i AS Z_PK, 1 AS Z_ENT, 1 AS Z_OPT, 'a' AS ZNAME, 1 AS ZATSEA, 1 AS ZOWNER FROM r;
      INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1)
      """
    ) { store in
      let model =
        URL(fileURLWithPath: store).deletingLastPathComponent()
        .appendingPathComponent("Harbour.xcdatamodel").path
      for (command, status) in [
        (["info", store], 1), (["check", store], 1), (["fetch", store, "Boat"], 2),
        (["fetch", store, "Owner"], 2), (["export", store], 2),
        (["export", store, "--keep-going"], 1),
        (["fetch", store, "Boat", "--where", "name MATCHES 'a.*'"], 2),
        (["migrate", store, "--to", model, "--output", store + "2"], 2),
      ] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/usr/bin/timeout"),
          arguments: ["-s", "KILL", "60", Tool.url.path, "store"] + command, in: nil)
        #expect(run.status == status, "\(command): \(run.errors)")
        #expect(
          (run.text + run.errors).contains("view is in place of the table")
            || run.errors.contains("the file has a view ZBOAT in place of the store's table"),
          "\(command): \(run.errors)")
      }
    }
  }

  @Test func archivesAreToldFromStores() throws {
    try Tool.withTemporaryFolder { folder in
      for (name, bytes, kind) in [
        ("a.gz", [0x1F, 0x8B, 8, 0], "a file compressed with gzip"),
        ("a.zip", [0x50, 0x4B, 3, 4], "a ZIP archive"),
      ] as [(String, [UInt8], String)] {
        try Data(bytes).write(to: folder.appendingPathComponent(name))
        let run = try Tool.run("store", "info", name, in: folder)
        #expect(run.status == 2)
        #expect(run.errors == "\(name): error: \(kind), and not a store: unpack it first\n")
      }
    }
  }

  @Test func whatIsNoKeyIsShownAsItStands() throws {
    try Self.withStore(
      """
      INSERT INTO ZOWNER (Z_PK, Z_ENT, Z_OPT) VALUES (1, 2, 1);
      INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZOWNER)
      VALUES (1, 1, 1, 1), (2, 1, 1, 'Ada'), (3, 1, 1, 1.5), (4, 1, 1, x'01'), (5, 1, 1, NULL)
      """
    ) { store in
      let values = ["\"Owner/p1\"", "\"Ada\"", "1.5", #"{"@bytes":"AQ=="}"#, "null"]
      for command in [["fetch", store, "Boat"], ["export", store]] {
        let run = try Tool.run(arguments: ["store"] + command + ["--format", "jsonl"])
        let found = run.text.split(separator: "\n").filter {
          $0.contains("Boat/p") && $0.contains("@object\":\"B")
        }
        #expect(found.count == values.count)
        for (line, value) in zip(found, values) {
          #expect(line.contains("\"owner\":\(value)}"), "\(line)")
        }
      }
      let table = try Tool.run("store", "fetch", store, "Boat", "--format", "csv")
      #expect(
        table.text.contains("Boat/p2,,,Ada\r\n") && table.text.contains("Boat/p5,,,\r\n"),
        "\(table.text)")
    }
  }

  /// Latin-1 from some other program: what is shown of it isn't what stands there.
  @Test func textThatIsNotUTF8IsTold() throws {
    try Self.withStore(
      """
      INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZNAME)
      VALUES (1, 1, 1, 'Zoë'), (2, 1, 1, CAST(x'5A6FEB' AS TEXT)), (3, 1, 1, CAST(x'EB' AS TEXT))
      """
    ) { store in
      for command in [
        ["fetch", store, "Boat"], ["export", store], ["export", store, "--format", "jsonl"],
        ["fetch", store, "Boat", "--format", "csv"],
        ["export", store, "--format", "parquet", "--output", store + ".parquet"],
      ] {
        let run = try Tool.run(arguments: ["store"] + command)
        #expect(run.status == 0, "\(command)")
        #expect(
          run.errors == "\(store): warning: Boat.name: texts aren't valid UTF-8, first that of "
            + "Boat/p2; what is wrong in them is shown as U+FFFD\n", "\(command): \(run.errors)")
      }
    }
  }

  @Test func whatIsNoFlagIsShownAsItStands() throws {
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZATSEA) VALUES (1, 1, 1, 0), (2, 1, 1, 1), (3, 1, 1, 2), (4, 1, 1, -1)"
    ) { store in
      func flags(_ text: String) -> [String] {
        text.split(separator: "\n").compactMap { line in
          line.firstRange(of: #/"atSea":[^,]*/#).map { String(line[$0]) }
        }
      }
      for command in [["fetch", store, "Boat"], ["export", store]] {
        let run = try Tool.run(arguments: ["store"] + command + ["--format", "jsonl"])
        #expect(
          flags(run.text) == [
            "\"atSea\":false", "\"atSea\":true", "\"atSea\":2", "\"atSea\":-1",
          ])
      }
      let table = try Tool.run("store", "fetch", store, "Boat", "--columns", "atSea")
      #expect(table.text.contains("Boat/p3  2\n"), "\(table.text)")
    }
  }

  @Test(arguments: [
    "DELETE FROM Z_METADATA", "UPDATE Z_METADATA SET Z_PLIST = x'00'", "DROP TABLE Z_METADATA",
    "UPDATE Z_METADATA SET Z_PLIST = NULL",
  ]) func storesAreReadWithoutMetadata(sql: String) throws {
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, 'a'); \(sql)"
    ) { store in
      for command in [
        ["export", store], ["fetch", store, "Boat"], ["info", store],
        [
          "export", store, "--model",
          URL(fileURLWithPath: store).deletingLastPathComponent()
            .appendingPathComponent("Harbour.xcdatamodel").path,
        ],
      ] {
        let run = try Tool.run(arguments: ["store"] + command)
        #expect(run.status == 0 && run.text.contains("Boat"), "\(run.errors)")
        #expect(
          run.errors.contains("warning: the store is read without its metadata"), "\(run.errors)")
      }
      let check = try Tool.run("store", "check", store)
      #expect(check.status == 1)
      #expect(
        check.text.contains("[metadata-row] Z_METADATA: the metadata can't be read"),
        "\(check.text)")
      // A store that doesn't identify its model can't be migrated, except for a copy.
      #expect(try Tool.run("identify", store, "Harbour.xcdatamodel").status == 2)
    }
  }

  /// Output for programs isn't truncated; a terminal shows what fits.
  @Test func longValuesAreCutForTerminalsAlone() throws {
    let long = String(repeating: "long ", count: 20) + "end"
    try Self.withStore(
      "INSERT INTO ZBOAT (Z_PK, Z_ENT, Z_OPT, ZNAME) VALUES (1, 1, 1, '\(long)')"
    ) { store in
      for (width, isWhole) in [(nil, true), ("0", true), ("200", true), ("80", false)] {
        let run = try Tool.run(
          arguments: ["store", "fetch", store, "Boat", "--columns", "name"]
            + (width.map { ["--width", $0] } ?? []))
        #expect(run.text.contains(long) == isWhole, "\(width ?? "-"): \(run.text)")
        let lines = run.text.split(separator: "\n")
        #expect(isWhole || lines.allSatisfy { $0.count == 80 || !$0.contains("long") })
      }
    }
  }

  @Test func textsInUTF16AreRead() throws {
    try Tool.withTemporaryFolder { folder in
      let url = folder.appendingPathComponent("wide.sqlite")
      let list = try PropertyListSerialization.data(
        fromPropertyList: ["NSStoreType": "SQLite"], format: .binary, options: 0)
      let identifier = "00112233-4455-6677-8899-AABBCCDDEEFF"
      try SQLiteConnection(writing: url, creation: .ifMissing).execute(
        """
        PRAGMA encoding = 'UTF-16le'; CREATE TABLE Z_METADATA (Z_VERSION, Z_UUID, Z_PLIST);
        INSERT INTO Z_METADATA VALUES (1, '\(identifier)', x'\(list.map { String(format: "%02x", $0) }.joined())')
        """)
      #expect(try StoreFile(at: url.path).metadata.identifier == identifier)
    }
  }

  /// Advice is given where it helps.
  @Test func filesThatAreNoStoresAreCalledSo() throws {
    try Tool.withTemporaryFolder { folder in
      let encrypted = folder.appendingPathComponent("encrypted.sqlite")
      try Data((0..<8192).map { UInt8(truncatingIfNeeded: $0 &* 167 &+ 13) }).write(to: encrypted)
      let empty = folder.appendingPathComponent("empty.sqlite")
      try Data().write(to: empty)
      for command in ["export", "info", "check", "history"] {
        let run = try Tool.run("store", command, encrypted.path)
        #expect(
          run.status == 2 && run.errors.contains("not a SQLite file, or an encrypted one"),
          "\(run.errors)")
        #expect(!run.errors.contains("--keep-going"), "\(run.errors)")
        let other = try Tool.run("store", command, empty.path)
        #expect(other.errors.hasSuffix("the file is empty, and not a store\n"), "\(other.errors)")
      }
    }
  }
}
