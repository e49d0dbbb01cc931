import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Stores that nobody has open when a listing or a check begins, and somebody writes meanwhile.
@Suite struct ListedWhileWrittenTests {
  @Test func anExportOfTwoStatesFails() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a", count: 4000)
    let rows = try StoreRows(url, model: Shelf.model(), framework: nil)
    try #require(rows.connection.plan == .immutable)
    var isWritten = false
    let error = #expect(throws: ModelFileError.self) {
      try StoreExport(rows, as: .jsonl).write { _ in
        // After the first piece.
        if !isWritten { try fill(url, "b", count: 4000) }
        isWritten = true
      }
    }
    #expect(error?.message.contains("another program has written to the file") == true)
  }

  /// The file that was opened stays as it is.
  @Test(arguments: ["moved", "removed", "replaced"])
  func anExportOfAFileThatIsNoLongerThereSucceeds(what: String) throws {
    let folder = try TemporaryFolder()
    let (url, other) = (folder.file("a.sqlite"), folder.file("b.sqlite"))
    try fill(url, "a", count: 4000)
    if what == "replaced" { try fill(other, "b", count: 10) }
    let rows = try StoreRows(url, model: Shelf.model(), framework: nil)
    try #require(rows.connection.plan == .immutable)
    var lines = 0
    try rows.readingOneState { rows in
      try StoreExport(rows, as: .jsonl).write { piece in
        if lines == 0 {
          switch what {
          case "moved": try FileManager.default.moveItem(at: url, to: other)
          case "removed": try FileManager.default.removeItem(at: url)
          default: try #require(rename(other.path, url.path) == 0)
          }
        }
        lines += piece.count { $0 == UInt8(ascii: "\n") }
      }
    }
    #expect(lines == 4000)
    #expect(!rows.connection.isCurrent)
  }

  @Test func whatIsWrittenWhileItIsOpenedIsReadAnew() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a", count: 4000)
    var attempts = 0
    let opened = try StoreRows.beginReading(try StoreSchema(model: Shelf.model())) {
      let connection = try SQLiteConnection.inspecting(url)
      attempts += 1
      if attempts == 1 { try fill(url, "b", count: 4000) }
      return connection
    }
    #expect(attempts == 2)
    #expect(opened.views == [])
    #expect(try opened.connection.integer("SELECT count(*) FROM ZBOOK") == 8000)
  }

  /// What can't be read is passed over, but not that it is of another state.
  @Test func whatIsPassedOverCounts() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a", count: 4000)
    let rows = try StoreRows(url, model: Shelf.model(), framework: nil, keepsGoing: true)
    try #require(rows.connection.plan == .immutable)
    #expect(throws: ModelFileError.self) {
      try rows.readingOneState { rows in
        try fill(url, "b", count: 4000)
        _ = StoreStatistics(rows)
      }
    }
  }

  @Test func aReadThatCanBeginAnewDoes() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a", count: 4000)
    var attempts = 0
    let lines = try StoreRows.rereading(
      opening: { try StoreRows(url, model: Shelf.model(), framework: nil) },
      { rows -> Int in
        attempts += 1
        var lines = 0
        try StoreExport(rows, as: .jsonl).write { piece in
          if attempts == 1, lines == 0 { try fill(url, "b", count: 4000) }
          lines += piece.count { $0 == UInt8(ascii: "\n") }
        }
        return lines
      })
    #expect(attempts == 2)
    #expect(lines == 8000)
  }

  @Test func aCheckBeginsAnew() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    // More than SQLite keeps in memory of what the first step has read.
    let title = String(repeating: "a long title ", count: 100)
    try fill(url, title, count: 4000)
    var steps: [Int] = []
    let findings = try StoreCheck.findings(at: url) { done, _ in
      steps.append(done)
      guard steps.count == 3 else { return }
      #expect(throws: Never.self) { try fill(url, title, count: 4000) }
    }
    #expect(findings == [])
    #expect(steps.count { $0 == 0 } == 2)
  }

  /// Files are written before the save that names them, and removed after the one that no longer does.
  @Test func aCheckBesideAWriterFindsNothing() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    var latest = try covered(context)
    let findings = try StoreCheck.findings(at: url) { _, _ in
      let former = latest
      #expect(throws: Never.self) {
        context.delete(former)
        latest = try covered(context)
      }
    }
    #expect(findings == [])
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }

  /// Whether a file is still missing can't be told then, and that isn't the store's fault.
  @Test func aCheckOfAStoreThatIsMovedFindsNoDamage() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try Shelf.coordinator(url)
    _ = try covered(Shelf.context(coordinator))
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    let files = ExternalData(store: url)
    for name in files.fileNames {
      try FileManager.default.removeItem(at: files.folder.appendingPathComponent(name))
    }
    #expect(try StoreCheck.findings(at: url).map(\.rule) == [.externalMissing])
    let findings = try StoreCheck.findings(at: url) { done, total in
      guard done == total - 1 else { return }
      #expect(throws: Never.self) {
        try FileManager.default.moveItem(at: url, to: folder.file("b.sqlite"))
      }
    }
    #expect(findings == [])
  }

  /// A saved book whose cover is in a file.
  private func covered(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let book = Shelf.book("covered", context)
    book["cover"] = Data(repeating: 7, count: 150_000)
    try context.save()
    return book
  }

  private func fill(_ url: URL, _ title: String, count: Int) throws {
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    for number in 0..<count { Shelf.book("\(title)\(number)", context) }
    try context.save()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
