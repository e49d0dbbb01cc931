import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Failing files and disks.
extension FailingStoreTests {
  @Test func anEmptyFileBecomesAStore() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try Data().write(to: url)
    let context = try open(url)
    _ = insert("Note", "text", "one", context)
    try context.save()
    #expect(try StoreCheck.findings(at: url) == [])
  }

  @Test func aFolderIsNoStore() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
    for options in [[:], [NSReadOnlyPersistentStoreOption: true]] {
      let error = #expect(throws: NSError.self) { try open(url, options: options) }
      #expect(error?.domain == NSCocoaErrorDomain)
      #expect(error?.code == NSPersistentStoreOpenError)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: url.path).isEmpty)
  }

  @Test func aMissingFolderIsAnError() throws {
    let folder = try TemporaryFolder()
    let error = #expect(throws: NSError.self) { try open(folder.file("none/a.sqlite")) }
    #expect(error?.code == NSPersistentStoreOpenError)
    #expect((error?.userInfo[NSSQLiteErrorDomain] as? NSNumber)?.intValue ?? 0 & 0xFF == 14)
    #expect(try folder.contents().isEmpty)
  }

  /// Here the limit is SQLite's own; `CrashTests` has one imposed by the system.
  @Test func aFullStoreKeepsWhatItHas() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    var count = 0
    do {
      let context = try open(
        url, options: [NSSQLitePragmasOption: NSDictionary(dictionary: ["max_page_count": "40"])])
      let error = #expect(throws: NSError.self) {
        for _ in 0..<1000 {
          _ = insert("Note", "text", String(repeating: "x", count: 2000), context)
          try context.save()
          count += 1
        }
      }
      #expect(error?.code == CocoaError.Code.fileWriteOutOfSpace.rawValue)
      #expect(context.insertedObjects.count == 1)
      // After making room the same save succeeds.
      for note in try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Note")).prefix(5)
      where !note.isInserted { context.delete(note) }
      try context.save()
    }
    #expect(count > 5)
    #expect(
      try open(url).count(for: NSFetchRequest<NSManagedObject>(entityName: "Note"))
        > count - 5)
    #expect(try StoreCheck.findings(at: url) == [])
  }

  @Test func aDamagedPageIsAnErrorAndNothingIsWritten() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    do {
      let context = try open(url)
      for number in 0..<2000 { _ = insert("Note", "text", "text of note \(number)", context) }
      try context.save()
    }
    do {
      let connection = try SQLiteConnection(writing: url, creation: .existing)
      try connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    }
    let root = try #require(
      try SQLiteConnection.reading(url).integer(
        "SELECT rootpage FROM sqlite_master WHERE name = 'ZNOTE'"))
    let handle = try FileHandle(forWritingTo: url)
    try handle.seek(toOffset: UInt64(root - 1) * 4096)
    try handle.write(contentsOf: Data(repeating: 0xAB, count: 4096))
    try handle.close()
    let before = try Data(contentsOf: url)
    let context = try open(url)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Note")
    let error = #expect(throws: NSError.self) { try context.fetch(request) }
    #expect(error?.code == CocoaError.Code.fileReadCorruptFile.rawValue)
    _ = insert("Note", "text", "new", context)
    #expect(throws: NSError.self) { try context.save() }
    #expect(try Data(contentsOf: url) == before)
  }

  @Test func aMissingExternalFileLosesNothingElse() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("club.sqlite")
    try ClubModel.fill(url)
    try FileManager.default.removeItem(at: folder.file(".club_SUPPORT"))
    let coordinator = try TestStore.coordinator(
      ClubModel.make(), at: url, options: [NSPersistentHistoryTrackingKey: true])
    let context = TestStore.context(coordinator)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    #expect(try context.fetch(request).count == 1)
    let people = NSFetchRequest<NSManagedObject>(entityName: "Person")
    people.predicate = NSPredicate(format: "age == 20")
    let bytes = try SQLiteConnection.reading(url).text(
      "SELECT hex(ZPICTURE) FROM ZPARTY WHERE length(ZPICTURE) = 38")
    let found = try context.fetch(people)
    #expect(found.first?.value(forKey: "picture") == nil)
    found.first?.setValue(21, forKey: "age")
    try context.save()
    // A backup may still have the file, so the row keeps its name.
    #expect(
      try SQLiteConnection.reading(url).text(
        "SELECT hex(ZPICTURE) FROM ZPARTY WHERE length(ZPICTURE) = 38") == bytes)
  }

  @Test(.enabled(if: geteuid() != 0, "root may write into any folder"))
  func aReadOnlyFolderIsAnErrorForWritingOnly() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url)
    let files = FileManager.default
    try files.setAttributes([.posixPermissions: 0o400], ofItemAtPath: url.path)
    try files.setAttributes([.posixPermissions: 0o500], ofItemAtPath: folder.url.path)
    defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: folder.url.path) }
    let before = try folder.contents()
    let context = try open(url, options: [NSReadOnlyPersistentStoreOption: true])
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Note")) == 1)
    #expect(throws: NSError.self) {
      let writing = try open(url)
      _ = insert("Note", "text", "two", writing)
      try writing.save()
    }
    #expect(try folder.contents() == before)
  }
}
