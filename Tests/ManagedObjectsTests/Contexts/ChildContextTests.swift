import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Contexts that save into a parent.
@Suite struct ChildContextTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let parent: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
  }

  private func saveBoth() throws {
    try child.save()
    try parent.performAndWait { try parent.save() }
  }

  private func titles(_ object: NSManagedObject, _ key: String = "books") -> [String] {
    let members =
      (object[key] as? NSOrderedSet)?.array as? [NSManagedObject]
      ?? Array(object[key] as? Set<NSManagedObject> ?? [])
    let names = members.compactMap {
      ($0.value(forKey: key == "books" ? "title" : "name")) as? String
    }
    return object[key] is NSOrderedSet ? names : names.sorted()
  }

  // MARK: One object per row

  @Test func thereIsOneObjectAfterTheParentSaved() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    let book = Library.new("Book", ["title": "a", "author": ada], in: child)
    try child.save()
    let before = ada.objectID
    #expect(before.isTemporaryID)
    try parent.performAndWait { try parent.save() }
    #expect(try Library.all("Author", in: child).first === ada)
    let lasting = ada.objectID
    #expect(!lasting.isTemporaryID)
    #expect(child.object(with: lasting) === ada)
    #expect(child.object(with: before) === ada)
    #expect(child.registeredObject(for: before) === ada)
    #expect(try child.existingObject(with: lasting) === ada)
    #expect(try Library.all("Book", "author == %@", [ada], in: child).first === book)
    #expect(!child.hasChanges)
    #expect(book.changedValues().isEmpty)
    // References are updated too: both sides of a relationship agree on the object.
    book["author"] = nil
    #expect(titles(ada).isEmpty)
    book["author"] = ada
    ada["name"] = "Eve"
    try saveBoth()
    let reader = TestStore.context(coordinator)
    #expect(try Library.all("Author", in: reader).map { $0["name"] as? String } == ["Eve"])
    #expect(titles(try #require(try Library.all("Author", in: reader).first)) == ["a"])
  }

  /// `awakeFromInsert` is called once in an object's lifetime: the parent's object takes over the values.
  @Test func onlyTheChildsObjectAwakesFromInsert() throws {
    let parent = Library.parent(try Company.container().persistentStoreCoordinator)
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let person = insert(PersonMO.self, "Person", child)
    person.name = "Ada"
    try child.save()
    try parent.performAndWait {
      let copy = try #require(parent.insertedObjects.first as? PersonMO)
      try parent.save()
      #expect(copy.name == "Ada" && !copy.events.contains("insert"))
    }
    #expect(person.events.filter { $0 == "insert" }.count == 1)
  }

  @Test func theIdentityAloneFindsIt() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    try saveBoth()
    let lasting = try #require(
      try parent.performAndWait { try Library.all("Author", in: parent).first?.objectID })
    #expect(child.registeredObject(for: lasting) === ada)
    #expect(child.object(with: lasting) === ada)
  }

  @Test func refreshingReachesIt() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    try child.save()
    // While only the parent has it.
    parent.performAndWait { parent.object(with: ada.objectID)["name"] = "Bea" }
    child.refresh(ada, mergeChanges: false)
    #expect(ada.isFault)
    #expect(ada["name"] as? String == "Bea")
    try parent.performAndWait { try parent.save() }
    let other = TestStore.context(coordinator)
    try #require(try Library.all("Author", in: other).first)["name"] = "Eve"
    try other.save()
    parent.performAndWait { parent.refreshAllObjects() }
    child.refreshAllObjects()
    #expect(ada["name"] as? String == "Eve")
    #expect(try Library.all("Author", in: child).first === ada)
  }

  @Test func mergingReachesIt() throws {
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    child.automaticallyMergesChangesFromParent = true
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    try child.save()
    try parent.performAndWait { try parent.save() }
    #expect(child.registeredObjects.count == 1)
    try parent.performAndWait {
      try #require(try Library.all("Author", in: parent).first)["name"] = "Eve"
      try parent.save()
    }
    #expect(ada["name"] as? String == "Eve")
    #expect(child.registeredObjects == [ada])
    #expect(!ada.objectID.isTemporaryID)
  }

  @Test func lastingIdentitiesAreHadFromTheRoot() throws {
    let grandchild = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    let middle = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    middle.parent = parent
    grandchild.parent = middle
    let ada = Library.new("Author", ["name": "Ada"], in: grandchild)
    let book = Library.new("Book", ["title": "a", "author": ada], in: grandchild)
    try grandchild.save()
    try grandchild.obtainPermanentIDs(for: [ada])
    #expect(!ada.objectID.isTemporaryID)
    #expect(book.objectID.isTemporaryID)
    try middle.performAndWait { try middle.save() }
    try parent.performAndWait { try parent.save() }
    try grandchild.obtainPermanentIDs(for: [ada, book])
    #expect(!book.objectID.isTemporaryID)
    #expect(try Library.all("Author", in: grandchild).first === ada)
    #expect(try Library.all("Book", in: grandchild).first === book)
    #expect(
      try Library.all("Book", in: TestStore.context(coordinator)).first?.objectID == book.objectID)
  }

  @Test func anObjectThatIsOnlyTheParentsLastsToo() throws {
    parent.performAndWait { _ = Library.new("Author", ["name": "Ada"], in: parent) }
    let ada = try #require(try Library.all("Author", in: child).first)
    #expect(ada.objectID.isTemporaryID)
    try parent.performAndWait { try parent.save() }
    #expect(try Library.all("Author", in: child).first === ada)
    #expect(!ada.objectID.isTemporaryID)
  }

  @Test func theParentsObjectIsTheOneAskedForBefore() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: child)
    let id = ada.objectID
    let early = parent.performAndWait { parent.object(with: id) }
    #expect(parent.performAndWait { early["name"] } == nil)
    try child.save()
    parent.performAndWait {
      #expect(parent.object(with: id) === early)
      #expect(early["name"] as? String == "Ada")
      #expect(early.isInserted)
    }
    try parent.performAndWait { try parent.save() }
    #expect(try Library.all("Author", in: TestStore.context(coordinator)).count == 1)
  }

  // MARK: Changes on both levels

  @Test func aChildAddsToWhatTheParentAdded() throws {
    try parent.performAndWait {
      let book = Library.new("Book", ["title": "a"], in: parent)
      for name in ["1", "2", "3"] { _ = Library.new("Tag", ["name": name], in: parent) }
      book.mutableSetValue(forKey: "tags").add(
        try Library.all("Tag", "name == '3'", in: parent)[0])
      try parent.save()
    }
    let book = try #require(try Library.all("Book", in: child).first)
    #expect(titles(book, "tags") == ["3"])
    let held = try parent.performAndWait {
      let book = try Library.all("Book", in: parent)[0]
      book.mutableSetValue(forKey: "tags").add(
        try Library.all("Tag", "name == '1'", in: parent)[0])
      parent.processPendingChanges()
      return book
    }
    let tags = book.mutableSetValue(forKey: "tags")
    tags.add(try Library.all("Tag", "name == '2'", in: child)[0])
    tags.remove(try Library.all("Tag", "name == '3'", in: child)[0])
    try child.save()
    #expect(parent.performAndWait { titles(held, "tags") } == ["1", "2"])
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    #expect(titles(try Library.all("Book", in: reader)[0], "tags") == ["1", "2"])
  }

  /// The child has loaded all members, and the parent has changed the same ones meanwhile.
  @Test func changesOfTheSameMembersAreMadeOnce() throws {
    try parent.performAndWait {
      let tags = (1...12).map { Library.new("Tag", ["name": "\($0 + 10)"], in: parent) }
      let book = Library.new("Book", ["title": "a"], in: parent)
      for tag in tags.prefix(8) { book.addObject(tag, toRelationshipNamed: "tags") }
      try parent.save()
    }
    func tag(_ name: String, _ context: NSManagedObjectContext) throws -> NSManagedObject {
      try #require(try Library.all("Tag", "name == %@", [name], in: context).first)
    }
    let book = try #require(try Library.all("Book", in: child).first)
    #expect(titles(book, "tags").count == 8)
    let held = try parent.performAndWait {
      parent.undoManager = UndoManager()
      parent.undoManager?.groupsByEvent = false
      let book = try Library.all("Book", in: parent)[0]
      let (old, new) = (try tag("11", parent), try tag("19", parent))
      book.removeObject(old, fromRelationshipNamed: "tags")
      book.addObject(new, toRelationshipNamed: "tags")
      parent.processPendingChanges()
      return book
    }
    for name in ["11", "12"] {
      book.removeObject(try tag(name, child), fromRelationshipNamed: "tags")
    }
    for name in ["19", "20"] {
      book.addObject(try tag(name, child), toRelationshipNamed: "tags")
    }
    // What comes back has never left.
    book.removeObject(try tag("13", child), fromRelationshipNamed: "tags")
    book.addObject(try tag("13", child), toRelationshipNamed: "tags")
    try child.save()
    let both = ["13", "14", "15", "16", "17", "18", "19", "20"]
    parent.performAndWait {
      #expect(titles(held, "tags") == both)
      parent.undo()
      #expect(titles(held, "tags") == ["12", "13", "14", "15", "16", "17", "18", "19"])
      parent.redo()
      #expect(titles(held, "tags") == both)
    }
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    #expect(titles(try Library.all("Book", in: reader)[0], "tags") == both)
  }

  @Test func anOrderIsChangedOnTopOfTheParents() throws {
    let held = try parent.performAndWait {
      let house = Library.new("Publisher", ["name": "House"], in: parent)
      for name in ["a", "b"] {
        Library.new("Author", ["name": name], in: parent)["publisher"] = house
      }
      try parent.save()
      return house
    }
    let house = try #require(try Library.all("Publisher", in: child).first)
    #expect(titles(house, "authors") == ["a", "b"])
    parent.performAndWait {
      let new = Library.new("Author", ["name": "parent's"], in: parent)
      held.mutableOrderedSetValue(forKey: "authors").insert(new, at: 1)
    }
    let order = house.mutableOrderedSetValue(forKey: "authors")
    order.exchangeObject(at: 0, withObjectAt: 1)
    order.add(Library.new("Author", ["name": "child's"], in: child))
    try child.save()
    #expect(
      parent.performAndWait { titles(held, "authors") } == ["b", "parent's", "a", "child's"])
    try parent.performAndWait { try parent.save() }
    let reader = TestStore.context(coordinator)
    #expect(
      titles(try Library.all("Publisher", in: reader)[0], "authors")
        == ["b", "parent's", "a", "child's"])
  }

  @Test func whatTheParentGaveToAnotherOwnerGoesToTheChilds() throws {
    let (one, two, three) = try parent.performAndWait {
      let authors = ["1", "2", "3"].map { Library.new("Author", ["name": $0], in: parent) }
      _ = Library.new("Book", ["title": "a", "author": authors[0]], in: parent)
      try parent.save()
      return (authors[0], authors[1], authors[2])
    }
    let book = try #require(try Library.all("Book", in: child).first)
    #expect((book["author"] as? NSManagedObject)?["name"] as? String == "1")
    try parent.performAndWait {
      try Library.all("Book", in: parent)[0]["author"] = two
      #expect(titles(two) == ["a"])
    }
    book["author"] = try Library.all("Author", "name == '3'", in: child)[0]
    try child.save()
    parent.performAndWait {
      #expect(titles(one).isEmpty)
      #expect(titles(two).isEmpty)
      #expect(titles(three) == ["a"])
    }
  }

  @Test func aDeletionReachesWhatTheParentAdded() throws {
    try parent.performAndWait {
      _ = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
    }
    let ada = try #require(try Library.all("Author", in: child).first)
    #expect(titles(ada).isEmpty)
    try parent.performAndWait {
      let ada = try Library.all("Author", in: parent)[0]
      _ = Library.new("Book", ["title": "parent's", "author": ada], in: parent)
      parent.processPendingChanges()
    }
    child.delete(ada)
    try saveBoth()
    let reader = TestStore.context(coordinator)
    #expect(try Library.all("Author", in: reader).isEmpty)
    #expect(try Library.all("Book", in: reader).isEmpty)
  }

  // MARK: Errors

  @Test func aFailureOfTheStoreIsNoMissingRow() throws {
    try parent.performAndWait {
      _ = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
      parent.reset()
    }
    let id = try #require(
      try Library.all("Author", in: TestStore.context(coordinator)).first?.objectID)
    let ada = child.object(with: id)
    try SQLiteConnection(writing: folder.file("Library.sqlite"), creation: .existing)
      .execute("ALTER TABLE ZAUTHOR RENAME TO ZGONE")
    let error = #expect(throws: NSError.self) { try child.existingObject(with: id) }
    #expect(error?.code != NSManagedObjectReferentialIntegrityError)
    // Reading a property can't throw: the next save does.
    #expect(ada["name"] == nil)
    ada["name"] = "x"
    #expect(throws: NSError.self) { try child.save() }
  }
}
