import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows, history and views of a store with the model's names.
@Suite struct ListingTests {
  private static let dates: [(Double, String)] = [
    (0, "2001-01-01T00:00:00Z"), (-0.5, "2000-12-31T23:59:59.5Z"),
    (700_000_000.25, "2023-03-08T20:26:40.25Z"), (5_097_599, "2001-02-28T23:59:59Z"),
    (-978_307_200, "1970-01-01T00:00:00Z"), (252_423_993_600, "10000-01-01T00:00:00Z"),
    (699_321_600, "2023-03-01T00:00:00Z"), (1e300, "1e+300"),
  ]

  @Test(arguments: dates)
  func datesAreWrittenInFull(seconds: Double, text: String) {
    #expect(DateText.iso8601(seconds) == text)
  }

  @Test func datesAgreeWithFoundation() {
    var generator = SeededGenerator(seed: 7)
    for _ in 0..<500 {
      let seconds = Double(Int.random(in: -60_000_000_000...60_000_000_000, using: &generator))
      let expected = Date(timeIntervalSinceReferenceDate: seconds).formatted(.iso8601)
      // Foundation uses the Julian calendar before 1582.
      guard seconds > -13_000_000_000 else { continue }
      #expect(DateText.iso8601(seconds) == expected)
    }
  }

  @Test func linesHoldEveryValue() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    let before = try folder.contents()
    let text = try export(url, .jsonl)
    let lines = text.split(separator: "\n").map(String.init)
    #expect(lines.count == 9)
    #expect(
      lines.first
        == #"{"@object":"Club/p1","fee":12.5,"members":["Person/p2","Person/p3"],"name":"Chess","#
        + #""topics":["Topic/p1","Topic/p2"]}"#)
    #expect(
      lines[1]
        == #"{"@object":"Firm/p1","founded":"2000-12-31T23:59:59.5Z","name":"Acme","size":2,"#
        + #""staff":["Person/p2","Person/p3"],"students":["Person/p2"]}"#)
    let ada = try #require(lines.first { $0.contains("Ada") })
    #expect(
      ada
        == #"{"@object":"Person/p2","age":37,"clubs":["Club/p1"],"#
        + #""code":"0F9619FF-8B86-D011-B42D-00C04FC964FF","employer":"Firm/p1","isActive":true,"#
        + #""mentor":"Firm/p1","name":"Ada, \"the\" first","passport":"Passport/p1","#
        + #""picture":"AQID","students":["Person/p3"]}"#)
    let picture = Data(repeating: 7, count: 150_000).base64EncodedString()
    #expect(lines.contains { $0.contains("\"picture\":\"\(picture)\"") })
    #expect(try export(url, .jsonl) == text)
    #expect(try folder.contents() == before)
  }

  @Test func jsonIsOneDocument() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    let text = try export(url, .json)
    let document = try #require(
      try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
    let entities = try #require(document["entities"] as? [String: [[String: Any]]])
    #expect(
      entities.mapValues(\.count)
        == ["Club": 1, "Firm": 1, "Passport": 2, "Person": 2, "Tag": 1, "Topic": 2])
    #expect(document["schemaVersion"] as? Int == 1)
  }

  @Test func tablesAreWrittenOneByOne() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    var tables: [String: String] = [:]
    try StoreExport(rows(url), as: .csv).writeEach { name, write in
      try write { tables[name, default: ""] += String(decoding: $0, as: UTF8.self) }
    }
    #expect(tables["Tag"] == "object,name\r\nTag/p1,red\r\n")
    #expect(tables["Topic"]?.hasPrefix("object,club,text\r\nTopic/p1,Club/p1,second\r\n") == true)
    #expect(tables["Person"]?.contains("\"Ada, \"\"the\"\" first\"") == true)
    #expect(tables["Person"]?.contains("\"Bob\nB\"") == true)
    #expect(tables["Club"]?.contains("Person/p2 Person/p3") == true)
  }

  @Test func aMissingExternalFileIsToldAndListedAsNull() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    try FileManager.default.removeItem(at: folder.file(".club_SUPPORT"))
    let rows = try rows(url)
    var text = ""
    try StoreExport(rows, as: .jsonl).write { text += String(decoding: $0, as: UTF8.self) }
    #expect(rows.problems.count == 1)
    #expect(rows.problems.first?.hasPrefix("Person.picture of the row 3: ") == true)
    #expect(text.contains("\"picture\":null"))
  }

  @Test func historyHasNames() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    let listing = try StoreHistoryListing(url, model: ClubModel.make(), framework: nil)
    let transactions = try #require(listing.transactions)
    #expect(transactions.map(\.author) == ["tests", "tests"])
    #expect(transactions.first?.changes.count == 10)
    let last = try #require(transactions.last)
    #expect(last.changes.map(\.kind) == ["update", "delete"])
    #expect(last.changes.map(\.object) == ["Person/p2", "Tag/p2"])
    #expect(last.changes.first?.properties == ["age"])
  }

  /// The first stores with history had no table of strings, and no references to them.
  @Test(arguments: [false, true]) func historyOfOldStoresIsRead(hasReferences: Bool) throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute(
        "UPDATE ATRANSACTION SET ZAUTHOR = 'old'; DROP TABLE ATRANSACTIONSTRING")
      for name in hasReferences ? [] : ["ZAUTHOR", "ZBUNDLEID", "ZCONTEXTNAME", "ZPROCESSID"] {
        try connection.execute(
          "DROP INDEX ATRANSACTION_\(name)TS_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN \(name)TS")
      }
    }
    let listing = try StoreHistoryListing(url, model: ClubModel.make(), framework: nil)
    #expect(listing.transactions?.map(\.author) == ["old", "old"])
    #expect(listing.transactions?.map(\.process) == [nil, nil])
    let context = try TestStore.open(
      url, ClubModel.make(), options: [NSReadOnlyPersistentStoreOption: true])
    let result = try context.execute(
      NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast))
    let found = (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction]
    #expect(found?.map(\.author) == ["old", "old"])
    #expect(found?.first?.changes?.count == 10)
  }

  @Test func aStoreWithoutHistoryHasNone() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    _ = try TestStore.coordinator(ClubModel.make(), at: url)
    #expect(
      try StoreHistoryListing(url, model: ClubModel.make(), framework: nil).transactions == nil)
  }

  @Test func viewsShowTheModelsNames() throws {
    let folder = try TemporaryFolder()
    let (url, copy) = (folder.file("club.sqlite"), folder.file("views.sqlite"))
    try ClubModel.fill(url)
    let before = try folder.contents()
    let views = try StoreViews(model: ClubModel.make(), framework: nil)
    try views.write(copyOf: url, to: copy)
    var after = try folder.contents()
    #expect(after.removeValue(forKey: "views.sqlite") != nil)
    #expect(after == before)
    let connection = try SQLiteConnection.reading(copy)
    #expect(
      try connection.text(
        #"SELECT group_concat(name, ', ') FROM (SELECT * FROM "Party" ORDER BY 1)"#)
        == "Acme, Ada, \"the\" first, Bob\nB")
    #expect(
      try connection.text(#"SELECT group_concat("@entity") FROM "Party""#) == "Firm,Person,Person")
    #expect(
      try connection.text(#"SELECT founded FROM "Firm""#) == "2000-12-31T23:59:59.500Z")
    #expect(
      try connection.text(#"SELECT code FROM "Person" WHERE age = 37"#)
        == "0F9619FF-8B86-D011-B42D-00C04FC964FF")
    #expect(
      try connection.integer(
        #"SELECT count(*) FROM "Person" p JOIN "Firm" f ON p.employer = f."@key""#) == 2)
    #expect(try connection.integer(#"SELECT count(*) FROM "Club.members""#) == 2)
    #expect(try StoreCheck.findings(at: copy).allSatisfy { $0.rule == .externalMissing })
  }

  /// With three digits of the fraction, cut off as if the rest weren't there; years without a text are numbers.
  @Test func viewsShowEveryDate() throws {
    let folder = try TemporaryFolder()
    let (url, copy) = (folder.file("firms.sqlite"), folder.file("views.sqlite"))
    let model = NSManagedObjectModel(of: [
      entity("Firm", [attribute("founded", .dateAttributeType)])
    ])
    let context = try TestStore.open(url, model)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Firm", into: context)
    try context.save()
    try TestStore.close(context)
    try StoreViews(model: model, framework: nil).write(copyOf: url, to: copy)
    let connection = try SQLiteConnection(writing: copy, creation: .existing)
    #expect(try connection.text(#"SELECT founded FROM "Firm""#) == nil)
    for (seconds, shown) in [
      ("0", "2001-01-01T00:00:00.000Z"), ("59.9996", "2001-01-01T00:00:59.999Z"),
      ("700000000.123", "2023-03-08T20:26:40.123Z"), ("-0.0004", "2000-12-31T23:59:59.999Z"),
      ("252423993599.5", "9999-12-31T23:59:59.500Z"), ("252423993600", "252423993600"),
    ] {
      try connection.execute("UPDATE ZFIRM SET ZFOUNDED = \(seconds)")
      let text = try connection.text(#"SELECT CAST(founded AS TEXT) FROM "Firm""#)
      #expect(text == shown)
    }
  }

  /// Of a table with a single entity, Core Data reads no entity numbers.
  @Test func viewsShowRowsWithAnotherEntitysNumber() throws {
    let folder = try TemporaryFolder()
    let (url, copy) = (folder.file("firms.sqlite"), folder.file("views.sqlite"))
    let model = NSManagedObjectModel(of: [entity("Firm", [attribute("name")])])
    let context = try TestStore.open(url, model)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Firm", into: context)
    try context.save()
    try TestStore.close(context)
    try SQLiteConnection(writing: url, creation: .existing).execute("UPDATE ZFIRM SET Z_ENT = 77")
    try StoreViews(model: model, framework: nil).write(copyOf: url, to: copy)
    #expect(try SQLiteConnection.reading(copy).integer(#"SELECT count(*) FROM "Firm""#) == 1)
  }

  /// SQLite knows no capitals beyond ASCII, and Swift's for `ß` is `SS`.
  @Test func columnsAreFoundByTheirNamesInTheFile() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("boxes.sqlite")
    let model = NSManagedObjectModel(of: [
      entity("Box", [attribute("größe", .integer16AttributeType)])
    ])
    let context = try TestStore.open(url, model)
    let box = NSEntityDescription.insertNewObject(forEntityName: "Box", into: context)
    box.setValue(3, forKey: "größe")
    try context.save()
    try TestStore.close(context)
    let rows = try StoreRows(url, model: model, framework: nil, keepsGoing: true)
    #expect(StoreStatistics(rows).entities.first?.attributes.map(\.name) == ["größe"])
    var text = ""
    try StoreExport(rows, as: .jsonl).write { text += String(decoding: $0, as: UTF8.self) }
    #expect(text == #"{"@object":"Box/p1","größe":3}"# + "\n")
    #expect(rows.problems.isEmpty)
  }

  private func rows(_ url: URL) throws -> StoreRows {
    try StoreRows(url, model: ClubModel.make(), framework: nil)
  }

  private func export(_ url: URL, _ format: StoreExport.Format) throws -> String {
    var text = ""
    try StoreExport(rows(url), as: format).write { text += String(decoding: $0, as: UTF8.self) }
    return text
  }
}

/// Every real store is listed completely, without being changed.
@Suite(.enabled(if: Corpus.isPresent, Corpus.absence)) struct CorpusListingTests {
  @Test(arguments: CorpusSchemaTests.withModel)
  func realStoresAreListed(store: Corpus.File) throws {
    let folder = store.url.deletingLastPathComponent()
    let before = try TemporaryFolder.contents(of: folder)
    let model = try #require(try CorpusStore.model(of: store))
    let rows = try StoreRows(store.url, model: model, framework: nil)
    let expected = try rows.entities.reduce(0) { try $0 + rows.count(of: $1) }
    var lines = 0
    try StoreExport(rows, as: .jsonl).write { piece in
      for line in piece.split(separator: UInt8(ascii: "\n")) {
        lines += 1
        if lines % 50 == 1 { _ = try JSONSerialization.jsonObject(with: Data(line)) }
      }
    }
    #expect(lines == expected)
    let scratch = try TemporaryFolder()
    let copy = scratch.file("views.sqlite")
    try StoreViews(model: model, framework: nil).write(copyOf: store.url, to: copy)
    let connection = try SQLiteConnection.reading(copy)
    for entity in rows.entities {
      let view = "\"\(entity.name)\""
      #expect(
        try connection.integer("SELECT count(*) FROM \(view)")
          == connection.integer(
            "SELECT count(*) FROM \(entity.table) WHERE Z_ENT BETWEEN \(entity.number) "
              + "AND \(entity.lastNumber)"))
    }
    _ = try StoreHistoryListing(store.url, model: model, framework: nil)
    #expect(try TemporaryFolder.contents(of: folder) == before)
  }
}
