import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that a child context changes and its parent deletes.
@Suite struct ChildDeletionTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(
      folder.file("Library.sqlite"), Library.model(booksRule: .nullifyDeleteRule))
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    try parent.performAndWait {
      let ada = Library.new("Author", ["name": "Ada"], in: parent)
      _ = Library.new("Book", ["title": "a", "author": ada], in: parent)
      try parent.save()
    }
  }

  private func deleteInParent(saving: Bool) throws {
    try parent.performAndWait {
      parent.delete(try Library.all("Author", in: parent)[0])
      parent.processPendingChanges()
      if saving { try parent.save() }
    }
  }

  @Test func reachesWhatAnUnsavedParentRelatedSince() throws {
    let eve = Library.new("Author", ["name": "Eve"], in: child)
    try child.save()
    #expect((eve["books"] as? NSSet)?.count == 0)
    try parent.performAndWait {
      let eve = try #require(try Library.all("Author", "name == 'Eve'", in: parent).first)
      try Library.all("Book", in: parent)[0].setValue(eve, forKey: "author")
    }
    child.delete(eve)
    child.processPendingChanges()
    let book = try #require(try Library.all("Book", in: child).first)
    #expect(book["author"] == nil)
    #expect(book.isUpdated)
    try child.save()
    try parent.performAndWait { try parent.save() }
  }

  @Test(arguments: [false, true], [false, true])
  func isNotLostUnsaid(isSaved: Bool, addsMember: Bool) throws {
    let ada = try #require(try Library.all("Author", in: child).first)
    let book = try #require(try Library.all("Book", in: child).first)
    #expect(ada["name"] as? String == "Ada")
    #expect((ada["books"] as? NSSet)?.count == 1)
    try deleteInParent(saving: isSaved)
    if addsMember {
      _ = Library.new("Book", ["title": "b", "author": ada], in: child)
    } else {
      ada["name"] = "Eve"
    }
    book["title"] = "also changed"
    let error = #expect(throws: NSError.self) { try child.save() }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(error?.userInfo[NSAffectedObjectsErrorKey] as? [NSManagedObject] == [ada])
    // The parent has applied nothing.
    #expect(child.hasChanges)
    #expect(parent.performAndWait { parent.insertedObjects.isEmpty })
    try parent.performAndWait {
      let book = try Library.all("Book", in: parent)[0]
      #expect(book["title"] as? String == "a")
    }
    child.delete(ada)
    child.processPendingChanges()
    try child.save()
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    #expect(try Library.all("Author", in: reader).isEmpty)
    #expect(
      try Library.all("Book", "title == 'also changed'", in: reader).map { $0["author"] == nil }
        == [true])
  }

  @Test func whatOnlyTakesReferencesBackLosesNothing() throws {
    let book = try #require(try Library.all("Book", in: child).first)
    let ada = try #require(book["author"] as? NSManagedObject)
    #expect((ada["books"] as? NSSet)?.count == 1)
    try deleteInParent(saving: false)
    book["author"] = nil
    book["title"] = "free"
    try child.save()
    try parent.performAndWait { try parent.save() }
    let read = try Library.all("Book", in: TestStore.context(coordinator))
    #expect(read.map { $0["title"] as? String } == ["free"])
  }

  /// The parent's own save reports what it couldn't read during the child's save, but only while it can't be read.
  @Test func reachesWhatTheParentCouldNotReadAtFirst() throws {
    let bob = try parent.performAndWait {
      // Whoever gives an object members has changed it.
      parent.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
      let bob = Library.new("Author", ["name": "Bob"], in: parent)
      try parent.save()
      return bob.objectID
    }
    let author = try child.existingObject(with: bob)
    #expect((author["books"] as? NSSet)?.count == 0)
    child.delete(author)
    child.processPendingChanges()
    let other = TestStore.context(coordinator)
    let theirs = try other.existingObject(with: bob)
    _ = Library.new("Book", ["title": "late", "author": theirs], in: other)
    try other.save()
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    try connection.execute("ALTER TABLE ZBOOK RENAME TO ZGONE")
    try child.save()
    #expect(!child.hasChanges)
    for _ in 0..<2 {
      #expect(throws: NSError.self) { try parent.performAndWait { try parent.save() } }
    }
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZBOOK")
    try parent.performAndWait { try parent.save() }
    let late = try Library.all("Book", "title == 'late'", in: TestStore.context(coordinator))
    #expect(late.map { $0["author"] == nil } == [true])
  }

  /// A failed read of the child isn't an error of its parent.
  @Test func whatTheChildCouldNotReadIsForgottenByTheParent() throws {
    parent.performAndWait { parent.reset() }
    let ada = try #require(try Library.all("Author", in: child).first)
    child.delete(ada)
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    try connection.execute("ALTER TABLE ZBOOK RENAME TO ZGONE")
    #expect(throws: NSError.self) { try child.save() }
    try parent.performAndWait {
      _ = Library.new("Author", ["name": "Eve"], in: parent)
      try parent.save()
    }
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZBOOK")
    try child.save()
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    #expect(try Library.all("Author", in: reader).map { $0["name"] as? String } == ["Eve"])
    #expect(try Library.all("Book", in: reader).allSatisfy { $0["author"] == nil })
  }

  @Test func bothMayDelete() throws {
    let strict = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    strict.persistentStoreCoordinator = coordinator
    strict.shouldDeleteInaccessibleFaults = false
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = strict
    let ada = try #require(try Library.all("Author", in: child).first)
    try deleteInParent(saving: true)
    strict.performAndWait { strict.reset() }
    child.delete(ada)
    try child.save()
    try strict.performAndWait { try strict.save() }
    #expect(try Library.all("Author", in: TestStore.context(coordinator)).isEmpty)
  }

  /// An object that was inserted in the child and deleted again has no owner, and denies nothing.
  @Test func anInsertionThatWasDeletedAgainDeniesNothing() throws {
    let items = SmallModel.relationship("items", many: true, rule: .cascadeDeleteRule)
    let owner = SmallModel.relationship("owner", rule: .denyDeleteRule)
    let (box, item) = (SmallModel.entity("Box", [items]), SmallModel.entity("Item", [owner]))
    SmallModel.link((items, of: box), (owner, of: item))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      SmallModel.model(box, item), folder.file("Boxes.sqlite"))
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let held = parent.performAndWait { SmallModel.new("Item", in: parent) }
    let made = SmallModel.new("Box", in: child)
    try child.existingObject(with: held.objectID).setValue(made, forKey: "owner")
    child.delete(made)
    try child.save()
    #expect(parent.performAndWait { !held.isInserted })
    // A box that is pending in the parent does deny it.
    let waiting = parent.performAndWait { SmallModel.new("Box", in: parent) }
    let second = SmallModel.new("Item", in: child)
    second["owner"] = try child.existingObject(with: waiting.objectID)
    try child.save()
    child.delete(second)
    #expect(throws: CocoaError.self) { try child.save() }
  }

  // MARK: Unsaved objects

  @Test func aChildSeesMembersOfWhatTheParentHasNotSaved() throws {
    let id = parent.performAndWait {
      let author = Library.new("Author", ["name": "new"], in: parent)
      _ = Library.new("Book", ["title": "1", "author": author], in: parent)
      return author.objectID
    }
    let author = try child.existingObject(with: id)
    let books = try #require(author["books"] as? Set<NSManagedObject>)
    #expect(books.compactMap { $0["title"] as? String } == ["1"])
    books.first?["author"] = nil
    try child.save()
    parent.performAndWait {
      #expect((parent.object(with: id)["books"] as? NSSet)?.count == 0)
    }
  }

  @Test func refreshingReadsTheMembersOfWhatTheParentHasNotSaved() throws {
    let held = parent.performAndWait { Library.new("Author", ["name": "new"], in: parent) }
    let author = try child.existingObject(with: held.objectID)
    author["note"] = "changed"
    #expect((author["books"] as? NSSet)?.count == 0)
    child.refresh(author, mergeChanges: true)
    parent.performAndWait { _ = Library.new("Book", ["title": "1", "author": held], in: parent) }
    child.refresh(author, mergeChanges: true)
    #expect((author["books"] as? NSSet)?.count == 1)
    #expect(author["note"] as? String == "changed")
  }

  @Test func aReferenceByAnEarlierIdentityReachesItsRow() throws {
    let ada = Library.new("Author", ["name": "1"], in: child)
    let book = Library.new("Book", ["title": "1"], in: child)
    try child.save()
    try parent.performAndWait { try parent.save() }
    book["author"] = ada
    try child.save()
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    let read = try Library.all("Book", "title == '1'", in: reader)
    #expect(read.count == 1)
    #expect((read.first?["author"] as? NSManagedObject)?["name"] as? String == "1")
  }
}
