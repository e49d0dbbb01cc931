import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Deletions of objects that were never saved, in the event that inserted them.
@Suite struct UnsavedDeletionTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  /// `A.items` refers to many `B`, which are deleted with it.
  init() throws {
    folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, rule: .cascadeDeleteRule)
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    items.destinationEntity = b
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
  }

  @Test func aSaveForgetsThem() throws {
    let a = SmallModel.new("A", in: context)
    context.delete(a)
    try context.save()
    #expect(a.managedObjectContext == nil)
    #expect(context.registeredObjects.isEmpty)
  }

  @Test(arguments: [true, false]) func aSaveTakesAlongWhatGoesWithThem(early: Bool) throws {
    context.propagatesDeletesAtEndOfEvent = early
    let b = SmallModel.new("B", in: context)
    try context.save()
    let a = SmallModel.new("A", in: context)
    a.addObject(b, toRelationshipNamed: "items")
    context.delete(a)
    try context.save()
    #expect(!context.hasChanges)
    #expect(try SmallModel.all("B", context).isEmpty)
  }

  /// A row that is added and taken away again, where only a save propagates deletions.
  @Test(arguments: [true, false]) func whatIsTakenAwayAgainLeavesItsOwner(settles: Bool) throws {
    let owner = SmallModel.relationship("owner")
    let items = SmallModel.relationship("items", many: true)
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: a), (owner, of: b))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(a, b), folder.file("c.sqlite")))
    context.propagatesDeletesAtEndOfEvent = false
    let list = SmallModel.new("A", in: context)
    try context.save()
    let item = SmallModel.new("B", in: context)
    item["owner"] = list
    if settles { context.processPendingChanges() }
    context.delete(item)
    if settles { context.processPendingChanges() }
    try context.save()
    #expect(!context.hasChanges)
    #expect(item.managedObjectContext == nil)
    #expect((list["items"] as? NSSet)?.count == 0)
    #expect(try SmallModel.all("B", context).isEmpty)
  }

  /// What only a save forgets is found until then, and can be inserted again.
  @Test func whatWaitsForASaveIsFound() throws {
    let owner = SmallModel.relationship("owner")
    let items = SmallModel.relationship("items", many: true)
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: a), (owner, of: b))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(a, b), folder.file("d.sqlite"))
    let context = SmallModel.context(coordinator)
    context.propagatesDeletesAtEndOfEvent = false
    let item = SmallModel.new("B", in: context)
    try context.save()
    let list = SmallModel.new("A", ["name": "list"], in: context)
    item["owner"] = list
    context.processPendingChanges()
    context.delete(list)
    context.processPendingChanges()
    #expect(item["owner"] as? NSManagedObject === list)
    context.insert(list)
    #expect(item["owner"] as? NSManagedObject === list)
    try context.save()
    #expect(try SmallModel.all("A", SmallModel.context(coordinator)).count == 1)
    context.reset()
    #expect(list.managedObjectContext == nil)
  }

  /// What is deleted is no member after the save, though it has been put back in its place among the members
  /// since, which is no change to be validated.
  @Test func whatIsDeletedIsNoMember() throws {
    let owner = SmallModel.relationship("owner")
    let items = SmallModel.relationship("items", many: true, rule: .denyDeleteRule)
    items.isOrdered = true
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: a), (owner, of: b))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(a, b), folder.file("b.sqlite")))
    let (one, two) = (SmallModel.new("B", in: context), SmallModel.new("B", in: context))
    let whole = SmallModel.new("A", ["items": NSOrderedSet(array: [one, two])], in: context)
    try context.save()
    context.delete(one)
    context.processPendingChanges()
    whole["items"] = NSOrderedSet(array: [two, one])
    whole["items"] = NSOrderedSet(array: [one, two])
    try context.save()
    #expect(whole.objectIDs(forRelationshipNamed: "items") == [two.objectID])
  }

  /// A deleted object that was never saved doesn't count as a remaining destination.
  @Test(arguments: [false, true])
  func theyDenyNothing(hasLastingIdentity: Bool) throws {
    let (owner, kept) = (
      SmallModel.relationship("owner", rule: .denyDeleteRule),
      SmallModel.relationship("kept", rule: .cascadeDeleteRule)
    )
    let a = SmallModel.entity("A", [SmallModel.text("name"), kept])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((kept, of: a), (owner, of: b))
    let coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("deny.sqlite"))
    let context = SmallModel.context(coordinator)
    let saved = SmallModel.new("B", in: context)
    try context.save()
    let unsaved = SmallModel.new("A", ["kept": saved], in: context)
    if hasLastingIdentity { try context.obtainPermanentIDs(for: [unsaved]) }
    context.delete(unsaved)
    try context.save()
    #expect(try SmallModel.all("B", context).isEmpty)
  }
}
