import DataModels
import Foundation
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Values in files that other writers replace while they are being read.
@Suite struct ExternalReadingTests {
  private func names(_ folder: TemporaryFolder) throws -> [String] {
    try FileManager.default.contentsOfDirectory(
      atPath: folder.file(".a_SUPPORT/_EXTERNAL_DATA").path)
  }

  @Test func aKeptStateHasItsFiles() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"))
    let writer = Shelf.context(coordinator)
    let book = Shelf.book("a", writer)
    book["cover"] = Data(count: 300_000)
    try writer.save()
    do {
      let reader = Shelf.context(coordinator)
      try reader.setQueryGenerationFrom(.current)
      #expect(try reader.count(for: Shelf.request()) == 1)
      book["cover"] = Data(count: 200_000)
      try writer.save()
      let other = Shelf.context(try Shelf.coordinator(folder.file("a.sqlite")))
      try other.fetch(Shelf.request()).first?.setValue(Data(count: 250_000), forKey: "cover")
      try other.save()
      let seen = reader.object(with: book.objectID)
      #expect((seen["cover"] as? Data)?.count == 300_000)
      #expect(!seen.isDeleted)
      #expect(try names(folder).count == 3)
      Shelf.book("unrelated", reader)
      try reader.save()
    }
    #expect(try names(folder).count == 1)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// Whichever way leads to the store.
  @Test func aKeptStateBehindALinkHasItsFiles() throws {
    let folder = try TemporaryFolder()
    let (place, link) = (folder.file("place"), folder.file("link"))
    try FileManager.default.createDirectory(at: place, withIntermediateDirectories: false)
    try FileManager.default.createSymbolicLink(at: link, withDestinationURL: place)
    for (mine, theirs) in [(place, link), (link, place)] {
      let writer = Shelf.context(try Shelf.coordinator(mine.appendingPathComponent("a.sqlite")))
      let book = Shelf.book("a", writer)
      book["cover"] = Data(count: 300_000)
      try writer.save()
      let reader = Shelf.context(try Shelf.coordinator(theirs.appendingPathComponent("a.sqlite")))
      try reader.setQueryGenerationFrom(.current)
      #expect(try reader.count(for: Shelf.request()) == 1)
      book["cover"] = Data(count: 200_000)
      try writer.save()
      let seen = try #require(try reader.fetch(Shelf.request()).first)
      #expect((seen["cover"] as? Data)?.count == 300_000)
      try reader.setQueryGenerationFrom(nil)
      let files = place.appendingPathComponent(".a_SUPPORT/_EXTERNAL_DATA").path
      #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
      writer.delete(book)
      try writer.save()
    }
  }

  /// Another process removes the file of a row that was just read: here, while a fetch delivers rows.
  @Test func aRowWhoseFileWentIsReadAgain() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    let coordinator = try Shelf.coordinator(url)
    let writer = Shelf.context(coordinator)
    for title in ["a", "b"] { Shelf.book(title, writer)["cover"] = Data(count: 300_000) }
    try writer.save()
    let engine = try #require(try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    let layout = try #require(coordinator.modelLayout["Book"])
    let sink = InterruptingSink {
      // The statement has already started, so it sees the old rows.
      let other = Shelf.context(try Shelf.coordinator(url))
      let books = try other.fetch(Shelf.request())
      books.last?.setValue(Data(count: 200_000), forKey: "cover")
      try other.save()
    }
    _ = try engine.fetch(RowQuery(layout: layout), into: sink)
    #expect(sink.sizes == [300_000, 200_000])
  }
}

/// Runs an action before the first row is read, and records the size of each row's data.
private final class InterruptingSink: RowSink {
  private var action: (() throws -> Void)?
  var sizes: [Int] = []

  init(_ action: @escaping () throws -> Void) { self.action = action }

  func begin(_ store: StoreReference?) {}

  func beginRow(of layout: EntityLayout, key: Int64, version: Int64) -> RowSlot? {
    try? action?()
    action = nil
    return RowSlot()
  }

  func fill(_ slot: consuming RowSlot, with values: [StoredValue]) {
    for case .data(let data) in values { sizes.append(data.count) }
  }
}
