import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Merging other contexts' saves into contexts with unsaved changes.
@Suite struct MergingTests {
  private let folder: TemporaryFolder
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
  }

  /// Saves `context` and merges the notification into `mine`.
  private func saveAndMerge(_ context: NSManagedObjectContext) throws {
    nonisolated(unsafe) var notification: Notification?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(observer) }
    try context.save()
    mine.mergeChanges(fromContextDidSave: try #require(notification))
  }

  private func same(_ object: NSManagedObject) throws -> NSManagedObject {
    try theirs.existingObject(with: object.objectID)
  }

  private func titles(_ author: NSManagedObject) -> [String] {
    (author["books"] as? Set<NSManagedObject> ?? []).compactMap { $0["title"] as? String }.sorted()
  }

  private func names(_ publisher: NSManagedObject) -> [String] {
    (publisher["authors"] as? NSOrderedSet)?.array
      .compactMap { ($0 as? NSManagedObject)?["name"] as? String } ?? []
  }

  private func author(_ name: String, books: [String] = []) -> NSManagedObject {
    let author = Library.new("Author", ["name": name], in: mine)
    for title in books { _ = Library.new("Book", ["title": title, "author": author], in: mine) }
    return author
  }

  /// Notifications contain objects in an order that depends on addresses; what comes of a merge doesn't.
  @Test func whatOthersHaveMadeTooIsNoChangeInWhateverOrderItIsRead() throws {
    let authors = (0..<12).map { author("\($0)") }
    let books = (0..<12).map { Library.new("Book", ["title": "\($0)"], in: mine) }
    try mine.save()
    for (author, book) in zip(authors, books) {
      #expect(titles(author) == [])
      book["author"] = author
      try same(book)["author"] = try same(author)
      try saveAndMerge(theirs)
    }
    #expect(authors.allSatisfy { !$0.hasPersistentChangedValues })
    try mine.save()
    #expect(authors.map(\.version) == authors.map { _ in 2 })
  }

  @Test func theNotificationTellsWhatWasUpdatedAndWhatWasRefreshed() throws {
    let (ada, eve) = (author("Ada"), author("Eve"))
    let gone = author("gone")
    try mine.save()
    mine.refresh(eve, mergeChanges: true)
    for object in [ada, eve] { try same(object)["rank"] = 4 }
    theirs.delete(try same(gone))
    _ = Library.new("Author", ["name": "new"], in: theirs)
    nonisolated(unsafe) var told: [AnyHashable: Any] = [:]
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidMergeChangesObjectIDs, object: mine, queue: nil
    ) { told = $0.userInfo ?? [:] }
    defer { NotificationCenter.default.removeObserver(observer) }
    try saveAndMerge(theirs)
    func ids(_ key: String) -> Set<NSManagedObjectID>? { told[key] as? Set<NSManagedObjectID> }
    #expect(ids(NSUpdatedObjectIDsKey) == [ada.objectID, eve.objectID])
    // The other was a fault already.
    #expect(ids(NSRefreshedObjectIDsKey) == [ada.objectID])
    #expect(ids(NSDeletedObjectIDsKey) == [gone.objectID])
    #expect(ids(NSInsertedObjectIDsKey)?.count == 1)
  }

  // MARK: Members

  @Test func anObjectWithChangesTakesInMembers() throws {
    let ada = author("Ada", books: ["a", "b"])
    try mine.save()
    #expect(titles(ada) == ["a", "b"])
    ada["rank"] = 9
    let mineToo = Library.new("Book", ["title": "mine", "author": ada], in: mine)
    let b = try #require(try Library.all("Book", "title == 'b'", in: mine).first)
    b["author"] = nil
    _ = Library.new("Book", ["title": "theirs", "author": try same(ada)], in: theirs)
    try saveAndMerge(theirs)
    #expect(titles(ada) == ["a", "mine", "theirs"])
    #expect(ada["rank"] as? Int == 9)
    try mine.save()
    #expect(titles(ada) == ["a", "mine", "theirs"])
    #expect(mineToo["author"] as? NSManagedObject === ada)
    theirs.reset()
    #expect(titles(try same(ada)) == ["a", "mine", "theirs"])
  }

  @Test func whatOthersTookOutIsOut() throws {
    let ada = author("Ada", books: ["a", "b"])
    try mine.save()
    #expect(titles(ada).count == 2)
    ada["rank"] = 9
    try #require(try Library.all("Book", "title == 'a'", in: theirs).first)["author"] = nil
    try saveAndMerge(theirs)
    #expect(titles(ada) == ["b"])
  }

  @Test func refreshingKeepsWhatWasAdded() throws {
    let ada = author("Ada", books: ["a"])
    try mine.save()
    #expect(titles(ada) == ["a"])
    _ = Library.new("Book", ["title": "theirs", "author": try same(ada)], in: theirs)
    try theirs.save()
    _ = Library.new("Book", ["title": "mine", "author": ada], in: mine)
    mine.refresh(ada, mergeChanges: true)
    #expect(titles(ada) == ["a", "mine", "theirs"])
  }

  @Test func anOrderTakesInWhatOthersPutThere() throws {
    let house = Library.new("Publisher", ["name": "House"], in: mine)
    for name in ["a", "b", "c"] { author(name)["publisher"] = house }
    try mine.save()
    #expect(names(house) == ["a", "b", "c"])
    // Here c moves to the front, n behind it, and z to the end; there x moves to the front and a is removed.
    let order = house.mutableOrderedSetValue(forKey: "authors")
    order.moveObjects(at: IndexSet(integer: 2), to: 0)
    order.insert(author("n"), at: 1)
    order.add(author("z"))
    #expect(names(house) == ["c", "n", "a", "b", "z"])
    let other = try same(house)
    let theirOrder = other.mutableOrderedSetValue(forKey: "authors")
    theirOrder.insert(Library.new("Author", ["name": "x"], in: theirs), at: 0)
    theirOrder.removeObject(at: 1)
    try saveAndMerge(theirs)
    #expect(names(house) == ["x", "c", "n", "b", "z"])
    try mine.save()
    theirs.reset()
    #expect(names(try same(house)) == ["x", "c", "n", "b", "z"])
  }

  @Test func undoLeavesAloneWhatOthersDid() throws {
    let ada = author("Ada", books: ["a"])
    try mine.save()
    #expect(titles(ada) == ["a"])
    let undoManager = UndoManager()
    undoManager.groupsByEvent = false
    mine.undoManager = undoManager
    ada["rank"] = 9
    _ = Library.new("Book", ["title": "mine", "author": ada], in: mine)
    let other = try same(ada)
    other["note"] = "theirs"
    _ = Library.new("Book", ["title": "theirs", "author": other], in: theirs)
    try theirs.save()
    mine.refresh(ada, mergeChanges: true)
    mine.undo()
    #expect(titles(ada) == ["a", "theirs"])
    #expect(ada["rank"] as? Int == 1)
    #expect(ada["note"] as? String == "theirs")
  }

  // MARK: Deletions

  @Test func unsavedReferencesToWhatOthersDeletedFollowTheDeleteRules() throws {
    let (ada, house) = (author("Ada"), Library.new("Publisher", ["name": "House"], in: mine))
    let old = Library.new("Book", ["title": "old"], in: mine)
    try mine.save()
    let bob = author("Bob")
    bob["publisher"] = house
    let book = Library.new("Book", ["title": "new", "author": ada], in: mine)
    old["author"] = ada
    theirs.delete(try same(ada))
    theirs.delete(try same(house))
    try saveAndMerge(theirs)
    // Publisher.authors nullifies, Author.books cascades.
    #expect(bob["publisher"] == nil)
    #expect(book.managedObjectContext == nil)
    #expect(old.isDeleted)
    #expect(ada.isDeleted)
    try mine.save()
    theirs.reset()
    #expect(try Library.all("Book", in: theirs).isEmpty)
    #expect(try Library.all("Author", in: theirs).map { $0["publisher"] == nil } == [true])
  }

  @Test func whatOthersDeletedIsInNoRelationship() throws {
    let ada = author("Ada", books: ["a", "b"])
    let tag = Library.new("Tag", ["name": "t"], in: mine)
    let books = try Library.all("Book", in: mine)
    for book in books { book.mutableSetValue(forKey: "tags").add(tag) }
    try mine.save()
    #expect(titles(ada) == ["a", "b"])
    #expect((tag["books"] as? NSSet)?.count == 2)
    let gone = try #require(books.first { $0["title"] as? String == "a" })
    theirs.delete(try same(gone))
    try theirs.save()
    // A batch only reports deleted objects.
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [gone.objectID]], into: [mine])
    #expect(titles(ada) == ["b"])
    #expect((tag["books"] as? NSSet)?.count == 1)
    #expect(!mine.hasChanges)
  }

  @Test func whatIsInsertedAgainIsThereAgain() throws {
    let ada = author("Ada")
    try mine.save()
    theirs.undoManager = UndoManager()
    theirs.undoManager?.groupsByEvent = false
    let other = try same(ada)
    theirs.delete(other)
    theirs.processPendingChanges()
    try saveAndMerge(theirs)
    #expect(ada.isDeleted)
    theirs.undo()
    #expect(other.objectID == ada.objectID)
    try saveAndMerge(theirs)
    #expect(!ada.isDeleted)
    #expect(ada["name"] as? String == "Ada")
    #expect(try mine.existingObject(with: ada.objectID) === ada)
  }

  // MARK: Other coordinators

  @Test func aContextOfAnotherCoordinatorOnTheSameStoreIsHeard() throws {
    let ada = author("Ada", books: ["a"])
    try mine.save()
    #expect(titles(ada) == ["a"])
    let other = TestStore.context(try Library.coordinator(folder.file("Library.sqlite")))
    let same = try #require(try Library.all("Author", in: other).first)
    same["name"] = "Eve"
    _ = Library.new("Book", ["title": "b", "author": same], in: other)
    try saveAndMerge(other)
    #expect(ada["name"] as? String == "Eve")
    #expect(titles(ada) == ["a", "b"])
    #expect(mine.registeredObjects.allSatisfy { mine.registeredObject(for: $0.objectID) === $0 })
    try mine.save()
  }

  @Test func whatWasRefreshedAndChangedAgainIsSavedOnce() throws {
    let ada = author("Ada")
    try mine.save()
    ada["rank"] = 2
    mine.refresh(ada, mergeChanges: false)
    ada["rank"] = 3
    #expect(mine.updatedObjects == [ada])
    try mine.save()
    #expect(try same(ada)["rank"] as? Int == 3)
    mine.delete(ada)
    mine.refresh(ada, mergeChanges: false)
    #expect(!mine.hasChanges)
    mine.delete(ada)
    try mine.save()
    #expect(try Library.all("Author", in: theirs).isEmpty)
  }

  /// An edit won over a deletion before the deletion was merged.
  @Test func aDeletionHeardOfLateLeavesWhatWasWrittenAgain() throws {
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let ada = author("Ada")
    try mine.save()
    nonisolated(unsafe) var notification: Notification?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: theirs, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(observer) }
    theirs.delete(try same(ada))
    try theirs.save()
    ada["name"] = "x"
    try mine.save()
    mine.mergeChanges(fromContextDidSave: try #require(notification))
    #expect(!ada.isDeleted)
    #expect(try Library.all("Author", in: mine) == [ada])
    ada["name"] = "y"
    try mine.save()
    theirs.reset()
    #expect(try Library.all("Author", in: theirs).map { $0["name"] as? String } == ["y"])
  }
}
