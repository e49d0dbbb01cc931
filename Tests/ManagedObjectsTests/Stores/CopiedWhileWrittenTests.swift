import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Copies of stores that nobody has open when they begin, and somebody writes meanwhile.
@Suite struct CopiedWhileWrittenTests {
  @Test func whatWasWrittenMeanwhileIsNoticed() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("a.sqlite")
    try fill(url, "a", count: 2000)
    let source = try SQLiteConnection.following(url, waits: true)
    try #require(source.plan == .immutable)
    let target = try SQLiteConnection(writing: folder.file("b.sqlite"), creation: .ifMissing)
    var isWritten = false
    let error = #expect(throws: SQLiteError.self) {
      _ = try target.replaceContents(
        with: source,
        isValid: {
          // After the first page.
          if !isWritten { try fill(url, "b", count: 2000) }
          isWritten = true
          return true
        })
    }
    #expect(error?.code == .busy)
    // A copy waits for none, and has one state or the other.
    let coordinator = try TestStore.coordinator(Shelf.model())
    try coordinator.replacePersistentStore(
      at: folder.file("c.sqlite"), withPersistentStoreFrom: url, type: .sqlite)
    #expect(try Shelf.titles(at: folder.file("c.sqlite")).count == 4000)
  }

  private func fill(_ url: URL, _ title: String, count: Int) throws {
    let coordinator = try Shelf.coordinator(url)
    let context = Shelf.context(coordinator)
    for number in 0..<count { Shelf.book("\(title)\(number)", context) }
    try context.save()
    for store in coordinator.persistentStores { try coordinator.remove(store) }
  }
}
