import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Options for opening stores.
@Suite struct StoreOptionTests {
  private let folder: TemporaryFolder
  private let store: URL

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("store.sqlite")
  }

  @Test func pragmasAreSet() throws {
    let pragmas: [String: Any] = [
      "journal_mode": "DELETE", "page_size": 8192, "cache_size": "-500",
    ]
    let coordinator = try Library.coordinator(store, options: [NSSQLitePragmasOption: pragmas])
    let context = TestStore.context(coordinator)
    _ = Library.new("Tag", ["name": "a"], in: context)
    try context.save()
    let engine = try #require(
      try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    #expect(try engine.connection.text("PRAGMA journal_mode") == "delete")
    #expect(try engine.connection.integer("PRAGMA page_size") == 8192)
    #expect(try engine.connection.integer("PRAGMA cache_size") == -500)
    #expect(!FileManager.default.fileExists(atPath: store.path + "-wal"))
  }

  @Test(arguments: ["1; DROP TABLE Z_METADATA", "a b", ""])
  func aPragmaOfMoreThanAWordIsRefused(_ value: String) throws {
    #expect(throws: NSError.self) {
      try Library.coordinator(store, options: [NSSQLitePragmasOption: ["cache_size": value]])
    }
  }

  @Test func analyzeAndVacuumRun() throws {
    let first = TestStore.context(try Library.coordinator(store))
    for number in 0..<2000 { _ = Library.new("Tag", ["name": "\(number)"], in: first) }
    try first.save()
    try first.execute(
      NSBatchDeleteRequest(fetchRequest: NSFetchRequest<NSFetchRequestResult>(entityName: "Tag")))
    let options = [NSSQLiteAnalyzeOption: true, NSSQLiteManualVacuumOption: true]
    let coordinator = try Library.coordinator(store, options: options)
    let engine = try #require(
      try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    #expect(try engine.connection.integer("PRAGMA freelist_count") == 0)
    #expect(try engine.connection.hasTable("sqlite_stat1"))
  }

  @Test func aReadOnlyStoreIsReadAndNotWritten() throws {
    let writer = TestStore.context(try Library.coordinator(store))
    _ = Library.new("Tag", ["name": "a"], in: writer)
    try writer.save()
    let context = TestStore.context(
      try Library.coordinator(store, options: [NSReadOnlyPersistentStoreOption: true]))
    let tag = try #require(try Library.all("Tag", in: context).first)
    tag["name"] = "b"
    #expect(throws: NSError.self) { try context.save() }
    #expect(throws: NSError.self) {
      try context.execute(NSBatchInsertRequest(entityName: "Tag", objects: [["name": "c"]]))
    }
    let update = NSBatchUpdateRequest(entityName: "Tag")
    update.propertiesToUpdate = ["name": "d"]
    #expect(throws: NSError.self) { try context.execute(update) }
  }

  @Test func aMirroredStoreIsReadOnlyUnlessTold() throws {
    // Such a store has a history, too.
    _ = try Library.coordinator(store, options: [NSPersistentHistoryTrackingKey: true])
    let connection = try SQLiteConnection(writing: store, creation: .existing)
    try connection.execute("CREATE TABLE ANSCKRECORDMETADATA (Z_PK INTEGER PRIMARY KEY)")
    let untold = TestStore.context(try Library.coordinator(store))
    #expect(untold.persistentStoreCoordinator?.persistentStores[0].isReadOnly == true)
    _ = Library.new("Tag", ["name": "a"], in: untold)
    let error = #expect(throws: NSError.self) { try untold.save() }
    #expect(
      error?.localizedDescription.contains("open it with MomKitWritesMirroredStoresOption") == true)
    try connection.execute("DROP TABLE ACHANGE; DROP TABLE ATRANSACTION")
    let told = try Library.coordinator(store, options: [MomKitWritesMirroredStoresOption: true])
    #expect(!told.persistentStores[0].isReadOnly)
  }

  @Test func aLockedStoreGivesUpInTime() throws {
    let context = TestStore.context(
      try Library.coordinator(store, options: [NSPersistentStoreTimeoutOption: 0.2]))
    let other = try SQLiteConnection(writing: store, creation: .existing)
    try other.execute("BEGIN IMMEDIATE")
    _ = Library.new("Tag", ["name": "a"], in: context)
    let start = Date()
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(Date().timeIntervalSince(start) < 20)
    try other.execute("ROLLBACK")
    try context.save()
  }
}
