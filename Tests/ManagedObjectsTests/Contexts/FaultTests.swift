import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that become faults, and faults that are fulfilled.
@Suite struct FaultTests {
  private func car() -> NSManagedObjectModel {
    let car = entity("Car")
    let isDriving = attribute(
      "isDriving", .booleanAttributeType, optional: false, default: true)
    let speed = attribute("speed", .integer64AttributeType, default: 7)
    (isDriving.isTransient, speed.isTransient) = (true, true)
    car.properties = [attribute("plate", .stringAttributeType), isDriving, speed]
    return NSManagedObjectModel(of: [car])
  }

  @Test func refreshingDropsTransientValuesOfWhatHasNoChanges() throws {
    let folder = try TemporaryFolder()
    let context = TestStore.context(try Library.coordinator(folder.file("Cars.sqlite"), car()))
    let car = Library.new("Car", ["plate": "1", "speed": 50], in: context)
    try context.save()
    context.refreshAllObjects()
    #expect(car.isFault)
    #expect(car["speed"] as? Int == 7)
    car["speed"] = 60
    #expect(context.hasChanges)
    context.refreshAllObjects()
    #expect(!car.isFault)
    #expect(car["speed"] as? Int == 60)
    context.rollback()
    #expect(car["speed"] as? Int == 7)
    #expect(car["isDriving"] as? Bool == true)
  }

  @Test func mandatoryTransientValuesBeginWithTheirDefault() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Cars.sqlite"), car())
    let first = TestStore.context(coordinator)
    _ = Library.new("Car", ["plate": "1"], in: first)
    try first.save()
    let context = TestStore.context(coordinator)
    let car = try #require(try Library.all("Car", in: context).first)
    #expect(car["isDriving"] as? Bool == true)
    #expect(!car.hasPersistentChangedValues)
    #expect(!context.hasChanges)
    car["plate"] = "2"
    try context.save()
    car["plate"] = "3"
    context.refresh(car, mergeChanges: true)
    try context.save()
    #expect(car["isDriving"] as? Bool == true)
    car["isDriving"] = nil
    #expect(throws: NSError.self) { try context.save() }
  }

  @Test func resettingLeavesFaults() throws {
    let folder = try TemporaryFolder()
    let context = TestStore.context(try Library.coordinator(folder.file("Library.sqlite")))
    let ada = Library.new("Author", ["name": "Ada"], in: context)
    let book = Library.new("Book", ["title": "a", "author": ada], in: context)
    try context.save()
    let new = Library.new("Book", ["title": "b", "author": ada], in: context)
    context.reset()
    for object in [ada, book, new] {
      #expect(object.isFault)
      #expect(object.managedObjectContext == nil)
      #expect(!object.hasChanges)
      #expect(!object.isInserted)
    }
    #expect(!ada.objectID.isTemporaryID)
    #expect(new.objectID.isTemporaryID)
    #expect(ada["name"] == nil)
    #expect((ada["books"] as? NSSet)?.count == 0)
    #expect(try Library.all("Book", in: context).count == 1)
  }

  @Test func refreshingWhatWasNeverSavedTakesItBack() throws {
    let folder = try TemporaryFolder()
    let context = TestStore.context(try Library.coordinator(folder.file("Library.sqlite")))
    let book = Library.new("Book", ["title": "a"], in: context)
    context.refresh(book, mergeChanges: true)
    #expect(book["title"] as? String == "a")
    #expect(book.isInserted)
    context.refresh(book, mergeChanges: false)
    #expect(book.isFault)
    #expect(book.isDeleted)
    #expect(!context.hasChanges)
    context.refreshAllObjects()
    #expect(book.isDeleted)
    #expect(book["title"] == nil)
    #expect(book.isDeleted)
    try context.save()
    #expect(try Library.all("Book", in: context).isEmpty)
  }

  // MARK: Identities

  @Test func anIdentityOfTheParentEntityGivesAnObjectOfTheRows() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let first = TestStore.context(coordinator)
    let novel = Library.new("Novel", ["title": "n", "genre": "g"], in: first)
    try first.save()
    let text = novel.objectID.uriRepresentation().absoluteString
      .replacingOccurrences(of: "/Novel/", with: "/Book/")
    let id = try #require(coordinator.managedObjectID(for: text))
    #expect(id == novel.objectID)

    let context = TestStore.context(coordinator)
    let found = try context.existingObject(with: id)
    #expect(found.entity.name == "Novel")
    #expect(found["genre"] as? String == "g")
    #expect(context.object(with: id) === found)

    // A fault can't change its entity: the fetched object replaces it.
    let other = TestStore.context(coordinator)
    let fault = other.object(with: id)
    #expect(fault.entity.name == "Book")
    let same = try #require(try Library.all("Novel", in: other).first)
    #expect(same.entity.name == "Novel")
    #expect(same["genre"] as? String == "g")
    #expect(other.object(with: id) === same)
    #expect(fault["title"] as? String == "n")
    #expect(fault.managedObjectContext == nil)

    let third = TestStore.context(coordinator)
    let fired = third.object(with: id)
    #expect(fired["title"] as? String == "n")
    #expect(third.object(with: id).entity.name == "Novel")
    #expect(third.registeredObject(for: id) !== fired)
  }

  @Test func aMissingRowLeavesItsFaultInTheContext() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let (context, other) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let book = Library.new("Book", ["title": "a"], in: other)
    try other.save()
    let fault = context.object(with: book.objectID)
    other.delete(book)
    try other.save()
    let error = #expect(throws: NSError.self) {
      try context.existingObject(with: fault.objectID)
    }
    #expect(error?.code == NSManagedObjectReferentialIntegrityError)
    #expect(fault.managedObjectContext === context)
    #expect(context.registeredObject(for: fault.objectID) === fault)
    #expect(fault["title"] == nil)
  }

  // MARK: A failing store

  @Test func aFaultThatCouldNotBeReadIsStillThere() throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let context = TestStore.context(coordinator)
    let ada = Library.new("Author", ["name": "Ada"], in: context)
    let book = Library.new("Book", ["title": "a", "author": ada], in: context)
    try context.save()
    context.refreshAllObjects()
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    func hide(_ table: String) throws {
      try connection.execute("ALTER TABLE \(table) RENAME TO \(table)GONE")
    }
    func bringBack(_ table: String) throws {
      try connection.execute("ALTER TABLE \(table)GONE RENAME TO \(table)")
    }
    try hide("ZAUTHOR")
    context.shouldDeleteInaccessibleFaults = false
    #expect(ada["name"] == nil)
    #expect(ada.isFault)
    #expect(!ada.isDeleted)
    #expect(ada.managedObjectContext === context)
    #expect(context.registeredObject(for: ada.objectID) === ada)
    // The next save throws the error, and the value set meanwhile is kept until it is discarded.
    ada["name"] = "set"
    #expect(ada["name"] as? String == "set")
    #expect(throws: NSError.self) { try context.save() }
    try bringBack("ZAUTHOR")
    #expect(ada["name"] as? String == "set")
    #expect(throws: NSError.self) { try context.save() }
    context.rollback()
    #expect(ada.isFault)
    #expect(ada["name"] as? String == "Ada")
    // The same for members.
    try hide("ZBOOK")
    #expect((ada["books"] as? NSSet)?.count == 0)
    try bringBack("ZBOOK")
    #expect((ada["books"] as? Set<NSManagedObject>) == [book])
    context.rollback()
    ada["name"] = "Bea"
    try context.save()
    #expect(try Library.all("Author", in: TestStore.context(coordinator)).count == 1)
  }
}
