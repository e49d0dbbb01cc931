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
}
