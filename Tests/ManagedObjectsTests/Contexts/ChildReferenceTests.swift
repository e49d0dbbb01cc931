import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Relationships of a child's objects to new objects of its parent.
@Suite struct ChildReferenceTests {
  private let folder: TemporaryFolder
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try Library.coordinator(folder.file("Library.sqlite"))
    parent.retainsRegisteredObjects = true
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
  }

  /// The author isn't registered with the child when the parent saves it: it was never read, or was released.
  @Test(arguments: [false, true])
  func followWhatTheParentSaves(isOwn: Bool) throws {
    let title = "a"
    let book: NSManagedObject
    if isOwn {
      book = Library.new("Book", ["title": title], in: child)
      book["author"] = Library.new("Author", ["name": "Ada"], in: child)
      try child.save()
      _ = child.registeredObjects
    } else {
      let id = parent.performAndWait {
        let author = Library.new("Author", ["name": "Ada"], in: parent)
        return Library.new("Book", ["title": title, "author": author], in: parent).objectID
      }
      book = try child.existingObject(with: id)
    }
    #expect(book["title"] as? String == title)
    let id = try parent.performAndWait {
      try parent.save()
      return try #require(Library.all("Author", in: parent).first?.objectID)
    }
    let author = child.object(with: id)
    #expect(book.objectIDs(forRelationshipNamed: "author") == [id])
    #expect(book["author"] as? NSManagedObject === author)
    author.removeObject(book, fromRelationshipNamed: "books")
    #expect(book["author"] == nil)
    try child.save()
    try parent.performAndWait {
      try parent.save()
      #expect(try Library.all("Author", in: parent).first?["books"] as? NSSet == NSSet())
    }
  }

  /// A new object whose place a row of another entity has taken, as both have the unique values, isn't that row's.
  @Test func whatARowOfAnotherEntityHasReplacedIsGone() throws {
    let next = SmallModel.relationship("next")
    let item = SmallModel.entity("Item", [SmallModel.text("code"), next], unique: [["code"]])
    next.destinationEntity = item
    let (book, film) = (SmallModel.entity("Book", []), SmallModel.entity("Film", []))
    item.subentities = [book, film]
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item, book, film), folder.file("Items.sqlite"))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    parent.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let id = parent.performAndWait {
      SmallModel.new("Book", ["code": "same"], in: parent).objectID
    }
    let mine = try child.existingObject(with: id)
    let others = SmallModel.context(coordinator)
    SmallModel.new("Film", ["code": "same"], in: others)
    try others.save()
    try parent.performAndWait { try parent.save() }
    let other = SmallModel.new("Film", ["code": "other"], in: child)
    #expect(child.registeredObject(for: id)?.isDeleted == true)
    mine["next"] = other
    try child.save()
    try parent.performAndWait { try parent.save() }
    let films = try SmallModel.all("Item", others)
    #expect(films.map { $0["code"] as? String } == ["same", "other"])
    #expect(films.allSatisfy { $0.entity.name == "Film" && $0["next"] == nil })
  }

  /// A child's object that has lost in its parent, to one of a subentity, is gone; what it is related to leads to the
  /// survivor there.
  @Test func whatHasLostInTheParentIsGone() throws {
    let (parts, whole) = (
      SmallModel.relationship("parts", many: true), SmallModel.relationship("whole")
    )
    let item = SmallModel.entity(
      "Item", [SmallModel.text("code"), parts, whole], unique: [["code"]])
    SmallModel.link((parts, of: item), (whole, of: item))
    let film = SmallModel.entity("Film", [])
    item.subentities = [film]
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      SmallModel.model(item, film), folder.file("Items.sqlite"))
    parent.mergePolicy = NSMergePolicy.rollback
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let mine = SmallModel.new("Item", ["code": "same"], in: child)
    parent.performAndWait { _ = SmallModel.new("Film", ["code": "same"], in: parent) }
    try child.save()
    let id = try parent.performAndWait {
      try parent.save()
      return SmallModel.new("Film", ["code": "part"], in: parent).objectID
    }
    let part = try child.existingObject(with: id)
    mine.mutableSetValue(forKey: "parts").add(part)
    try child.save()
    #expect(mine.changedValues().isEmpty)
    #expect(mine["code"] == nil)
    #expect(mine.isDeleted)
    try parent.performAndWait {
      let owner = parent.object(with: id)["whole"] as? NSManagedObject
      #expect(owner?["code"] as? String == "same")
      try parent.save()
      #expect(try SmallModel.all("Item", parent).count == 2)
    }
  }

  /// A value set in the child before its parent saved is the same afterwards, with another ID.
  @Test func whatWasSetBeforeTheParentSavedIsTheSame() throws {
    let (partner, back) = (SmallModel.relationship("partner"), SmallModel.relationship("back"))
    let person = SmallModel.entity("Person", [partner, back])
    SmallModel.link((partner, of: person), (back, of: person))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("pairs.sqlite"))
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let here = SmallModel.new("Person", [:], in: child)
    try child.save()
    here["partner"] = here
    try parent.performAndWait { try parent.save() }
    try child.save()
    try parent.performAndWait {
      let object = try #require(try SmallModel.all("Person", parent).first)
      object["back"] = object
      #expect(object["partner"] as? NSManagedObject === object)
      #expect(object["back"] as? NSManagedObject === object)
      try parent.save()
      #expect(!parent.hasChanges)
    }
  }

  /// A child that has read an owner's members before the parent added one moves it all the same.
  @Test(arguments: [false, true]) func whatAChildMovesLeavesAnOwnerThatItReadBefore(
    isDeleted: Bool
  ) throws {
    nonisolated(unsafe) var ids: [NSManagedObjectID] = []
    try parent.performAndWait {
      let owners = ["Ada", "Eve"].map { Library.new("Author", ["name": $0], in: parent) }
      try parent.save()
      ids = owners.map(\.objectID)
    }
    let owners = try ids.map { try child.existingObject(with: $0) }
    #expect((owners[0]["books"] as? NSSet)?.count == 0)
    let book = try parent.performAndWait {
      let book = Library.new("Book", ["title": "a"], in: parent)
      book["author"] = parent.object(with: ids[0])
      try parent.save()
      return book.objectID
    }
    let moved = try child.existingObject(with: book)
    moved["author"] = owners[1]
    if isDeleted { child.delete(moved) }
    try child.save()
    parent.performAndWait {
      let counts = ids.map { (parent.object(with: $0)["books"] as? NSSet)?.count }
      #expect(counts == (isDeleted ? [0, 0] : [0, 1]))
    }
  }

  /// A child's object is saved in the store that it was assigned to.
  @Test func anAssignmentGoesWithTheObject() throws {
    let coordinator = try Shelf.coordinator(folder.file("a.sqlite"), folder.file("b.sqlite"))
    let parent = Shelf.context(coordinator)
    let middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    middle.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = middle
    Shelf.book("in b", child, in: coordinator.persistentStores[1])
    try child.save()
    try middle.performAndWait { try middle.save() }
    #expect(try Shelf.titles(at: folder.file("b.sqlite")) == ["in b"])
    #expect(try Shelf.titles(at: folder.file("a.sqlite")) == [])
    withExtendedLifetime(parent) {}
  }
}
