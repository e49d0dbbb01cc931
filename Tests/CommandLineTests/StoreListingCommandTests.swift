import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// `momtool store check`, `export`, `history` and `views`, on a store created for this purpose.
@Suite struct StoreListingCommandTests {
  /// A store for the model in TestArchives with one customer, with history tracking.
  private func store(in folder: URL) throws -> String {
    let url = folder.appendingPathComponent("shop.sqlite")
    let model = try NSManagedObjectModel(
      loading: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path)
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSPersistentHistoryTrackingKey: true])
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    context.transactionAuthor = "tests"
    let customer = NSEntityDescription.insertNewObject(forEntityName: "Customer", into: context)
    customer["name"] = "Ada \"A.\", Countess"
    customer["email"] = "ada@example.org"
    customer["id"] = UUID(uuidString: "00112233-4455-6677-8899-AABBCCDDEEFF")
    try context.save()
    customer["name"] = "Ada"
    try context.save()
    return url.path
  }

  /// Fetched objects look the same as in an export: columns, order, dates, numbers.
  @Test(arguments: ["jsonl", "csv"]) func fetchesAndExportsAgree(format: String) throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let model = try NSManagedObjectModel(
        loading: Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path)
      let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
      try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType, configurationName: nil, at: URL(fileURLWithPath: store),
        options: [NSPersistentHistoryTrackingKey: true])
      let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
      context.persistentStoreCoordinator = coordinator
      let customer = try #require(
        context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Customer")).first)
      for (number, seconds) in [0.5, 700_000_000.123, -3].enumerated() {
        let order = NSEntityDescription.insertNewObject(forEntityName: "Order", into: context)
        order["date"] = Date(timeIntervalSinceReferenceDate: seconds)
        order["total"] = [Decimal(12), Decimal(string: "3.3333333332999993"), nil][number]
        order["receipt"] = Data([1, 2, UInt8(number)])
        order["customer"] = customer
      }
      try context.save()
      let run = try Tool.run(
        "store", "export", store, "--format", format, "--output", "tables", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      for entity in ["Customer", "Order"] {
        let fetched = try Tool.run("store", "fetch", store, entity, "--format", format, in: folder)
        #expect(fetched.status == 0, "\(fetched.errors)")
        let table = folder.appendingPathComponent("tables/\(entity).\(format)")
        #expect(try fetched.text == String(contentsOf: table, encoding: .utf8))
      }
      let table = try Tool.run("store", "fetch", store, "Order", "--sort", "date", in: folder)
      #expect(
        table.text.split(separator: "\n").map { $0.split(separator: " ").prefix(3) }
          == [
            ["object", "customer", "date"],
            ["Order/p3", "Customer/p1", "2000-12-31T23:59:57Z"],
            ["Order/p1", "Customer/p1", "2001-01-01T00:00:00.5Z"],
            ["Order/p2", "Customer/p1", "2023-03-08T20:26:40.123Z"],
          ], "\(table.text)")
    }
  }

  @Test func aSoundStoreChecksWithoutAWord() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let before = try TemporaryFolder.contents(of: folder)
      let run = try Tool.run("store", "check", store, "--strict")
      #expect(run.status == 0)
      #expect(run.text.isEmpty && run.errors.isEmpty, "\(run.text)")
      #expect(try TemporaryFolder.contents(of: folder) == before)
    }
  }

  @Test func findingsAreLinesAndAStatus() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      try SQLiteConnection(writing: URL(fileURLWithPath: store), creation: .existing).execute(
        "UPDATE Z_PRIMARYKEY SET Z_MAX = 0 WHERE Z_NAME = 'Party'; "
          + "UPDATE Z_PRIMARYKEY SET Z_NAME = 'Purchase' WHERE Z_NAME = 'Order'")
      let run = try Tool.run("store", "check", "shop.sqlite", in: folder)
      #expect(run.status == 1)
      #expect(
        run.text == """
          shop.sqlite: warning: [entity-name] Order: Z_PRIMARYKEY calls entity 1 'Purchase'
          shop.sqlite: error: [key-counter] Party: keys exceed the last one assigned, 0 \
          (1 row: 1)

          """)
      let warnings = try Tool.run("store", "check", store, "--only", "entity-name")
      #expect(warnings.status == 0)
      #expect(warnings.text.split(separator: "\n").count == 1)
      #expect(
        try Tool.run("store", "check", store, "--only", "entity-name", "--strict").status == 1)
      #expect(try Tool.run("store", "check", store, "--skip", "key-counter").status == 0)
      let json = try Tool.run("store", "check", store, "--format", "json")
      #expect(json.status == 1)
      let document = try #require(
        try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
      #expect((document["findings"] as? [[String: Any]])?.count == 2)
    }
  }

  @Test func aStoreIsCheckedAgainstAnotherModel() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let other = NSManagedObjectModel()
      let entity = entity("Other")
      other.entities = [entity]
      let model = folder.appendingPathComponent("other.mom")
      try other.write(to: model)
      let run = try Tool.run("store", "check", store, "--model", model.path)
      #expect(run.status == 1)
      #expect(run.text.contains("[version-hashes] Customer: the model has no such entity"))
    }
  }

  @Test func theRulesAreListed() throws {
    let run = try Tool.run("store", "check", "--list-rules")
    #expect(run.status == 0)
    #expect(run.text.split(separator: "\n").count == StoreFinding.Rule.allCases.count)
    #expect(try Tool.run("store", "check").status == 64)
    #expect(try Tool.run("store", "check", "gone.sqlite").status == 2)
  }

  @Test func objectsAreExported() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let before = try TemporaryFolder.contents(of: folder)
      let lines = try Tool.run("store", "export", store, "--format", "jsonl")
      #expect(lines.status == 0 && lines.errors.isEmpty)
      #expect(lines.text.hasPrefix(#"{"@object":"Customer/p1","email":"ada@example.org","id":"#))
      let json = try Tool.run("store", "export", store)
      #expect(try JSONSerialization.jsonObject(with: json.output) is [String: Any])
      #expect(try TemporaryFolder.contents(of: folder) == before)
      let tables = folder.appendingPathComponent("tables")
      let csv = try Tool.run("store", "export", store, "--format", "csv", "-o", tables.path)
      #expect(csv.status == 0 && csv.text.isEmpty)
      #expect(
        try FileManager.default.contentsOfDirectory(atPath: tables.path).sorted()
          == ["Customer.csv", "Order.csv"])
      #expect(try Tool.run("store", "export", store, "--format", "csv").status == 64)
    }
  }

  @Test func historyIsPrinted() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let run = try Tool.run("store", "history", store, "--limit", "1")
      #expect(run.status == 0)
      #expect(
        try
          #/transaction 2  \d{4}-\d\d-\d\dT[0-9:.]+Z  author tests .*\n  update  Customer/p1  name\n/#
          .wholeMatch(in: run.text) != nil, "\(run.text)")
      let json = try Tool.run("store", "history", store, "--format", "json")
      let document = try #require(
        try JSONSerialization.jsonObject(with: json.output) as? [String: Any])
      #expect((document["transactions"] as? [Any])?.count == 2)
      let lines = try Tool.run("store", "history", store, "--format", "jsonl")
      #expect(lines.text.split(separator: "\n").count == 2)
    }
  }

  @Test func viewsArePrintedOrWrittenToACopy() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let before = try Data(contentsOf: URL(fileURLWithPath: store))
      let run = try Tool.run("store", "views", store)
      #expect(run.status == 0)
      #expect(run.text.contains(#"CREATE VIEW "Customer" AS SELECT Z_PK AS "@key""#))
      let copy = folder.appendingPathComponent("views.sqlite")
      #expect(try Tool.run("store", "views", store, "--output", copy.path).status == 0)
      #expect(try Tool.run("store", "views", store, "--output", copy.path).status == 2)
      #expect(
        try SQLiteConnection.reading(copy).text(#"SELECT name || ' ' || id FROM "Party""#)
          == "Ada 00112233-4455-6677-8899-AABBCCDDEEFF")
      #expect(try Data(contentsOf: URL(fileURLWithPath: store)) == before)
    }
  }
}
