import Foundation
import MomKit
import TestSupport
import Testing

@testable import ManagedObjects

/// `momtool store export --format parquet`. What the files hold is checked by Tools/parquet-readers.
@Suite struct StoreColumnsCommandTests {
  /// A store of one entity for each type, with a row of ordinary values, and another with values that SQL assigns.
  private func store(in folder: URL, odd: String = "") throws -> String {
    let item = entity(
      "Item",
      [
        attribute("amount", .decimalAttributeType), attribute("count", .integer16AttributeType),
        attribute("date", .dateAttributeType), attribute("flag", .booleanAttributeType),
        attribute("ratio", .floatAttributeType), attribute("title"),
      ])
    let model = NSManagedObjectModel()
    model.entities = [item]
    let url = folder.appendingPathComponent("items.sqlite")
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url)
    let context = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    for number in 1...2 {
      let object = NSEntityDescription.insertNewObject(forEntityName: "Item", into: context)
      object["amount"] = Decimal(string: "12.5")
      object["count"] = Int16(number)
      object["date"] = Date(timeIntervalSinceReferenceDate: 700_000_000.5)
      object["flag"] = true
      object["ratio"] = Float(0.1)
      object["title"] = "Title"
    }
    try context.save()
    try coordinator.remove(store)
    if !odd.isEmpty {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute("UPDATE ZITEM SET \(odd) WHERE Z_PK = 2")
    }
    return url.path
  }

  private struct Manifest: Decodable {
    struct Entity: Decodable {
      let name: String
      let file: String
      let rows: Int
      let columns: [Column]
      let leftOut: [String]
    }
    struct Column: Decodable {
      let name: String
      let parquetType: String
      let widened: String?
      let roundedDates: Int
    }
    let compression: String
    let entities: [Entity]
  }

  private func manifest(of folder: URL) throws -> Manifest {
    try JSONDecoder().decode(
      Manifest.self, from: Data(contentsOf: folder.appendingPathComponent("manifest.json")))
  }

  @Test func columnsHaveTheModelsTypes() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder)
      let run = try Tool.run(
        "store", "export", store, "--format", "parquet", "--output", "columns", in: folder)
      #expect(run.status == 0 && run.errors.isEmpty, "\(run.errors)")
      let columns = folder.appendingPathComponent("columns")
      let manifest = try manifest(of: columns)
      #expect(manifest.compression == "gzip")
      let entity = try #require(manifest.entities.first)
      #expect(entity.file == "Item.parquet" && entity.rows == 2)
      #expect(
        entity.columns.map { "\($0.name) \($0.parquetType)" } == [
          "_id INT64", "amount DECIMAL(18, 1)", "count INT16", "date TIMESTAMP(MICROS, UTC)",
          "flag BOOLEAN", "ratio FLOAT", "title STRING",
        ])
      #expect(entity.columns.allSatisfy { $0.widened == nil && $0.roundedDates == 0 })
      // The same store gives the same bytes.
      let first = try Data(contentsOf: columns.appendingPathComponent("Item.parquet"))
      _ = try Tool.run(
        "store", "export", store, "--format", "parquet", "--output", "columns", in: folder)
      #expect(try Data(contentsOf: columns.appendingPathComponent("Item.parquet")) == first)
    }
  }

  @Test(arguments: [
    ("ZCOUNT = 70000", "count INT64"), ("ZCOUNT = 'many'", "count JSON"),
    ("ZFLAG = 2", "flag JSON"),
    ("ZRATIO = 0.1", "ratio DOUBLE"), ("ZDATE = 1e15", "date DOUBLE"),
    ("ZDATE = 9e999", "date DOUBLE"),
    ("ZTITLE = x'00'", "title JSON"), ("ZAMOUNT = 1e-30", "amount DECIMAL(38, 30)"),
    ("ZAMOUNT = 1e300", "amount DOUBLE"), ("ZAMOUNT = 'much'", "amount JSON"),
  ])
  func columnsBecomeWiderForValuesThatDoNotFit(odd: String, column: String) throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder, odd: odd)
      let run = try Tool.run(
        "store", "export", store, "--format", "parquet", "--output", "columns", in: folder)
      #expect(run.status == 0, "\(run.errors)")
      let entity = try #require(
        manifest(of: folder.appendingPathComponent("columns")).entities.first)
      #expect(entity.columns.map { "\($0.name) \($0.parquetType)" }.contains(column))
      let isWidened = !column.contains("DECIMAL")
      #expect(entity.columns.contains { $0.widened != nil } == isWidened)
      #expect(run.errors.contains("Item.\(column.split(separator: " ")[0]) is") == isWidened)
    }
  }

  @Test func datesThatLoseDigitsAreCounted() throws {
    try Tool.withTemporaryFolder { folder in
      let store = try store(in: folder, odd: "ZDATE = 700000000.1234567")
      for (dates, count) in [("micros", 1), ("nanos", 0)] {
        let run = try Tool.run(
          "store", "export", store, "--format", "parquet", "--dates", dates, "--output", dates,
          in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let entity = try #require(manifest(of: folder.appendingPathComponent(dates)).entities.first)
        #expect(entity.columns.map(\.roundedDates).reduce(0, +) == count)
      }
    }
  }

  @Test func toManyRelationshipsAreColumnsOnRequest() throws {
    try Tool.withTemporaryFolder { folder in
      let made = try Tool.run(
        "store", "create", Corpus.packageRoot.appendingPathComponent("TestArchives/Shop.momd").path,
        "shop.sqlite", in: folder)
      #expect(made.status == 0, "\(made.errors)")
      for isRequested in [false, true] {
        let run = try Tool.run(
          arguments: [
            "store", "export", "shop.sqlite", "--format", "parquet", "--output", "columns",
          ]
            + (isRequested ? ["--to-many"] : []), in: folder)
        #expect(run.status == 0, "\(run.errors)")
        let customer = try #require(
          manifest(of: folder.appendingPathComponent("columns")).entities.first {
            $0.name == "Customer"
          })
        #expect(customer.leftOut.isEmpty == isRequested)
        #expect(customer.columns.contains { $0.parquetType.hasPrefix("LIST") } == isRequested)
      }
    }
  }

  @Test func optionsOfParquetAreForParquet() throws {
    try Tool.withTemporaryFolder { folder in
      let run = try Tool.run("store", "export", "x.sqlite", "--to-many", in: folder)
      #expect(run.status == 64)
      #expect(run.errors.contains("--to-many is for --format parquet."))
      let other = try Tool.run("store", "export", "x.sqlite", "--format", "parquet", in: folder)
      #expect(other.status == 64)
    }
  }
}
