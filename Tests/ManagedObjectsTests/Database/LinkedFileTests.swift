import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Files that are read through symbolic links. What SQLite keeps beside a file isn't beside a link to it.
@Suite struct LinkedFileTests {
  private let folder: TemporaryFolder
  private let (file, link): (URL, URL)
  private let files = FileManager.default

  init() throws {
    folder = try TemporaryFolder()
    file = folder.file("file.sqlite")
    try files.createDirectory(at: folder.file("links"), withIntermediateDirectories: true)
    link = folder.file("links/link.sqlite")
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "../file.sqlite")
  }

  /// A file whose content is only in its `-wal`.
  private func fill() throws {
    let live = folder.file("live.sqlite")
    let writer = try SQLiteConnection(writing: live, creation: .ifMissing)
    try writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t (a); INSERT INTO t VALUES (7)")
    for suffix in ["", "-wal"] {
      try files.copyItem(atPath: live.path + suffix, toPath: file.path + suffix)
    }
    withExtendedLifetime(writer) {}
  }

  @Test func unmergedContentIsRead() throws {
    try fill()
    let before = try folder.contents()
    #expect(try StoreReadingPlan(for: link.path) == .copy(companions: ["-wal"]))
    #expect(try SQLiteConnection.reading(link).integer("SELECT a FROM t") == 7)
    #expect(try folder.contents() == before)
  }

  @Test func aFileThatIsBeingWrittenIsShared() throws {
    let writer = try SQLiteConnection(writing: file, creation: .ifMissing)
    try writer.execute("PRAGMA journal_mode=wal; CREATE TABLE t (a)")
    let reader = try SQLiteConnection.reading(link)
    try writer.execute("INSERT INTO t VALUES (1)")
    #expect(try reader.integer("SELECT count(*) FROM t") == 1)
  }

  /// The content of linked files is copied, not the links: merging the copies would merge the originals.
  @Test func linkedLogsStayAsTheyAre() throws {
    try fill()
    // Relative links would lead nowhere from the folder of the copy.
    try files.removeItem(at: link)
    for suffix in ["", "-wal"] {
      try files.createSymbolicLink(
        atPath: link.path + suffix, withDestinationPath: file.path + suffix)
    }
    for name in ["file.sqlite", "file.sqlite-wal"] {
      try files.setAttributes([.posixPermissions: 0o640], ofItemAtPath: folder.file(name).path)
    }
    let before = try folder.contents()
    #expect(try SQLiteConnection.reading(link).integer("SELECT a FROM t") == 7)
    #expect(try folder.contents() == before)
    let mode = try files.attributesOfItem(atPath: file.path)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o640)
  }

  /// A log that is itself a link, beside the file.
  @Test func aLinkToALogIsCopiedAsAFile() throws {
    try fill()
    let log = folder.file("log")
    try files.moveItem(atPath: file.path + "-wal", toPath: log.path)
    try files.createSymbolicLink(atPath: file.path + "-wal", withDestinationPath: "log")
    let before = try folder.contents()
    #expect(try SQLiteConnection.reading(file).integer("SELECT a FROM t") == 7)
    #expect(try folder.contents() == before)
  }

  @Test func laterWritesAreNoticed() throws {
    try fill()
    let connection = try SQLiteConnection.following(link, waits: true)
    #expect(connection.isCurrent)
    let log = try FileHandle(forWritingTo: URL(fileURLWithPath: file.path + "-wal"))
    try log.seekToEnd()
    try log.write(contentsOf: Data(count: 40))
    try log.close()
    #expect(!connection.isCurrent)
  }

  @Test func anotherDestinationIsNoticed() throws {
    try fill()
    let connection = try SQLiteConnection.following(link, waits: true)
    try files.removeItem(at: link)
    try files.createSymbolicLink(atPath: link.path, withDestinationPath: "../live.sqlite")
    #expect(!connection.isCurrent)
  }

  /// A store's external files are beside it as well.
  @Test func externalFilesAreFound() throws {
    try ClubModel.fill(file)
    let rows = try StoreRows(link, model: ClubModel.make(), framework: nil)
    var text = ""
    try StoreExport(rows, as: .jsonl).write { text += String(decoding: $0, as: UTF8.self) }
    #expect(rows.problems.isEmpty)
    #expect(text.contains(Data(repeating: 7, count: 150_000).base64EncodedString()))
    #expect(try StoreCheck.findings(at: link).isEmpty)
    let copy = folder.file("copy.sqlite")
    _ = try SQLiteFileCopy.make(at: copy, of: link)
    #expect(try StoreCheck.findings(at: copy).isEmpty)
    let other = folder.file("other.sqlite")
    try NSPersistentStoreCoordinator(managedObjectModel: ClubModel.make())
      .replacePersistentStore(
        at: other, withPersistentStoreFrom: link, ofType: NSSQLiteStoreType)
    #expect(try StoreCheck.findings(at: other).isEmpty)
  }

  private func sizes(_ url: URL, _ options: [AnyHashable: Any]? = nil) throws -> [Int?] {
    let context = try TestStore.open(url, Shelf.model(), options: options)
    defer { try? TestStore.close(context) }
    let books = try context.fetch(Shelf.request())
    return books.map { ($0["cover"] as? Data)?.count }.sorted { $0 ?? 0 < $1 ?? 0 }
  }

  private func add(_ size: Int, _ url: URL) throws {
    let context = try TestStore.open(url, Shelf.model())
    Shelf.book("a", context)["cover"] = Data(count: size)
    try context.save()
    try TestStore.close(context)
  }

  /// Who opens a link, and who opens the store, find each other's values.
  @Test func aStoreAndALinkToItHaveTheSameFiles() throws {
    try add(200_000, file)
    let reading = [NSReadOnlyPersistentStoreOption: true]
    #expect(try sizes(link, reading) == [200_000])
    #expect(try sizes(link) == [200_000])
    try add(300_000, link)
    #expect(try sizes(file) == [200_000, 300_000])
    let context = try TestStore.open(link, Shelf.model())
    for book in try context.fetch(Shelf.request()) { book["cover"] = Data(count: 400_000) }
    try context.save()
    #expect(try sizes(link, reading) == [400_000, 400_000])
    let place = folder.file(".file_SUPPORT/_EXTERNAL_DATA")
    #expect(try files.contentsOfDirectory(atPath: place.path).count == 2)
    #expect(try files.contentsOfDirectory(atPath: folder.file("links").path) == ["link.sqlite"])
    // A move takes the files along.
    let coordinator = try #require(context.persistentStoreCoordinator)
    let moved = folder.file("moved.sqlite")
    try coordinator.migratePersistentStore(
      coordinator.persistentStores[0], to: moved, type: .sqlite)
    try TestStore.close(context)
    #expect(try sizes(moved) == [400_000, 400_000])
    try coordinator.destroyPersistentStore(at: link, ofType: NSSQLiteStoreType)
    #expect(!files.fileExists(atPath: folder.file(".file_SUPPORT").path))
  }

  /// A folder beside a link, as an earlier version made it, has the values that the rows name.
  @Test func aLinksOwnFolderIsKept() throws {
    try add(200_000, file)
    try files.moveItem(at: folder.file(".file_SUPPORT"), to: folder.file("links/.link_SUPPORT"))
    for options in [nil, [NSReadOnlyPersistentStoreOption: true]] {
      #expect(try sizes(link, options) == [200_000])
    }
    try add(300_000, link)
    #expect(try sizes(link) == [200_000, 300_000])
  }
}
