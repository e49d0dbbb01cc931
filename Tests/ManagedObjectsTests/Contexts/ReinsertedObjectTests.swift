import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that the program inserts again after it has deleted them.
@Suite struct ReinsertedObjectTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  /// Persons have a partner each, an owner with members, and friends, none of whose rules is to cascade.
  init() throws {
    folder = try TemporaryFolder()
    let (partner, back) = (
      SmallModel.relationship("partner"), SmallModel.relationship("back")
    )
    let (members, owner) = (
      SmallModel.relationship("members", many: true), SmallModel.relationship("owner")
    )
    let friends = SmallModel.relationship("friends", many: true)
    let person = SmallModel.entity(
      "Person", [SmallModel.text("name"), partner, back, members, owner, friends])
    SmallModel.link((partner, of: person), (back, of: person))
    SmallModel.link((members, of: person), (owner, of: person))
    SmallModel.link((friends, of: person), (friends, of: person))
    coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("persons.sqlite"))
    context = SmallModel.context(coordinator)
  }

  private func person(_ name: String) -> NSManagedObject {
    SmallModel.new("Person", ["name": name], in: context)
  }

  private func setUndo() -> UndoManager {
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    return manager
  }

  /// Saves; the store is sound, and has what the context has.
  private func save() throws {
    try context.save()
    #expect(!context.hasChanges)
    #expect(try StoreCheck.findings(at: folder.file("persons.sqlite")) == [])
    let reader = SmallModel.context(coordinator)
    for object in context.registeredObjects where !object.isDeleted {
      let stored = try reader.existingObject(with: object.objectID)
      #expect(stored["name"] as? String == object["name"] as? String)
      for key in ["partner", "back", "owner"] {
        #expect(name(stored[key]) == name(object[key]), "\(key)")
      }
      for key in ["members", "friends"] {
        #expect(SmallModel.names(stored, key) == SmallModel.names(object, key), "\(key)")
      }
    }
  }

  private func name(_ object: Any?) -> String? { (object as? NSManagedObject)?["name"] as? String }

  // MARK: Never saved

  /// What a deletion has ended on the other side is ended on this one, too.
  @Test(arguments: [false, true]) func newObjectsLeaveWhatTheirDeletionHasEnded(
    rollsBack: Bool
  ) throws {
    let (eve, bob) = (person("Eve"), person("Bob"))
    try save()
    let ada = person("Ada")
    (ada["partner"], ada["owner"]) = (eve, bob)
    ada.addObject(eve, toRelationshipNamed: "friends")
    if rollsBack {
      context.processPendingChanges()
      context.rollback()
    } else {
      context.delete(ada)
      context.processPendingChanges()
    }
    context.insert(ada)
    try save()
    #expect(name(eve["back"]) == name(ada["partner"]).map { _ in "Ada" })
    ada["partner"] = eve
    try save()
    #expect(name(eve["back"]) == "Ada")
  }

  /// Objects that are made without a context may be inserted in any order.
  @Test func objectsMadeOutsideKeepTheirPartners() throws {
    let entity = try #require(coordinator.managedObjectModel.entitiesByName["Person"])
    let ada = NSManagedObject(entity: entity, insertInto: nil)
    let eve = NSManagedObject(entity: entity, insertInto: nil)
    (ada["name"], eve["name"]) = ("Ada", "Eve")
    ada["partner"] = eve
    context.insert(ada)
    context.insert(eve)
    try save()
    #expect(name(eve["back"]) == "Ada")
  }

  // MARK: In one event

  @Test(arguments: [false, true]) func whatIsChangedAfterwardsIsSaved(canUndo: Bool) throws {
    if canUndo { _ = setUndo() }
    let ada = person("Ada")
    try save()
    context.delete(ada)
    context.insert(ada)
    #expect(!ada.isDeleted && !context.hasChanges)
    ada["name"] = "Eve"
    #expect(ada.hasChanges)
    try save()
    #expect(
      try SmallModel.all("Person", SmallModel.context(coordinator)).map { name($0) } == ["Eve"])
  }

  @Test(arguments: [false, true]) func whatWasChangedBeforeIsSaved(canUndo: Bool) throws {
    let manager = canUndo ? setUndo() : nil
    let ada = person("Ada")
    try save()
    ada["name"] = "Eve"
    context.delete(ada)
    context.insert(ada)
    #expect(ada.hasChanges)
    try save()
    #expect(
      try SmallModel.all("Person", SmallModel.context(coordinator)).map { name($0) } == ["Eve"])
    manager?.undo()
    if canUndo { #expect(ada["name"] as? String == "Ada") }
  }

  @Test func whatIsChangedAfterARollbackIsSaved() throws {
    let ada = person("Ada")
    try save()
    context.delete(ada)
    context.insert(ada)
    context.rollback()
    ada["name"] = "Eve"
    try save()
    #expect(
      try SmallModel.all("Person", SmallModel.context(coordinator)).map { name($0) } == ["Eve"])
  }

  @Test func theRulesOfALaterDeletionReachIt() throws {
    let (ada, eve) = (person("Ada"), person("Eve"))
    ada["partner"] = eve
    try save()
    context.delete(ada)
    context.insert(ada)
    context.delete(eve)
    try save()
    #expect(ada["partner"] == nil)
  }

  // MARK: After the deletion's rules

  @Test func itLeadsToNothingThatIsStillToBeDeleted() throws {
    let (ada, eve) = (person("Ada"), person("Eve"))
    ada["partner"] = eve
    try save()
    context.delete(ada)
    context.delete(eve)
    context.processPendingChanges()
    context.insert(ada)
    try save()
    #expect(ada["partner"] == nil)
  }

  @Test(arguments: [false, true]) func itHasNoRelationshipWithOneSide(isUnsaved: Bool) throws {
    let (ada, eve) = (person("Ada"), person("Eve"))
    let (member, friend) = (person("member"), person("friend"))
    ada["partner"] = eve
    ada.addObject(member, toRelationshipNamed: "members")
    ada.addObject(friend, toRelationshipNamed: "friends")
    ada["owner"] = eve
    try save()
    context.delete(ada)
    if isUnsaved { context.processPendingChanges() } else { try context.save() }
    context.insert(ada)
    try save()
    #expect(ada["name"] as? String == "Ada")
    #expect(member["owner"] == nil && eve["back"] == nil)
    // What is set now is saved on both sides.
    ada["partner"] = eve
    ada.addObject(member, toRelationshipNamed: "members")
    ada.addObject(friend, toRelationshipNamed: "friends")
    try save()
    #expect(name(member["owner"]) == "Ada")
  }

  @Test func observersHearOfIt() throws {
    let ada = person("Ada")
    try save()
    context.delete(ada)
    context.processPendingChanges()
    nonisolated(unsafe) var inserted: Set<NSManagedObject>?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { inserted = $0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject> }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.insert(ada)
    context.processPendingChanges()
    #expect(inserted == [ada])
  }

  @Test func itCanBeUndoneAndRedone() throws {
    let manager = setUndo()
    let (ada, eve) = (person("Ada"), person("Eve"))
    ada["partner"] = eve
    try save()
    context.delete(ada)
    context.processPendingChanges()
    context.insert(ada)
    context.processPendingChanges()
    manager.undo()
    #expect(ada.isDeleted)
    manager.redo()
    #expect(!ada.isDeleted)
    manager.undo()
    manager.undo()
    #expect(!ada.isDeleted && name(ada["partner"]) == "Eve" && name(eve["back"]) == "Ada")
    try save()
  }

  // MARK: New objects

  /// A new object that was deleted and is inserted again is deleted like any other.
  @Test(arguments: [false, true]) func theDeletionOfWhatWasNewReachesOthers(isSaved: Bool) throws {
    let (ada, eve, member) = (person("Ada"), person("Eve"), person("member"))
    try context.save()
    let new = person("new")
    context.delete(new)
    context.processPendingChanges()
    context.insert(new)
    ada["partner"] = new
    member["owner"] = new
    eve.addObject(new, toRelationshipNamed: "friends")
    if isSaved { try save() }
    context.delete(new)
    try save()
    #expect(ada["partner"] == nil && member["owner"] == nil)
  }
}
