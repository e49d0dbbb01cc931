import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Opening for reading changes nothing on disk.
@Suite struct ReadingTests {
  @Test(.enabled(if: Corpus.isPresent, Corpus.absence), arguments: CorpusStore.all)
  func realStoresStayByteEqual(store: Corpus.File) throws {
    let folder = store.url.deletingLastPathComponent()
    let before = try TemporaryFolder.contents(of: folder)
    do {
      let connection = try SQLiteConnection.reading(store.url)
      #expect(try (connection.integer("SELECT count(*) FROM Z_PRIMARYKEY") ?? 0) > 0)
      #expect(throws: SQLiteError.self) { try connection.execute("CREATE TABLE t (a)") }
    }
    #expect(try TemporaryFolder.contents(of: folder) == before)
  }

  /// A writer that ended without merging its log: the content is only in the `-wal`.
  @Test func unmergedContentIsRead() throws {
    let folder = try TemporaryFolder()
    let live = folder.file("live.sqlite")
    let writer = try SQLiteConnection(writing: live, creation: .ifMissing)
    try writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
    let left = folder.file("left.sqlite")
    for suffix in ["", "-wal"] {
      try FileManager.default.copyItem(atPath: live.path + suffix, toPath: left.path + suffix)
    }
    let before = try folder.contents()
    do {
      #expect(try StoreReadingPlan(for: left.path) == .copy(companions: ["-wal"]))
      #expect(try SQLiteConnection.reading(left).integer("SELECT a FROM t") == 7)
    }
    #expect(try folder.contents() == before)
    withExtendedLifetime(writer) {}
  }

  /// A writer that crashed in a transaction: what it has written to the file is taken back from its journal, in a copy.
  @Test func whatACrashHasLeftIsTakenBack() throws {
    let folder = try TemporaryFolder()
    let live = folder.file("live.sqlite")
    let writer = try SQLiteConnection(writing: live, creation: .ifMissing)
    try writer.execute(
      "PRAGMA journal_mode=delete; PRAGMA cache_size=5; CREATE TABLE t (a, b);"
        + "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 200) "
        + "INSERT INTO t SELECT 7, randomblob(1000) FROM n")
    try writer.execute("BEGIN; UPDATE t SET a = 8")
    let left = folder.file("left.sqlite")
    for suffix in ["", "-journal"] {
      try FileManager.default.copyItem(atPath: live.path + suffix, toPath: left.path + suffix)
    }
    let before = try TemporaryFolder.contents(of: folder.url)
    do {
      #expect(try StoreReadingPlan(for: left.path) == .copy(companions: ["-journal"]))
      let reader = try SQLiteConnection.reading(left)
      #expect(try reader.integer("SELECT count(*) FROM t WHERE a = 7") == 200)
    }
    #expect(try TemporaryFolder.contents(of: folder.url) == before)
    try writer.execute("ROLLBACK")
  }

  /// A journal that is kept for the next transaction has nothing to take back.
  @Test func aJournalThatIsKeptNeedsNoCopy() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("kept.sqlite")
    do {
      let writer = try SQLiteConnection(writing: url, creation: .ifMissing)
      try writer.execute(
        "PRAGMA journal_mode=persist; CREATE TABLE t (a); INSERT INTO t VALUES (3)")
    }
    #expect(FileManager.default.fileExists(atPath: url.path + "-journal"))
    #expect(try StoreReadingPlan(for: url.path) == .shared)
    #expect(try SQLiteConnection.reading(url).integer("SELECT a FROM t") == 3)
  }

  @Test func aFileThatIsBeingWrittenIsSharedAndStaysOpen() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("live.sqlite")
    let writer = try SQLiteConnection(writing: url, creation: .ifMissing)
    try writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t (a)")
    let reader = try SQLiteConnection.reading(url)
    try writer.execute("INSERT INTO t VALUES (1)")
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
  }

  @Test func oddPathsAreEscaped() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("50% ? #1 ü.sqlite")
    do {
      let writer = try SQLiteConnection(writing: url, creation: .ifMissing)
      try writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t (a); INSERT INTO t VALUES (3)")
    }
    #expect(try StoreReadingPlan(for: url.path) == .immutable)
    #expect(try SQLiteConnection.reading(url).integer("SELECT a FROM t") == 3)
  }

  /// A store without its external files, with a log that hasn't been merged: looking for the files must not open the
  /// store in another way.
  @Test(arguments: [false, true]) func missingFilesLeaveAStoreAsItIs(hasLog: Bool) throws {
    let folder = try TemporaryFolder()
    let thing = entity("Thing")
    let data = attribute("data", .binaryDataAttributeType)
    data.allowsExternalBinaryDataStorage = true
    thing.properties = [data]
    let model = NSManagedObjectModel(of: [thing])
    let live = folder.file("live.sqlite")
    let writer = try TestStore.open(live, model)
    let object = NSEntityDescription.insertNewObject(forEntityName: "Thing", into: writer)
    object.setValue(Data(repeating: 7, count: 150_000), forKey: "data")
    try writer.save()
    let place = folder.file("copy")
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: true)
    let left = place.appendingPathComponent("left.sqlite")
    if !hasLog { try TestStore.close(writer) }
    for suffix in hasLog ? ["", "-wal"] : [""] {
      try FileManager.default.copyItem(atPath: live.path + suffix, toPath: left.path + suffix)
    }
    let before = try TemporaryFolder.contents(of: place)
    do {
      let context = try TestStore.open(
        left, model, options: [NSReadOnlyPersistentStoreOption: true])
      let found = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Thing"))
      #expect(found.count == 1)
      #expect(found.first?.value(forKey: "data") == nil)
      try TestStore.close(context)
    }
    #expect(try TemporaryFolder.contents(of: place) == before)
    withExtendedLifetime(writer) {}
  }
}
