import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// The other sides of relationships whose changes are dropped by a merge policy.
@Suite struct RollbackPolicyTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(
      folder.file("Library.sqlite"), Library.model(booksRule: .nullifyDeleteRule))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
  }

  private func change(_ object: NSManagedObject, _ key: String) throws {
    let same = try theirs.existingObject(with: object.objectID)
    same[key] = "theirs"
    try theirs.save()
  }

  private func author(ofBookIn context: NSManagedObjectContext) throws -> NSManagedObject? {
    try Library.all("Book", in: context).first?["author"] as? NSManagedObject
  }

  private func expectSound() throws {
    #expect(!mine.hasChanges)
    #expect(try StoreCheck.findings(at: folder.file("Library.sqlite")) == [])
  }

  @Test(arguments: [false, true], [false, true])
  func manyToManyIsTakenBackOnBothSides(adds: Bool, isLoaded: Bool) throws {
    let book = Library.new("Book", ["title": "a"], in: mine)
    let tag = Library.new("Tag", ["name": "t"], in: mine)
    if !adds { book.addObject(tag, toRelationshipNamed: "tags") }
    try mine.save()
    if !isLoaded { mine.refreshAllObjects() }
    #expect(book["title"] as? String == "a")
    try change(book, "title")
    if adds {
      book.addObject(tag, toRelationshipNamed: "tags")
    } else {
      book.removeObject(tag, fromRelationshipNamed: "tags")
    }
    book["title"] = "mine"
    tag["name"] = "changed"
    try mine.save()
    let context = TestStore.context(coordinator)
    let read = try #require(try Library.all("Book", in: context).first)
    #expect(read["title"] as? String == "theirs")
    #expect((read["tags"] as? NSSet)?.count == (adds ? 0 : 1))
    #expect(try Library.all("Tag", in: context).first?["name"] as? String == "changed")
    #expect((tag["books"] as? NSSet)?.count == (adds ? 0 : 1))
    #expect((book["tags"] as? NSSet)?.count == (adds ? 0 : 1))
    try expectSound()
  }

  @Test func oneToOneToo() throws {
    let authors = ["1", "2"].map { Library.new("Author", ["name": $0], in: mine) }
    let contract = Library.new("Contract", ["sum": 1, "author": authors[0]], in: mine)
    let other = Library.new("Contract", ["sum": 2, "author": authors[1]], in: mine)
    try mine.save()
    try change(authors[0], "note")
    authors[0]["contract"] = other
    try mine.save()
    #expect(contract["author"] as? NSManagedObject === authors[0])
    #expect(authors[0]["contract"] as? NSManagedObject === contract)
    #expect(other["author"] == nil)
    let context = TestStore.context(coordinator)
    for author in try Library.all("Author", in: context) {
      let back = (author["contract"] as? NSManagedObject)?["author"] as? NSManagedObject
      #expect(author["contract"] == nil || back === author)
    }
    try expectSound()
  }

  @Test func membersOwnChangesStay() throws {
    let house = Library.new("Publisher", ["name": "House"], in: mine)
    for name in ["1", "2"] {
      _ = Library.new("Author", ["name": name, "publisher": house], in: mine)
    }
    try mine.save()
    #expect((house["authors"] as? NSOrderedSet)?.count == 2)
    try change(house, "name")
    house.mutableOrderedSetValue(forKey: "authors").exchangeObject(at: 0, withObjectAt: 1)
    house["name"] = "mine"
    _ = Library.new("Author", ["name": "3", "publisher": house], in: mine)
    try mine.save()
    let context = TestStore.context(coordinator)
    let read = try #require(try Library.all("Publisher", in: context).first)
    #expect(read["name"] as? String == "theirs")
    #expect(SmallModel.names(read, "authors") == ["1", "2", "3"])
    #expect(SmallModel.names(house, "authors") == ["1", "2", "3"])
    try expectSound()
  }

  /// A change to a deleted row is dropped, together with new references to it.
  @Test(arguments: [NSMergePolicy.rollback, .mergeByPropertyStoreTrump])
  func nothingLeadsToWhatOthersDeleted(policy: NSMergePolicy) throws {
    mine.mergePolicy = policy
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let book = Library.new("Book", ["title": "a"], in: mine)
    try mine.save()
    theirs.delete(try theirs.existingObject(with: ada.objectID))
    try theirs.save()
    ada["name"] = "changed"
    book["author"] = ada
    try mine.save()
    #expect(ada.managedObjectContext == nil)
    #expect(book["author"] == nil)
    #expect(try author(ofBookIn: TestStore.context(coordinator)) == nil)
    try expectSound()
  }

  @Test func aDeletionIsTakenBackWithWhatItNullified() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let book = Library.new("Book", ["title": "a", "author": ada], in: mine)
    let contract = Library.new("Contract", ["sum": 1, "author": ada], in: mine)
    try mine.save()
    try change(ada, "note")
    mine.delete(ada)
    try mine.save()
    #expect(!ada.isDeleted)
    #expect(book["author"] as? NSManagedObject === ada)
    #expect(contract["author"] as? NSManagedObject === ada)
    let context = TestStore.context(coordinator)
    #expect(try author(ofBookIn: context)?["note"] as? String == "theirs")
    try expectSound()
  }

  @Test func whatIsDeletedIsReferredToByNobody() throws {
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let book = Library.new("Book", ["title": "a", "author": ada], in: mine)
    try mine.save()
    try change(book, "title")
    mine.delete(ada)
    try mine.save()
    #expect(book["author"] == nil)
    let context = TestStore.context(coordinator)
    let read = try #require(try Library.all("Book", in: context).first)
    #expect(read["title"] as? String == "theirs")
    #expect(read["author"] == nil)
    try expectSound()
  }

  @Test func theStoresOwnerWinsOnBothSides() throws {
    mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    let authors = ["1", "2", "3"].map { Library.new("Author", ["name": $0], in: mine) }
    let contract = Library.new("Contract", ["sum": 1, "author": authors[0]], in: mine)
    let houses = ["1", "2", "3"].map { Library.new("Publisher", ["name": $0], in: mine) }
    authors[0]["publisher"] = houses[0]
    try mine.save()
    for house in houses { #expect(house["authors"] is NSOrderedSet) }
    let same = try theirs.existingObject(with: contract.objectID)
    same["author"] = try theirs.existingObject(with: authors[2].objectID)
    try theirs.existingObject(with: authors[0].objectID)["publisher"] =
      try theirs.existingObject(with: houses[2].objectID)
    try theirs.save()
    contract["author"] = authors[1]
    authors[0]["publisher"] = houses[1]
    try mine.save()
    #expect(contract["author"] as? NSManagedObject === authors[2])
    #expect(authors[1]["contract"] == nil)
    #expect(SmallModel.names(houses[1], "authors").isEmpty)
    #expect(SmallModel.names(houses[2], "authors") == ["1"])
    let reader = TestStore.context(coordinator)
    #expect(
      try Library.all("Author", "contract != nil", in: reader).map { $0["name"] as? String }
        == ["3"])
    try expectSound()
  }

  // MARK: What else a resolution must keep

  @Test func transientValuesKeepTheirDefaults() throws {
    let isDriving = attribute(
      "isDriving", .booleanAttributeType, optional: false, default: true)
    isDriving.isTransient = true
    let model = SmallModel.model(SmallModel.entity("Car", [SmallModel.text("plate"), isDriving]))
    let coordinator = try SmallModel.coordinator(model, folder.file("Cars.sqlite"))
    let mine = SmallModel.context(coordinator, .rollbackMergePolicyType)
    let car = SmallModel.new("Car", ["plate": "1"], in: mine)
    try mine.save()
    let theirs = SmallModel.context(coordinator)
    try theirs.existingObject(with: car.objectID)["plate"] = "2"
    try theirs.save()
    car["plate"] = "3"
    try mine.save()
    #expect(car["plate"] as? String == "2")
    car["plate"] = "4"
    mine.rollback()
    #expect(car["isDriving"] as? Bool == true)
    car["plate"] = "5"
    try mine.save()
  }

  /// An object that loses its unique value to another returns to the state at its last save.
  @Test func transientValuesAreThoseOfTheLastSave() throws {
    let isDriving = attribute(
      "isDriving", .booleanAttributeType, optional: false, default: true)
    isDriving.isTransient = true
    let car = SmallModel.entity(
      "Car", [SmallModel.text("plate"), isDriving], unique: [["plate"]])
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(car), folder.file("Cars.sqlite"))
    let context = SmallModel.context(coordinator, .rollbackMergePolicyType)
    _ = SmallModel.new("Car", ["plate": "1"], in: context)
    let second = SmallModel.new("Car", ["plate": "2", "isDriving": false], in: context)
    try context.save()
    second["plate"] = "1"
    try context.save()
    #expect(second["plate"] as? String == "2")
    second["plate"] = "3"
    context.rollback()
    #expect(second["plate"] as? String == "2")
    #expect(second["isDriving"] as? Bool == false)
  }

  /// If the changes of two objects are dropped, the effect of one's changes on the other isn't a change of the other.
  @Test(arguments: [false, true])
  func whatWasDroppedOfAllIsNoChange(houseComesFirst: Bool) throws {
    let house = Library.new("Publisher", ["name": "House"], in: mine)
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    try mine.save()
    try change(house, "name")
    try change(ada, "note")
    if houseComesFirst { house["name"] = "mine" }
    ada["publisher"] = house
    house["name"] = "mine"
    nonisolated(unsafe) var told: [AnyHashable: Any]?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: mine, queue: nil
    ) { told = $0.userInfo }
    defer { NotificationCenter.default.removeObserver(observer) }
    try mine.save()
    #expect(try #require(told).isEmpty)
    #expect(ada["publisher"] == nil)
    #expect((house["authors"] as? NSOrderedSet)?.count == 0)
    try expectSound()
  }

  @Test func aFailureOfTheStoreIsNoMissingDestination() throws {
    mine.mergePolicy = NSMergePolicy.overwrite
    let ada = Library.new("Author", ["name": "Ada"], in: mine)
    let book = Library.new("Book", ["title": "a", "author": ada], in: mine)
    try mine.save()
    mine.refresh(ada, mergeChanges: false)
    theirs.delete(try theirs.existingObject(with: book.objectID))
    try theirs.save()
    book["title"] = "mine"
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    try connection.execute("ALTER TABLE ZAUTHOR RENAME TO ZGONE")
    #expect(throws: NSError.self) { try mine.save() }
    #expect(book.isUpdated)
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZAUTHOR")
    try mine.save()
    let context = TestStore.context(coordinator)
    #expect(try Library.all("Book", in: context).first?["title"] as? String == "mine")
    #expect(try author(ofBookIn: context)?["name"] as? String == "Ada")
  }

  /// An object that is to be deleted and one that was led elsewhere are both dropped. Stores find conflicts in different
  /// orders.
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [false, true])
  func whatIsNotDeletedKeepsItsMembers(type: String, isOrdered: Bool) throws {
    let parts = SmallModel.relationship("parts", many: true, ordered: isOrdered)
    let whole = SmallModel.relationship("whole")
    let thing = SmallModel.entity("Thing", [SmallModel.text("name"), parts, whole])
    SmallModel.link((parts, of: thing), (whole, of: thing))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SmallModel.model(thing))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("things"))
    let mine = SmallModel.context(coordinator, .rollbackMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let one = SmallModel.new("Thing", ["name": "one"], in: theirs)
    let two = SmallModel.new("Thing", ["name": "two"], in: theirs)
    try theirs.save()
    let same = try mine.existingObject(with: two.objectID)
    mine.delete(try mine.existingObject(with: one.objectID))
    same["whole"] = same
    one["whole"] = one
    try theirs.save()
    one["whole"] = nil
    two["whole"] = one
    try theirs.save()
    try mine.save()
    #expect(!mine.hasChanges)
    #expect((same["whole"] as? NSManagedObject)?.objectID == one.objectID)
    let context = SmallModel.context(coordinator)
    let read = try context.existingObject(with: one.objectID)
    #expect(SmallModel.names(read, "parts") == ["two"])
  }
}
