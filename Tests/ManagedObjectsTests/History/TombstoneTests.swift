import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// The values of deleted objects preserved in history are the same whoever deletes them.
@Suite struct TombstoneTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open() throws -> NSManagedObjectContext {
    let thing = entity("Thing")
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    let picture = attribute("picture", .transformableAttributeType)
    thing.properties = [
      attribute("text", .stringAttributeType), attribute("exact", .decimalAttributeType),
      attribute("uuid", .UUIDAttributeType), attribute("uri", .URIAttributeType),
      attribute("date", .dateAttributeType), attribute("flag", .booleanAttributeType), data,
      picture,
    ]
    for case let attribute as NSAttributeDescription in thing.properties {
      attribute.preservesValueInHistoryOnDeletion = true
    }
    return try TestStore.open(
      folder.file("store.sqlite"), NSManagedObjectModel(of: [thing]),
      options: [NSPersistentHistoryTrackingKey: true])
  }

  private func tombstones(_ context: NSManagedObjectContext) throws -> [[AnyHashable: Any]] {
    let request = NSPersistentHistoryChangeRequest.fetchHistory(after: Date.distantPast)
    let result = try context.execute(request) as? NSPersistentHistoryResult
    let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
    return transactions.flatMap { $0.changes ?? [] }.compactMap(\.tombstone)
  }

  // The first byte of a value that may be external is a tag; tests values that begin with the same byte.
  @Test(
    arguments: [
      Data(), Data([1]), Data([2]), Data([1, 2, 3]), Data([2, 65, 0]),
      Data(repeating: 2, count: 150_000), Data(repeating: 1, count: 150_000),
    ], [false, true])
  func valuesAreKeptWhoeverDeletes(data: Data, isBatch: Bool) throws {
    let context = try open()
    let uuid = UUID()
    let values: [String: Any] = [
      "text": "words", "exact": Decimal(string: "12.5") as Any, "uuid": uuid,
      "uri": URL(string: "https://example.com/a") as Any,
      "date": Date(timeIntervalSinceReferenceDate: 17.25), "flag": true, "data": data,
      "picture": ["size": 3] as NSDictionary,
    ]
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    for (key, value) in values { thing.setValue(value, forKey: key) }
    try context.save()
    if isBatch {
      context.reset()
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Thing")
      try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    } else {
      context.delete(thing)
      try context.save()
    }
    let found = try tombstones(context)
    let tombstone = try #require(found.first)
    #expect(found.count == 1)
    #expect(tombstone["text"] as? String == "words")
    #expect(tombstone["exact"] as? Decimal == Decimal(string: "12.5"))
    #expect(tombstone["uuid"] as? UUID == uuid)
    #expect(tombstone["uri"] as? URL == URL(string: "https://example.com/a"))
    #expect(tombstone["date"] as? Date == Date(timeIntervalSinceReferenceDate: 17.25))
    #expect(tombstone["flag"] as? Bool == true)
    #expect(tombstone["data"] as? Data == data)
    #expect(tombstone["picture"] as? NSDictionary == ["size": 3])
    // No external file is left without a row.
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA").path
    #expect((try? FileManager.default.contentsOfDirectory(atPath: files))?.isEmpty ?? true)
  }

  // Listings show the values as those of rows.
  @Test func listingsHaveTheValuesOfTheirTypes() throws {
    let context = try open()
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    let uuid = UUID()
    let values: [String: Any] = [
      "text": "words", "exact": Decimal(string: "12.5") as Any, "uuid": uuid,
      "date": Date(timeIntervalSinceReferenceDate: 17.25), "flag": true,
      "data": Data([1, 2, 3]),
    ]
    for (key, value) in values { thing.setValue(value, forKey: key) }
    try context.save()
    context.delete(thing)
    try context.save()
    let model = try #require(context.persistentStoreCoordinator?.managedObjectModel)
    let listing = try StoreHistoryListing(
      folder.file("store.sqlite"), model: model, framework: nil)
    let change = try #require(listing.transactions?.last?.changes.last)
    #expect(
      Dictionary(uniqueKeysWithValues: change.tombstone.map { ($0.name, $0.value.json) }) == [
        "text": #""words""#, "exact": "12.5", "uuid": "\"\(uuid.uuidString)\"",
        "date": #""2001-01-01T00:00:17.25Z""#, "flag": "true", "data": #""AQID""#,
      ])
  }

  // Values that another framework may have written: neither tagged nor the name of a file.
  @Test func bytesWithoutAMarkLeaveHistoryReadable() throws {
    let context = try open()
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    thing.setValue("words", forKey: "text")
    try context.save()
    let kept = HistoryWriter.tombstoneProperties(of: thing.objectID.layout)
    let column = try #require(kept.firstIndex { $0.name == "data" })
    context.delete(thing)
    try context.save()
    let connection = try SQLiteConnection(
      writing: folder.file("store.sqlite"), creation: .existing)
    try connection.execute(
      "UPDATE ACHANGE SET ZTOMBSTONE\(column) = x'02FF' WHERE ZCHANGETYPE = 2")
    let tombstone = try #require(try tombstones(context).first)
    #expect(tombstone["data"] as? Data == Data([2, 255]))
    #expect(tombstone["text"] as? String == "words")
  }

  // A value of another type than the attribute's.
  @Test func aValueOfAnotherTypeIsLeftOut() throws {
    let context = try open()
    let thing = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: context)
    thing.setValue("words", forKey: "text")
    thing.setValue(true, forKey: "flag")
    try context.save()
    let kept = HistoryWriter.tombstoneProperties(of: thing.objectID.layout)
    let column = try #require(kept.firstIndex { $0.name == "flag" })
    context.delete(thing)
    try context.save()
    let connection = try SQLiteConnection(
      writing: folder.file("store.sqlite"), creation: .existing)
    try connection.execute(
      "UPDATE ACHANGE SET ZTOMBSTONE\(column) = 'perhaps' WHERE ZCHANGETYPE = 2")
    let tombstone = try #require(try tombstones(context).first)
    #expect(tombstone["flag"] == nil)
    #expect(tombstone["text"] as? String == "words")
  }
}
