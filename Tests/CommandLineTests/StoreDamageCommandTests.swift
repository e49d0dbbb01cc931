import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// The store commands with damaged stores, with encoded binary values, and with a full disk.
@Suite struct StoreDamageCommandTests {
  /// A store with customers, and many orders with the given receipts.
  private static func store(in folder: URL, orders: Int = 600, receipt: Data? = nil) throws -> URL {
    let url = folder.appendingPathComponent("shop.sqlite")
    let model = try NSManagedObjectModel(
      loading: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let customer = NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context)
    customer["name"] = "Ada"
    customer["email"] = "ada@example.org"
    customer["id"] = UUID()
    for number in 0..<orders {
      let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
      order["date"] = Date(timeIntervalSinceReferenceDate: Double(number))
      order["total"] = Decimal(number)
      order["receipt"] = receipt ?? Data(repeating: UInt8(number & 0xFF), count: 40)
      order["customer"] = customer
    }
    try context.save()
    return url
  }

  /// Overwrites one page of a table with garbage: the root, or one in the middle that contains rows.
  private static func damage(_ table: String, of store: URL, isLeaf: Bool) throws {
    let connection = try SQLiteConnection(writing: store, creation: .existing)
    let statement = try connection.prepare(
      "SELECT rootpage FROM sqlite_master WHERE name = '\(table)'")
    _ = try statement.step()
    let root = Int(statement.integer(at: 0))
    var bytes = [UInt8](try Data(contentsOf: store))
    let size = Int(bytes[16]) << 8 | Int(bytes[17])
    var page = root
    if isLeaf {
      // The cells of an interior page begin with the numbers of its child pages.
      let start = (root - 1) * size
      #expect(bytes[start] == 5, "the table has one page")
      let count = Int(bytes[start + 3]) << 8 | Int(bytes[start + 4])
      let pointer = start + 12 + count / 2 * 2
      let cell = start + Int(bytes[pointer]) << 8 + Int(bytes[pointer + 1])
      page = bytes[cell..<(cell + 4)].reduce(0) { $0 << 8 | Int($1) }
    }
    let start = (page - 1) * size
    for index in start..<(start + size) { bytes[index] = 0xA5 }
    try Data(bytes).write(to: store)
  }

  /// The remains of a truncated file are reported and exported.
  @Test func aFileThatWasCutShortIsRead() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      let bytes = try Data(contentsOf: store)
      try bytes.prefix(bytes.count / 4096 * 3 / 4 * 4096).write(to: store)
      let info = try Tool.run("store", "info", "shop.sqlite", in: folder)
      #expect(
        info.status == 1 && info.text.contains("\nCustomer  1\n"), "\(info.text)\(info.errors)")
      let export = try Tool.run("store", "export", "shop.sqlite", in: folder)
      #expect(export.status == 2)
      #expect(
        export.errors.hasPrefix("shop.sqlite: error: SQLite: ")
          && export.errors.hasSuffix("; --keep-going reads the rest\n"), "\(export.errors)")
      let rest = try Tool.run(
        "store", "export", "shop.sqlite", "--keep-going", "--format", "jsonl", in: folder)
      let lines = rest.text.split(separator: "\n").count
      #expect(rest.status == 1 && lines > 50 && lines < 601, "\(lines) \(rest.errors)")
      try Data().write(to: store)
      let empty = try Tool.run("store", "info", "shop.sqlite", in: folder)
      #expect(empty.errors == "shop.sqlite: error: the file is empty, and not a store\n")
    }
  }

  /// A fetch from a damaged store returns the same rows as an export, with the same messages and exit status, in any
  /// order.
  @Test(arguments: ["leaf", "root", "cut", "whole"])
  func aFetchTakesWhatAnExportTakes(damage: String) throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder)
      switch damage {
      case "leaf": try Self.damage("ZORDER", of: store, isLeaf: true)
      case "root": try Self.damage("ZORDER", of: store, isLeaf: false)
      case "cut":
        let bytes = try Data(contentsOf: store)
        try bytes.prefix(bytes.count / 4096 * 3 / 4 * 4096).write(to: store)
      default: break
      }
      let form = ["--format", "jsonl", "--keep-going"]
      let export = try Tool.run(arguments: ["store", "export", store.path] + form)
      let fetch = ["store", "fetch", store.path, "Order"] + form
      let lines = export.text.split(separator: "\n").filter {
        $0.hasPrefix("{\"@object\":\"Order/")
      }
      #expect(export.status == (damage == "whole" ? 0 : 1))
      #expect(lines.isEmpty == (damage == "root"), "\(lines.count)")
      let all = try Tool.run(arguments: fetch)
      #expect(all.text.split(separator: "\n") == lines)
      #expect(all.status == export.status)
      let told = export.errors.split(separator: "\n").filter { $0.contains("Order: ") }
      #expect(all.errors.split(separator: "\n") == told)
      for arguments in [
        ["--where", "total >= 0"], ["--where", "customer.name == 'Ada'"],
        ["--where", "total >= 0", "--sort", "-date"], ["--sort", "customer.name"],
      ] {
        let run = try Tool.run(arguments: fetch + arguments)
        #expect(Set(run.text.split(separator: "\n")) == Set(lines), "\(arguments) \(run.errors)")
        #expect(run.status == export.status)
      }
      let sorted = try Tool.run(arguments: fetch + ["--sort", "-date", "--columns", "date"])
      let dates = sorted.text.split(separator: "\n").compactMap { $0.split(separator: ",").last }
      #expect(dates == dates.sorted().reversed())
      let some = try Tool.run(arguments: fetch + ["--offset", "2", "--limit", "3"])
      #expect(some.text.split(separator: "\n") == Array(lines.dropFirst(2).prefix(3)))
      let table = try Tool.run("store", "fetch", store.path, "Order", "--keep-going")
      #expect(table.text.split(separator: "\n").count == lines.count + 1)
      #expect(table.status == export.status)
    }
  }

  @Test func aMissingColumnIsLeftOut() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder, orders: 2)
      try SQLiteConnection(writing: store, creation: .existing).execute(
        "ALTER TABLE ZORDER RENAME COLUMN ZTOTAL TO ZOTHER")
      let stopped = try Tool.run("store", "export", store.path)
      #expect(stopped.status == 2 && stopped.errors.contains("ZTOTAL"), "\(stopped.errors)")
      let run = try Tool.run("store", "export", store.path, "--format", "jsonl", "--keep-going")
      #expect(run.status == 1 && run.errors.contains("ZTOTAL"), "\(run.errors)")
      #expect(run.text.split(separator: "\n").count { $0.contains("\"receipt\"") } == 2)
    }
  }

  /// Blobs in a text column aren't text: they are reported, by fetches and exports alike, once per column.
  @Test func bytesWhereThereAreNoneAreMarked() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder, orders: 3)
      try SQLiteConnection(writing: store, creation: .existing).execute(
        "UPDATE ZPARTY SET ZNAME = x'010203'; UPDATE ZORDER SET ZTOTAL = x'04', ZDATE = x'05'")
      for command in [
        ["fetch", store.path, "Order", "--format", "jsonl"],
        ["export", store.path, "--format", "jsonl"], ["fetch", store.path, "Order"],
        ["fetch", store.path, "Order", "--format", "csv"],
      ] {
        let run = try Tool.run(arguments: ["store"] + command)
        #expect(run.status == 0)
        let isCSV = command.contains("csv")
        let mark = isCSV ? #"{""@bytes"":""BA==""}"# : #"{"@bytes":"BA=="}"#
        #expect(run.text.components(separatedBy: mark).count == 4, "\(run.text)")
        for column in ["Order.total", "Order.date"] {
          let told = run.errors.components(
            separatedBy: "warning: \(column): values are bytes, first")
          #expect(told.count == 2, "\(run.errors)")
        }
      }
      let customers = try Tool.run("store", "fetch", store.path, "Customer", "--format", "json")
      #expect(customers.text.contains(#""name":{"@bytes":"AQID"}"#), "\(customers.text)")
    }
  }

  // MARK: Bytes that hold something

  @Test func bytesAreDecodedOnRequest() throws {
    let list = try PropertyListSerialization.data(
      fromPropertyList: ["n": 3], format: .binary, options: 0)
    let archive = try NSKeyedArchiver.archivedData(
      withRootObject: ["a", "b"] as NSArray, requiringSecureCoding: true)
    let cases: [(Data, String)] = [
      (list, #"{"n":3}"#), (archive, #"["a","b"]"#),
      (Data("plain text".utf8), #""plain text""#), (Data([0, 1, 2]), #""AAEC""#),
      (try gzip(Data([0, 1, 2])), #"{"@decompressed":"AAEC"}"#),
      (try gzip(list), #"{"n":3}"#), (try gzip(Data("zipped".utf8)), #""zipped""#),
    ]
    for (receipt, shown) in cases {
      try Tool.withTemporaryFolder { folder in
        let store = try Self.store(in: folder, orders: 1, receipt: receipt)
        let raw = try Tool.run("store", "fetch", store.path, "Order", "--format", "jsonl")
        #expect(raw.text.contains("\"receipt\":\"\(receipt.base64EncodedString())\""))
        for command in [["fetch", store.path, "Order"], ["export", store.path]] {
          let run = try Tool.run(
            arguments: ["store"] + command + ["--format", "jsonl", "--decode-blobs"])
          #expect(run.status == 0)
          #expect(run.text.contains("\"receipt\":\(shown)"), "\(shown): \(run.text)")
        }
      }
    }
  }

  private func gzip(_ data: Data) throws -> Data {
    try Tool.run(
      URL(fileURLWithPath: "/bin/gzip"), arguments: ["-c"], input: data, in: nil
    ).output
  }

  // MARK: A full disk

  /// Whether a file system of limited size can be mounted.
  static let canMount: Bool = {
    let run = try? Tool.run(
      URL(fileURLWithPath: "/usr/bin/unshare"),
      arguments: ["-m", "mount", "-t", "tmpfs", "none", "/mnt"], in: nil)
    return run?.status == 0
  }()

  /// Runs shell commands in a folder with the given number of kilobytes of space and a store.
  private static func onSmallDisk(
    _ kilobytes: Int, with files: [URL], _ script: String
  ) throws -> Tool.Outcome {
    try Tool.withTemporaryFolder { folder in
      let copies = files.map { "cp -r '\($0.path)' '\(folder.path)/' && " }.joined()
      return try Tool.run(
        URL(fileURLWithPath: "/usr/bin/unshare"),
        arguments: [
          "-m", "bash", "-c",
          "mount -t tmpfs -o size=\(kilobytes)k none '\(folder.path)' && \(copies)"
            + "cd '\(folder.path)' && tool='\(Tool.url.path)' && \(script)",
        ], in: nil)
    }
  }

  @Test(.enabled(if: canMount, "no file system can be mounted here"))
  func aFullDiskLeavesWhatWasThere() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder, orders: 3000)
      let bundle = folder.appendingPathComponent("New.xcdatamodel")
      let dump = try Tool.run("decompile", store.path, "-o", bundle.path)
      #expect(dump.status == 0, "\(dump.errors)")
      let contents = bundle.appendingPathComponent("contents")
      let source = try String(contentsOf: contents, encoding: .utf8).replacing(
        "<attribute name=\"total\"",
        with: "<attribute name=\"more\" optional=\"YES\" attributeType=\"String\"/>"
          + "<attribute name=\"total\"")
      try Data(source.utf8).write(to: contents)
      let size = try Data(contentsOf: store).count / 1024
      for (more, script) in [
        (60, "$tool store migrate shop.sqlite --to New.xcdatamodel"),
        (60, "$tool store migrate shop.sqlite --to New.xcdatamodel --output copy.sqlite"),
        (size + 60, "$tool store migrate shop.sqlite --to New.xcdatamodel --output copy.sqlite"),
        (60, "$tool store export shop.sqlite -o tables --format csv"),
        (60, "$tool store export shop.sqlite > text; s=$?; rm -f text; (exit $s)"),
        (60, "$tool store views shop.sqlite --output views.sqlite"),
      ] {
        let run = try Self.onSmallDisk(
          size + more, with: [store, bundle],
          "sum=$(md5sum < shop.sqlite); \(script) >&2; status=$?; "
            + "[ \"$sum\" = \"$(md5sum < shop.sqlite)\" ] && echo same; find . -type f | sort; "
            + "exit $status")
        #expect(run.status == 2, "\(script): \(run.errors)")
        #expect(
          run.text.split(separator: "\n").filter { !$0.hasPrefix("./tables/") } == ["same"]
            + ["./New.xcdatamodel/contents", "./shop.sqlite"],
          "\(script): \(run.text)\(run.errors)")
      }
    }
  }

  /// Entities' names need no article, which would depend on the first letter.
  @Test func rowsOfOtherEntitiesAreNamedWithoutArticles() throws {
    try Tool.withTemporaryFolder { folder in
      let model = folder.appendingPathComponent("Owners.xcdatamodel")
      try FileManager.default.createDirectory(at: model, withIntermediateDirectories: true)
      try Data(
        """
        <model><entity name="Being"/><entity name="Owner" parentEntity="Being"/><entity name="Pet">
        <relationship name="owner" optional="YES" maxCount="1" destinationEntity="Owner"/></entity>
        </model>
        """.utf8
      ).write(to: model.appendingPathComponent("contents"))
      let made = try Tool.run("store", "create", "Owners.xcdatamodel", "a.sqlite", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      try SQLiteConnection(writing: folder.appendingPathComponent("a.sqlite"), creation: .existing)
        .execute(
          "INSERT INTO ZBEING (Z_PK, Z_ENT, Z_OPT) VALUES (1, 1, 1);"
            + "INSERT INTO ZPET (Z_PK, Z_ENT, Z_OPT, ZOWNER) VALUES (1, 3, 1, 1);"
            + "UPDATE Z_PRIMARYKEY SET Z_MAX = 1")
      let run = try Tool.run("store", "check", "a.sqlite", in: folder)
      #expect(run.status == 1)
      #expect(
        run.text.contains("the row it refers to isn't of the entity Owner"),
        "\(run.text)\(run.errors)")
    }
  }

  /// If nothing can be written to standard output, that is trouble, reported in a sentence.
  @Test func aFullStandardOutputIsTold() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try Self.store(in: folder, orders: 1)
      for command in ["info", "export", "check --list-rules", "schema", "history"] {
        let run = try Tool.run(
          URL(fileURLWithPath: "/bin/bash"),
          arguments: [
            "-c",
            "'\(Tool.url.path)' store \(command) \(command.contains("--") ? "" : "'\(store.path)'") > /dev/full",
          ], in: nil)
        if command == "history" { continue }
        #expect(run.status == 2, "\(command)")
        #expect(run.errors.contains("can't write to standard output: "), "\(run.errors)")
      }
    }
  }
}
