import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Relationships of what undo and redo bring back.
@Suite struct UndoneRelationshipTests {
  /// A context of a new store whose changes can be undone event by event.
  private func undoing(
    _ entities: NSEntityDescription..., in folder: TemporaryFolder,
    _ policy: NSMergePolicyType = .errorMergePolicyType
  ) throws -> NSManagedObjectContext {
    let model = NSManagedObjectModel()
    model.entities = entities
    let context = SmallModel.context(
      try SmallModel.coordinator(model, folder.file("a.sqlite")), policy)
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    return context
  }

  /// A redo adds no member that has lost a conflict, and that it doesn't insert again.
  @Test(arguments: [false, true]) func whatHasLostIsNoMemberAgain(wasSaved: Bool) throws {
    let folder = try TemporaryFolder()
    let (mates, back) = (
      SmallModel.relationship("mates", many: true), SmallModel.relationship("back", many: true)
    )
    let item = SmallModel.entity(
      "Item", [SmallModel.text("code"), mates, back], unique: [["code"]])
    SmallModel.link((mates, of: item), (back, of: item))
    let context = try undoing(item, in: folder, .overwriteMergePolicyType)
    let loser = SmallModel.new("Item", ["code": "same"], in: context)
    if wasSaved { try context.save() } else { context.processPendingChanges() }
    let survivor = SmallModel.new("Item", ["code": "same"], in: context)
    survivor["mates"] = NSSet(object: loser)
    try context.save()
    #expect(loser.managedObjectContext == nil)
    context.undo()
    context.redo()
    #expect((survivor["mates"] as? NSSet)?.count == 0)
    try context.save()
    #expect((survivor["mates"] as? NSSet)?.count == 0)
  }

  /// A deletion that has cascaded comes back after another writer has saved the owner again, whom the action's changes don't
  /// reach: the object that comes back is a member of the one that is there.
  @Test(arguments: [false, true]) func whatComesBackJoinsAnOwnerThatAnotherHasPutBack(ordered: Bool)
    throws
  {
    let folder = try TemporaryFolder()
    let file = folder.file("a.sqlite")
    let part = SmallModel.entity("Part", [])
    let whole = SmallModel.relationship("whole", rule: .cascadeDeleteRule)
    let parts = SmallModel.relationship("parts", many: true)
    parts.isOrdered = ordered
    part.properties = [SmallModel.text("name"), whole, parts]
    SmallModel.link((whole, of: part), (parts, of: part))
    let coordinator = try SmallModel.coordinator(SmallModel.model(part), file)
    let (mine, theirs) = (
      SmallModel.context(coordinator),
      SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    )
    mine.undoManager = UndoManager()
    mine.undoManager?.groupsByEvent = false
    let (first, owner, member) = (
      SmallModel.new("Part", ["name": "first"], in: theirs),
      SmallModel.new("Part", ["name": "owner"], in: theirs),
      SmallModel.new("Part", ["name": "member"], in: theirs)
    )
    try theirs.save()
    let here = mine.object(with: member.objectID)
    here["whole"] = mine.object(with: owner.objectID)
    mine.processPendingChanges()
    mine.delete(here)
    try mine.save()
    owner["whole"] = first
    try theirs.save()
    let present = mine.object(with: owner.objectID)
    #expect(present["name"] as? String == "owner")
    mine.undo()
    try mine.save()
    #expect(try StoreCheck.findings(at: file) == [])
    let reader = SmallModel.context(coordinator)
    let names = try SmallModel.all("Part", reader).flatMap {
      $0.objectIDs(forRelationshipNamed: "parts").compactMap {
        reader.object(with: $0)["name"] as? String
      }
    }
    #expect(names.sorted() == ["member", "owner"])
  }

  /// A new member that a rule keeps in its owner's relationship is deleted first, and its owner then, in an event of its
  /// own; both come back related.
  @Test func aDeniedDeletionComesBackWithItsOwner() throws {
    let part = SmallModel.entity("Part", [])
    let whole = SmallModel.relationship("whole", rule: .denyDeleteRule)
    let parts = SmallModel.relationship("parts", many: true)
    part.properties = [SmallModel.text("name"), whole, parts]
    SmallModel.link((whole, of: part), (parts, of: part))
    let context = SmallModel.context(try TestStore.coordinator(SmallModel.model(part)))
    context.undoManager = UndoManager()
    context.undoManager?.groupsByEvent = false
    let owner = SmallModel.new("Part", ["name": "owner"], in: context)
    let member = SmallModel.new("Part", ["name": "member"], in: context)
    owner["parts"] = NSSet(object: member)
    context.processPendingChanges()
    context.delete(member)
    context.processPendingChanges()
    context.delete(owner)
    context.undo()
    context.undo()
    #expect(SmallModel.names(owner, "parts") == ["member"])
    #expect((member["whole"] as? NSManagedObject) === owner)
    try context.save()
    #expect((member["whole"] as? NSManagedObject) === owner)
  }

  /// A relationship that leads to what is being deleted, as no rule ends it, is led elsewhere meanwhile: both undone, it is the
  /// former one again, on both sides.
  @Test func whatMovedWhileItWasBeingDeletedIsBack() throws {
    let folder = try TemporaryFolder()
    let (owner, items) = (
      SmallModel.relationship("owner", rule: .noActionDeleteRule),
      SmallModel.relationship("items", many: true)
    )
    let (item, list) = (SmallModel.entity("Item", [owner]), SmallModel.entity("List", [items]))
    SmallModel.link((owner, of: item), (items, of: list))
    let context = try undoing(item, list, in: folder)
    let (first, second) = (
      SmallModel.new("List", [:], in: context), SmallModel.new("List", [:], in: context)
    )
    let moved = SmallModel.new("Item", [:], in: context)
    first["items"] = NSSet(object: moved)
    try context.save()
    context.delete(moved)
    context.processPendingChanges()
    second["items"] = NSSet(object: moved)
    context.undo()
    #expect((first["items"] as? NSSet)?.contains(moved) == true)
    context.undo()
    #expect(moved["owner"] as? NSManagedObject === first)
    #expect((first["items"] as? NSSet)?.contains(moved) == true)
    #expect((second["items"] as? NSSet)?.count == 0)
    try context.save()
    context.refreshAllObjects()
    #expect(moved["owner"] as? NSManagedObject === first)
  }

  /// A deletion that has cascaded, and whose destination was led elsewhere meanwhile.
  @Test func whatMovedAfterACascadeIsBack() throws {
    let folder = try TemporaryFolder()
    let (parts, whole) = (
      SmallModel.relationship("parts", many: true),
      SmallModel.relationship("whole", rule: .cascadeDeleteRule)
    )
    let thing = SmallModel.entity("Thing", [parts, whole])
    SmallModel.link((parts, of: thing), (whole, of: thing))
    let context = try undoing(thing, in: folder)
    let (owner, part) = (
      SmallModel.new("Thing", [:], in: context), SmallModel.new("Thing", [:], in: context)
    )
    try context.save()
    owner["parts"] = NSSet(object: part)
    context.processPendingChanges()
    context.delete(part)
    context.processPendingChanges()
    part["parts"] = NSSet(object: part)
    context.undo()
    context.undo()
    #expect(part["whole"] as? NSManagedObject === owner)
    #expect((owner["parts"] as? NSSet)?.contains(part) == true)
    #expect((part["parts"] as? NSSet)?.count == 0)
    try context.save()
    context.refreshAllObjects()
    #expect(part["whole"] as? NSManagedObject === owner)
  }

  /// Object IDs that are values of attributes are no relationships.
  @Test func identitiesInAttributesAreBack() throws {
    let folder = try TemporaryFolder()
    let link = attribute("link", .objectIDAttributeType)
    link.isTransient = true
    let context = try undoing(
      SmallModel.entity("Thing", [SmallModel.text("name"), link]), in: folder)
    let things = (0..<3).map { _ in SmallModel.new("Thing", [:], in: context) }
    try context.save()
    things[0].setValue(things[1].objectID, forKey: "link")
    context.processPendingChanges()
    things[0].setValue(things[2].objectID, forKey: "link")
    context.undo()
    #expect(things[0].value(forKey: "link") as? NSManagedObjectID == things[1].objectID)
  }
}
