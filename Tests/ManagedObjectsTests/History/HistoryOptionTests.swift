import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores with history that are opened without history tracking: read-only, as in Core Data ("Forcing into Read Only
/// mode"), so that nothing is saved that readers of the history would miss.
@Suite struct HistoryOptionTests {
  private let folder: TemporaryFolder
  private let file: URL
  private let model: NSManagedObjectModel

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("a.sqlite")
    model = SmallModel.model(SmallModel.entity("Note", [SmallModel.text("name")]))
    let context = SmallModel.context(try coordinator(history: true))
    SmallModel.new("Note", ["name": "one"], in: context)
    try context.save()
  }

  private func coordinator(history: Bool) throws -> NSPersistentStoreCoordinator {
    try SmallModel.coordinator(
      model, file, options: history ? [NSPersistentHistoryTrackingKey: true as NSNumber] : nil)
  }

  @Test func aStoreWithHistoryIsReadOnlyWithoutTheOption() throws {
    let context = SmallModel.context(try coordinator(history: false))
    let store = try #require(context.persistentStoreCoordinator?.persistentStores.first)
    #expect(store.isReadOnly)
    let note = try #require(try SmallModel.all("Note", context).first)
    note["name"] = "changed"
    let update = #expect(throws: NSError.self) { try context.save() }
    #expect(update?.code == NSPersistentStoreSaveError)
    #expect(update?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true)
    context.rollback()
    SmallModel.new("Note", in: context)
    let insert = #expect(throws: NSError.self) { try context.save() }
    #expect(insert?.code == NSPersistentStoreSaveError)
    #expect(insert?.localizedDescription.contains("NSPersistentHistoryTrackingKey") == true)
    #expect(throws: NSError.self) {
      try context.execute(NSBatchInsertRequest(entityName: "Note", objects: [["name": "b"]]))
    }
  }

  @Test func aHistoryThatWasDeletedIsNone() throws {
    let keeping = SmallModel.context(try coordinator(history: true))
    try keeping.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: Date.distantFuture))
    let context = SmallModel.context(try coordinator(history: false))
    #expect(context.persistentStoreCoordinator?.persistentStores.first?.isReadOnly == false)
    SmallModel.new("Note", ["name": "two"], in: context)
    try context.save()
    #expect(try SQLiteConnection.reading(file).integer("SELECT count(*) FROM ACHANGE") == 0)
    #expect(
      try SmallModel.all("Note", SmallModel.context(try coordinator(history: true))).count == 2)
  }

  // MARK: Older systems

  /// Makes the history one of a system that had no table of names.
  private func age() throws {
    let connection = try SQLiteConnection(writing: file, creation: .existing)
    let names = ["AUTHOR", "BUNDLEID", "CONTEXTNAME", "PROCESSID"]
    try connection.execute(
      "UPDATE ATRANSACTION SET ZAUTHOR = 'then', ZPROCESSID = 'old'; DROP TABLE ATRANSACTIONSTRING; "
        + "DELETE FROM Z_PRIMARYKEY WHERE Z_ENT = \(HistorySchema.stringNumber)")
    for name in names {
      try connection.execute(
        "DROP INDEX ATRANSACTION_Z\(name)TS_INDEX; ALTER TABLE ATRANSACTION DROP COLUMN Z\(name)TS")
    }
  }

  private func transactions(
    _ context: NSManagedObjectContext
  ) throws -> [NSPersistentHistoryTransaction] {
    let result =
      try context.execute(
        NSPersistentHistoryChangeRequest.fetchHistory(after: nil as NSPersistentHistoryToken?))
      as? NSPersistentHistoryResult
    return try #require(result?.result as? [NSPersistentHistoryTransaction])
  }

  @Test func aHistoryOfAnOlderSystemGoesOn() throws {
    try age()
    let reading = SmallModel.context(try coordinator(history: false))
    #expect(try transactions(reading).map(\.author) == ["then"])
    #expect(try transactions(reading).map(\.processID) == ["old"])
    let listing = try StoreHistoryListing(file, model: model, framework: nil)
    #expect(listing.transactions?.map(\.author) == ["then"])
    try TestStore.close(reading)

    let context = SmallModel.context(try coordinator(history: true))
    context.transactionAuthor = "now"
    SmallModel.new("Note", ["name": "two"], in: context)
    try context.save()
    #expect(try transactions(context).map(\.author) == ["then", "now"])
    #expect(
      try transactions(context).map(\.processID) == ["old", ProcessInfo.processInfo.processName])
    #expect(try StoreChecker(file, model: model).findings() == [])
    try TestStore.close(context)
    #expect(
      try transactions(SmallModel.context(try coordinator(history: false))).map(\.author)
        == ["then", "now"])
  }

  @Test(arguments: [false, true]) func aHistoryOfAnOlderSystemIsMigrated(tracks: Bool) throws {
    try age()
    let next = SmallModel.model(
      SmallModel.entity("Note", [SmallModel.text("name"), SmallModel.number("more")]))
    let options: [AnyHashable: Any] = tracks ? [NSPersistentHistoryTrackingKey: true] : [:]
    let context = try TestStore.open(
      file, next, options: TestStore.migrating.merging(options) { $1 })
    let found = try transactions(context)
    #expect(found.count == 2 && found.first?.author == "then")
    #expect(found.last?.author?.contains("lightweight migration") == true)
    #expect(try StoreChecker(file, model: next).findings() == [])
  }
}
