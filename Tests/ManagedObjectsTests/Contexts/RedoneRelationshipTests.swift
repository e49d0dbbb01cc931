import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Redo after others' changes, or a merge policy, have left objects that its action doesn't know of.
@Suite struct RedoneRelationshipTests {
  private let folder: TemporaryFolder
  private let (mine, theirs): (NSManagedObjectContext, NSManagedObjectContext)

  init() throws {
    folder = try TemporaryFolder()
    let boss = SmallModel.relationship("boss", rule: .cascadeDeleteRule)
    let staff = SmallModel.relationship("staff", many: true)
    let person = SmallModel.entity(
      "Person", [SmallModel.text("name"), boss, staff], unique: [["name"]])
    SmallModel.link((boss, of: person), (staff, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("persons.sqlite"))
    (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.undoManager = UndoManager()
  }

  /// What the undone insertion's rules have reached without an undo action stays to be deleted.
  @Test func aRedoLeadsToNothingThatIsBeingDeleted() throws {
    let one = SmallModel.new("Person", ["name": "1"], in: mine)
    try mine.save()
    let same = try theirs.existingObject(with: one.objectID)
    let boss = SmallModel.new("Person", ["name": "2"], in: theirs)
    same["boss"] = boss
    try theirs.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [
        NSInsertedObjectsKey: [boss.objectID], NSUpdatedObjectsKey: [same.objectID],
      ], into: [mine])
    #expect((one["boss"] as? NSManagedObject)?.objectID == boss.objectID)
    mine.undo()
    mine.redo()
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("persons.sqlite")) == [])
  }

  /// The object that has taken the place of a new one with equal values keeps relationships with two sides.
  @Test func aRedoMeansTheSurvivor() throws {
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let persons = (0..<2).map { _ in SmallModel.new("Person", ["name": "same"], in: mine) }
    persons[1].addObject(persons[0], toRelationshipNamed: "staff")
    try mine.save()
    mine.undo()
    mine.redo()
    for person in mine.registeredObjects where !person.isDeleted {
      let staff = person["staff"] as? Set<NSManagedObject> ?? []
      for member in staff { #expect(member["boss"] as? NSManagedObject === person) }
      if let boss = person["boss"] as? NSManagedObject {
        #expect((boss["staff"] as? Set<NSManagedObject>)?.contains(person) == true)
      }
    }
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("persons.sqlite")) == [])
  }

  /// The loser of a conflict that a redo has inserted again is an object of its own: once it is deleted, its survivor doesn't
  /// stand for it.
  @Test func aLoserThatIsThereAgainIsNotItsSurvivor() throws {
    let boss = SmallModel.relationship("boss", rule: .denyDeleteRule)
    let staff = SmallModel.relationship("staff", many: true, rule: .noActionDeleteRule)
    let person = SmallModel.entity(
      "Person", [SmallModel.text("name"), boss, staff], unique: [["name"]])
    SmallModel.link((boss, of: person), (staff, of: person))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(person), folder.file("left.sqlite")))
    context.undoManager = UndoManager()
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let persons = (0..<2).map { _ in SmallModel.new("Person", ["name": "same"], in: context) }
    persons[1].addObject(persons[0], toRelationshipNamed: "staff")
    try context.save()
    let survivor = try #require(context.registeredObjects.first { !$0.isDeleted })
    let loser = try #require(persons.first { $0 !== survivor })
    context.undo()
    context.redo()
    try #require(loser.isInserted)
    context.delete(loser)
    context.processPendingChanges()
    #expect(survivor["boss"] as? NSManagedObject !== survivor)
  }

  /// Undo leads to what was deleted before it was left: a save refuses that until undo has restored it, too.
  @Test func whatIsStillToBeRestoredIsNotSaved() throws {
    let (boss, staff) = (
      SmallModel.relationship("boss"),
      SmallModel.relationship("staff", many: true, rule: .denyDeleteRule)
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name"), boss, staff])
    SmallModel.link((boss, of: person), (staff, of: person))
    let file = folder.file("denied.sqlite")
    let context = SmallModel.context(try SmallModel.coordinator(SmallModel.model(person), file))
    let manager = UndoManager()
    manager.groupsByEvent = false
    context.undoManager = manager
    let (one, other) = (
      SmallModel.new("Person", in: context), SmallModel.new("Person", in: context)
    )
    one["boss"] = other
    try context.save()
    context.delete(other)
    context.processPendingChanges()
    one["boss"] = nil
    context.processPendingChanges()
    try context.save()
    context.undo()
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == "boss")
    context.undo()
    try context.save()
    #expect(try StoreCheck.findings(at: file) == [])
    #expect((one["boss"] as? NSManagedObject)?.objectID == other.objectID)
  }
}
