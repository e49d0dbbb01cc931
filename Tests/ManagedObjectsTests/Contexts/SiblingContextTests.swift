import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Contexts that save into one parent and merge each other's saves.
@Suite struct SiblingContextTests {
  private let folder: TemporaryFolder
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext
  private let other: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try Library.coordinator(folder.file("Library.sqlite"))
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    other = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    other.parent = parent
    other.automaticallyMergesChangesFromParent = true
  }

  private func saveParent() throws { try parent.performAndWait { try parent.save() } }

  private func titles(_ author: NSManagedObject) -> [String] {
    let books = author["books"] as? Set<NSManagedObject> ?? []
    return books.compactMap { $0["title"] as? String }.sorted()
  }

  @Test func whatOneSavesIntoTheParentReachesTheOther() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    let book = Library.new("Book", ["title": "a", "author": ada], in: child)
    let leaving = Library.new("Author", ["name": "Bob"], in: child)
    try child.save()
    try saveParent()
    let authors = try Library.all("Author", in: other)
    let seen = try #require(authors.first { $0["name"] as? String == "Ada" })
    let left = try #require(authors.first { $0 !== seen })
    #expect(titles(seen) == ["a"])
    // The parent has all this as unsaved changes; so do its other children.
    ada["name"] = "Eve"
    book["title"] = "b"
    _ = Library.new("Book", ["title": "c", "author": ada], in: child)
    child.delete(leaving)
    nonisolated(unsafe) var told: Set<NSManagedObject> = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: other, queue: nil
    ) { told.formUnion($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> ?? []) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try child.save()
    #expect(seen["name"] as? String == "Eve")
    #expect(titles(seen) == ["b", "c"])
    #expect(left.managedObjectContext == nil || left.isDeleted)
    #expect(told.map { $0["title"] as? String } == ["c"])
    #expect(!other.hasChanges)
    try saveParent()
    let books = try Library.all("Book", in: other)
    #expect(books.count == 2)
    #expect(books.allSatisfy { !$0.objectID.isTemporaryID })
    #expect(try Library.all("Author", in: other) == [seen])
  }

  @Test func unsavedChangesOfTheOtherStay() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    let book = Library.new("Book", ["title": "a", "author": ada], in: child)
    try child.save()
    try saveParent()
    let seen = try #require(try Library.all("Author", in: other).first)
    let title = try #require(try Library.all("Book", in: other).first)
    seen["name"] = "Mine"
    ada["name"] = "Theirs"
    book["title"] = "b"
    try child.save()
    #expect(seen["name"] as? String == "Mine")
    #expect(title["title"] as? String == "b")
    #expect(other.updatedObjects == [seen])
  }

  @Test func nothingReachesAContextThatDoesNotMerge() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    try child.save()
    other.automaticallyMergesChangesFromParent = false
    let seen = try #require(try Library.all("Author", in: other).first)
    #expect(seen["name"] as? String == "Ada")
    ada["name"] = "Eve"
    try child.save()
    #expect(seen["name"] as? String == "Ada")
    other.refresh(seen, mergeChanges: true)
    #expect(seen["name"] as? String == "Eve")
  }
}
