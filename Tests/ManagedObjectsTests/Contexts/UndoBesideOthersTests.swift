import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Undo after other writers, or changes without an undo action, have related objects that the action knows nothing of.
@Suite struct UndoBesideOthersTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  /// The context with an undo manager, and another.
  private let (here, there): (NSManagedObjectContext, NSManagedObjectContext)
  private let manager = UndoManager()

  init() throws { try self.init(.nullifyDeleteRule) }

  /// Folders have notes by a relationship with a rule, which have tags.
  private init(_ rule: NSDeleteRule, isRequired: Bool = false) throws {
    folder = try TemporaryFolder()
    let notes = SmallModel.relationship("notes", many: true, rule: rule)
    let owner = SmallModel.relationship("folder", optional: !isRequired)
    let (tags, marked) = (
      SmallModel.relationship("tags", many: true), SmallModel.relationship("notes", many: true)
    )
    let folders = SmallModel.entity("Folder", [SmallModel.text("name"), notes])
    let note = SmallModel.entity("Note", [SmallModel.text("name"), owner, tags])
    let tag = SmallModel.entity("Tag", [SmallModel.text("name"), marked])
    SmallModel.link((notes, of: folders), (owner, of: note))
    SmallModel.link((tags, of: note), (marked, of: tag))
    coordinator = try SmallModel.coordinator(
      SmallModel.model(folders, note, tag), folder.file("a.sqlite"))
    (here, there) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    manager.groupsByEvent = false
    here.undoManager = manager
  }

  private func withoutUndo(_ body: () throws -> Void) rethrows {
    here.processPendingChanges()
    manager.disableUndoRegistration()
    try body()
    here.processPendingChanges()
    manager.enableUndoRegistration()
  }

  /// Saves the other context, and merges what it saved.
  private func saveThere() throws {
    let changes = [
      NSInsertedObjectsKey: there.insertedObjects, NSUpdatedObjectsKey: there.updatedObjects,
      NSDeletedObjectsKey: there.deletedObjects,
    ]
    try there.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: changes.mapValues { $0.map(\.objectID) }, into: [here])
  }

  private func there(_ object: NSManagedObject) throws -> NSManagedObject {
    try there.existingObject(with: object.objectID)
  }

  private func expectStore(_ folders: Int, _ notes: [String?]) throws {
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Folder", reader).count == folders)
    let found = try SmallModel.all("Note", reader).map {
      ($0["folder"] as? NSManagedObject)?["name"] as? String
    }
    #expect(found == notes)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test(arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule], [false, true])
  func undoingASavedInsertionIsADeletion(rule: NSDeleteRule, isRequired: Bool) throws {
    let trial = try Self(rule, isRequired: isRequired)
    let folder = SmallModel.new("Folder", ["name": "f"], in: trial.here)
    try trial.here.save()
    SmallModel.new("Note", ["folder": try trial.there(folder)], in: trial.there)
    try trial.saveThere()
    trial.here.undo()
    #expect(folder.isDeleted)
    switch (rule, isRequired) {
    case (.nullifyDeleteRule, true):
      #expect { try trial.here.save() } throws: {
        ($0 as NSError).code == NSValidationMissingMandatoryPropertyError
      }
    case (.nullifyDeleteRule, false):
      try trial.here.save()
      try trial.expectStore(0, [nil])
    default:
      try trial.here.save()
      try trial.expectStore(0, [])
    }
  }

  /// A new object was attached to another without an undo action, and the other's insertion is undone.
  @Test func undoingAnInsertionReachesWhatIsNew() throws {
    let trial = try Self(.cascadeDeleteRule)
    let folder = SmallModel.new("Folder", ["name": "f"], in: trial.here)
    trial.here.processPendingChanges()
    trial.withoutUndo { SmallModel.new("Note", ["folder": folder], in: trial.here) }
    trial.here.undo()
    try trial.here.save()
    try trial.expectStore(0, [])
  }

  @Test func whatWasDeletedWithoutActionIsNotLedToAgain() throws {
    let folder = SmallModel.new("Folder", ["name": "f"], in: here)
    let note = SmallModel.new("Note", ["folder": folder], in: here)
    try here.save()
    manager.removeAllActions()
    here.delete(note)
    try here.save()
    try withoutUndo {
      here.delete(folder)
      try here.save()
    }
    here.undo()
    #expect(!note.isDeleted && note["folder"] == nil)
    try here.save()
    try expectStore(0, [nil])
  }

  /// A deletion that was saved is undone after another writer has deleted the other side, of either kind.
  @Test(arguments: ["Folder", "Note", "Tag"])
  func whatOthersDeletedIsNotLedToAgain(entity: String) throws {
    let folder = SmallModel.new("Folder", ["name": "f"], in: here)
    let note = SmallModel.new("Note", ["folder": folder], in: here)
    let tag = SmallModel.new("Tag", ["name": "t"], in: here)
    note.addObject(tag, toRelationshipNamed: "tags")
    try here.save()
    manager.removeAllActions()
    let own = try #require([folder, note, tag].first { $0.entity.name == entity })
    here.delete(own)
    try here.save()
    for other in [folder, note, tag] where other !== own {
      there.delete(try there(other))
    }
    try saveThere()
    here.undo()
    try here.save()
    try expectStore(entity == "Folder" ? 1 : 0, entity == "Note" ? [nil] : [])
  }

  /// Objects that another writer relates to a deleted one are as they were once the deletion is undone.
  @Test(arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule])
  func undoingADeletionLeavesOthersObjects(rule: NSDeleteRule) throws {
    let trial = try Self(rule)
    let folder = SmallModel.new("Folder", ["name": "f"], in: trial.here)
    let tag = SmallModel.new("Tag", ["name": "t"], in: trial.here)
    try trial.here.save()
    trial.here.delete(folder)
    trial.here.delete(tag)
    trial.here.processPendingChanges()
    let note = SmallModel.new("Note", ["folder": try trial.there(folder)], in: trial.there)
    note.addObject(try trial.there(tag), toRelationshipNamed: "tags")
    try trial.saveThere()
    trial.here.undo()
    let mine = try trial.here.existingObject(with: note.objectID)
    #expect(mine["folder"] as? NSManagedObject === folder && !mine.isDeleted)
    #expect((mine["tags"] as? NSSet)?.count == 1)
    try trial.here.save()
    try trial.expectStore(1, ["f"])
    #expect((tag["notes"] as? NSSet)?.count == 1)
  }

  /// Unless it is: then the save propagates it to them.
  @Test(arguments: [NSDeleteRule.nullifyDeleteRule, .cascadeDeleteRule])
  func aDeletionReachesOthersObjectsInTheSave(rule: NSDeleteRule) throws {
    let trial = try Self(rule)
    let folder = SmallModel.new("Folder", ["name": "f"], in: trial.here)
    try trial.here.save()
    trial.here.delete(folder)
    trial.here.processPendingChanges()
    SmallModel.new("Note", ["folder": try trial.there(folder)], in: trial.there)
    try trial.saveThere()
    try trial.here.save()
    try trial.expectStore(0, rule == .cascadeDeleteRule ? [] : [nil])
  }

  /// Another writer leads an object elsewhere after it was led there and saved; undo leads it back.
  @Test func undoingLeavesNoneBehind() throws {
    let folders = ["f", "g", "h"].map { SmallModel.new("Folder", ["name": $0], in: here) }
    let note = SmallModel.new("Note", ["folder": folders[0]], in: here)
    try here.save()
    manager.removeAllActions()
    note["folder"] = folders[1]
    try here.save()
    try there(note)["folder"] = try there(folders[2])
    try saveThere()
    #expect((folders[2]["notes"] as? NSSet)?.count == 1)
    here.undo()
    #expect(note["folder"] as? NSManagedObject === folders[0])
    #expect(folders.map { ($0["notes"] as? NSSet)?.count } == [1, 0, 0])
    try here.save()
    try expectStore(3, ["f"])
  }

  /// A redo brings back an object whose tag, by another writer, its undo had taken from it.
  @Test func aRedoHasBothSides() throws {
    let note = SmallModel.new("Note", ["name": "n"], in: here)
    try here.save()
    let tag = SmallModel.new("Tag", ["name": "t"], in: there)
    tag.addObject(try there(note), toRelationshipNamed: "notes")
    try saveThere()
    here.undo()
    let mine = try here.existingObject(with: tag.objectID)
    #expect((mine["notes"] as? NSSet)?.count == 0)
    here.redo()
    #expect(!note.isDeleted)
    #expect((mine["notes"] as? NSSet)?.count == (note["tags"] as? NSSet)?.count)
    try here.save()
    let reader = SmallModel.context(coordinator)
    let saved = try #require(try SmallModel.all("Tag", reader).first)
    #expect((saved["notes"] as? NSSet)?.count == (mine["notes"] as? NSSet)?.count)
  }

  /// What a save does to others' objects of a deletion isn't undone alone.
  @Test func undoingASavedDeletionHasBothSides() throws {
    let note = SmallModel.new("Note", ["name": "n"], in: here)
    try here.save()
    manager.removeAllActions()
    here.delete(note)
    here.processPendingChanges()
    let tag = SmallModel.new("Tag", ["name": "t"], in: there)
    tag.addObject(try there(note), toRelationshipNamed: "notes")
    try saveThere()
    let mine = try here.existingObject(with: tag.objectID)
    #expect((mine["notes"] as? NSSet)?.count == 1)
    try here.save()
    #expect((mine["notes"] as? NSSet)?.count == 0)
    here.undo()
    #expect(!note.isDeleted && note.managedObjectContext === here)
    #expect((mine["notes"] as? NSSet)?.count == (note["tags"] as? NSSet)?.count)
    try here.save()
    let reader = SmallModel.context(coordinator)
    let saved = try #require(try SmallModel.all("Tag", reader).first)
    #expect((saved["notes"] as? NSSet)?.count == (mine["notes"] as? NSSet)?.count)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A refresh that discards one side of a change leaves the other, which a save completes: undo takes back both,
  /// whichever sides its action has.
  @Test(
    arguments: [false, true], [false, true])
  func whatARefreshHasHalvedIsUndoneOnBothSides(processesFirst: Bool, isMany: Bool) throws {
    let note = SmallModel.new("Note", ["name": "n"], in: here)
    let other = SmallModel.new(isMany ? "Tag" : "Folder", in: here)
    try here.save()
    here.processPendingChanges()
    manager.removeAllActions()
    let (side, back) = isMany ? ("tags", "notes") : ("folder", "notes")
    if isMany { note.addObject(other, toRelationshipNamed: side) } else { note[side] = other }
    if processesFirst { here.processPendingChanges() }
    here.refresh(isMany ? other : note, mergeChanges: false)
    try here.save()
    func leads() -> [Bool] {
      [
        isMany ? (note[side] as? NSSet)?.contains(other) == true : note[side] != nil,
        (other[back] as? NSSet)?.contains(note) == true,
      ]
    }
    #expect(leads() == [true, true])
    here.undo()
    #expect(leads() == [false, false])
    try here.save()
    here.redo()
    #expect(leads() == [true, true])
    try here.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// What a deletion had ended, as another writer did, comes back on both sides.
  @Test func whatOthersHaveEndedTooComesBackToWhatWasDeleted() throws {
    here.mergePolicy = NSMergePolicy.overwrite
    let folder = SmallModel.new("Folder", ["name": "folder"], in: here)
    let note = SmallModel.new("Note", ["name": "note"], in: here)
    try here.save()
    try there(note)["folder"] = try there(folder)
    try there.save()
    there.delete(try there(folder))
    here.delete(folder)
    here.processPendingChanges()
    try there.save()
    try here.save()
    manager.undo()
    #expect(note["folder"] as? NSManagedObject === folder)
    #expect(SmallModel.names(folder, "notes") == ["note"])
    try here.save()
    #expect(SmallModel.names(folder, "notes") == ["note"])
  }

  /// An object that is inserted again is no update any more, which undo would take out of the list in place of another's.
  @Test func anObjectIsUpdatedOnceBesideOneThatCameBack() throws {
    let (edited, lost) = (
      SmallModel.new("Note", ["name": "a"], in: here),
      SmallModel.new("Note", ["name": "b"], in: here)
    )
    try withoutUndo { try here.save() }
    manager.removeAllActions()
    edited["name"] = "x"
    here.processPendingChanges()
    lost["name"] = "y"
    here.processPendingChanges()
    there.delete(try there(lost))
    try saveThere()
    here.processPendingChanges()
    here.insert(lost)
    here.processPendingChanges()
    while manager.canUndo { manager.undo() }
    #expect(edited["name"] as? String == "a")
    edited["name"] = "z"
    try here.save()
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("Note", reader).map { $0["name"] as? String } == ["z"])
  }

  /// A document is loaded without undo: what follows can be undone.
  @Test(arguments: [false, true]) func removingAllActionsEnablesRegistration(
    enablesAfterwards: Bool
  ) throws {
    manager.disableUndoRegistration()
    let note = SmallModel.new("Note", ["name": "a"], in: here)
    here.processPendingChanges()
    manager.removeAllActions()
    if enablesAfterwards { manager.enableUndoRegistration() }
    #expect(manager.isUndoRegistrationEnabled)
    note["name"] = "b"
    here.undo()
    #expect(note["name"] as? String == "a")
  }
}
