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
  @Test func aReaderOfALockedStoreGivesUpInTime() throws {
    // Without a log, a writer's lock keeps readers out.
    let writer = TestStore.context(
      try Library.coordinator(store, options: [NSSQLitePragmasOption: ["journal_mode": "DELETE"]]))
    _ = Library.new("Tag", ["name": "a"], in: writer)
    try writer.save()
    let options: [String: Any] = [
      NSReadOnlyPersistentStoreOption: true, NSPersistentStoreTimeoutOption: 0.2,
    ]
    let reader = TestStore.context(try Library.coordinator(store, options: options))
    let other = try SQLiteConnection(writing: store, creation: .existing)
    try other.execute("BEGIN EXCLUSIVE")
    let start = Date()
    let error = #expect(throws: NSError.self) { try Library.all("Tag", in: reader) }
    #expect(error?.code == NSPersistentStoreTimeoutError)
    #expect(throws: NSError.self) { try Library.coordinator(store, options: options) }
    #expect(Date().timeIntervalSince(start) < 20)
    try other.execute("ROLLBACK")
    #expect(try Library.all("Tag", in: reader).count == 1)
  }

  /// A reader of a store with a log opens it anew when it was written.
  @Test func aReaderThatFollowsGivesUpInTime() throws {
    do {
      let coordinator = try Library.coordinator(store)
      try coordinator.remove(coordinator.persistentStores[0])
    }
    let options: [String: Any] = [
      NSReadOnlyPersistentStoreOption: true, NSPersistentStoreTimeoutOption: 0.2,
    ]
    let reader = TestStore.context(try Library.coordinator(store, options: options))
    #expect(try Library.all("Tag", in: reader).isEmpty)
    let other = try SQLiteConnection(writing: store, creation: .existing)
    try other.execute(
      "SELECT * FROM ZTAG; PRAGMA locking_mode=EXCLUSIVE; CREATE TABLE mine (a)")
    let start = Date()
    #expect(throws: NSError.self) { try Library.all("Tag", in: reader) }
    #expect(Date().timeIntervalSince(start) < 20)
    try other.execute("PRAGMA locking_mode=NORMAL; SELECT * FROM mine")
    #expect(try Library.all("Tag", in: reader).isEmpty)
  }

  /// Nobody else can open such a store: neither its readers, nor what copies it.
  @Test(arguments: [false, true], ["WAL", "DELETE"])
  func aStoreForOneConnectionIsReadMovedAndReplaced(isNew: Bool, mode: String) throws {
    if !isNew {
      let coordinator = try Library.coordinator(store)
      try coordinator.remove(coordinator.persistentStores[0])
    }
    let options: [String: Any] = [
      NSSQLitePragmasOption: ["locking_mode": "EXCLUSIVE", "journal_mode": mode],
      NSPersistentStoreTimeoutOption: 2,
    ]
    let coordinator = try Library.coordinator(store, options: options)
    let context = TestStore.context(coordinator)
    func isLocked(_ url: URL) -> Bool {
      let other = try? SQLiteConnection(writing: url, creation: .existing, timeout: 0)
      return (try? other?.integer("SELECT count(*) FROM ZTAG")) == nil
    }
    func save(_ name: String) throws {
      _ = Library.new("Tag", ["name": name], in: context)
      try context.save()
    }
    try save("a")
    #expect(isLocked(store))
    let pinned = TestStore.context(coordinator)
    try pinned.setQueryGenerationFrom(.current)
    #expect(try Library.all("Tag", in: pinned).count == 1)
    #expect(throws: NSError.self) {
      try coordinator.migratePersistentStore(
        coordinator.persistentStores[0], to: folder.file("gone/a.sqlite"), options: options,
        withType: NSSQLiteStoreType)
    }
    try save("b")
    #expect(isLocked(store))
    let new = folder.file("new.sqlite")
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: new, options: options, withType: NSSQLiteStoreType)
    try save("c")
    #expect(!isLocked(store))
    #expect(isLocked(new))
    try coordinator.replacePersistentStore(
      at: store, destinationOptions: options, withPersistentStoreFrom: new,
      ofType: NSSQLiteStoreType)
    try save("d")
    #expect(isLocked(new))
    #expect(try Library.all("Tag", in: TestStore.context(coordinator)).count == 4)
    let copy = TestStore.context(try Library.coordinator(store))
    #expect(try Library.all("Tag", in: copy).count == 3)
  }
}
