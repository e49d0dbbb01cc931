import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects whose rows another context has deleted, and written again, and what is related to them meanwhile.
@Suite struct RelatedWhileGoneTests {
  private let folder: TemporaryFolder
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let friend = SmallModel.relationship("friend")
    let (members, owner) = (
      SmallModel.relationship("members", many: true), SmallModel.relationship("owner")
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name"), friend, members, owner])
    SmallModel.link((friend, of: person), (friend, of: person))
    SmallModel.link((members, of: person), (owner, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("persons.sqlite"))
    (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    theirs.undoManager = UndoManager()
  }

  private func here(_ object: NSManagedObject) throws -> NSManagedObject {
    let object = try mine.existingObject(with: object.objectID)
    #expect(object["name"] as? String != nil)
    return object
  }

  private func expectSound() throws {
    #expect(try StoreCheck.findings(at: folder.file("persons.sqlite")) == [])
  }

  /// The row of an object that wasn't found is there again before the object is saved as another's destination.
  @Test(arguments: [false, true]) func whatIsThereAgainKeepsItsPartner(isMerged: Bool) throws {
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: theirs),
      SmallModel.new("Person", ["name": "b"], in: theirs)
    )
    try theirs.save()
    theirs.undoManager?.removeAllActions()
    theirs.delete(b)
    try theirs.save()
    let one = try here(a)
    let gone = mine.object(with: b.objectID)
    #expect(gone["name"] == nil && gone.isDeleted)
    one["friend"] = gone
    theirs.undo()
    let changes = [NSInsertedObjectsKey: theirs.insertedObjects.map(\.objectID)]
    try theirs.save()
    if isMerged {
      NSManagedObjectContext.mergeChanges(fromRemoteContextSave: changes, into: [mine])
    }
    try mine.save()
    try expectSound()
    let reader = SmallModel.context(try #require(mine.persistentStoreCoordinator))
    let (read, other) = (
      try reader.existingObject(with: a.objectID), try reader.existingObject(with: b.objectID)
    )
    #expect(read["friend"] as? NSManagedObject === other)
    #expect(other["friend"] as? NSManagedObject === read)
  }

  /// A deletion reaches what another context has led to the object, although it wasn't found here before.
  @Test func aDeletionReachesWhatIsThereAgain() throws {
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: theirs),
      SmallModel.new("Person", ["name": "b"], in: theirs)
    )
    try theirs.save()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let one = try here(a)
    theirs.undoManager?.removeAllActions()
    theirs.delete(b)
    try theirs.save()
    let gone = mine.object(with: b.objectID)
    #expect(gone["name"] == nil && gone.isDeleted)
    theirs.undo()
    let again = try #require(theirs.insertedObjects.first)
    again["friend"] = a
    try theirs.save()
    mine.delete(one)
    try mine.save()
    try expectSound()
  }

  /// An owner that still shows the member that it gets again, and whose row is gone, is no owner.
  @Test func aMemberIsNotLedToAGoneOwner() throws {
    mine.mergePolicy = NSMergePolicy.error
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: mine),
      SmallModel.new("Person", ["name": "b"], in: mine)
    )
    b["owner"] = a
    try mine.save()
    #expect(SmallModel.names(a, "members") == ["b"])
    theirs.delete(try theirs.existingObject(with: a.objectID))
    try theirs.save()
    mine.refresh(b, mergeChanges: false)
    #expect(b["owner"] == nil)
    b["owner"] = a
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try mine.save()
    try expectSound()
  }

  /// A refresh that merges reads members again, and leaves those that are faults without values: when they fire, they get
  /// what the parent has by then.
  @Test @MainActor func faultsOfAChildFireWithWhatItsParentHas() throws {
    let parent = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    parent.persistentStoreCoordinator = mine.persistentStoreCoordinator
    let child = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
    child.parent = parent
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: parent),
      SmallModel.new("Person", ["name": "b"], in: parent)
    )
    b["owner"] = a
    try parent.save()
    let (one, other) = (
      try child.existingObject(with: a.objectID), try child.existingObject(with: b.objectID)
    )
    one["name"] = "changed"
    #expect(SmallModel.names(one, "members") == ["b"])
    child.refresh(other, mergeChanges: false)
    child.refresh(one, mergeChanges: true)
    b["name"] = "new"
    #expect(other["name"] as? String == "new")
    #expect(one["name"] as? String == "changed")
  }

  /// Objects whose changes lead elsewhere, and whose rows lead to each other, are refreshed once each.
  @Test func whatLeadsToEachOtherIsRefreshed() throws {
    let persons = ["a", "b", "c", "d"].map { SmallModel.new("Person", ["name": $0], in: theirs) }
    try theirs.save()
    let same = try persons.map(here)
    same[0]["friend"] = same[2]
    same[1]["friend"] = same[3]
    persons[0]["friend"] = persons[1]
    try theirs.save()
    for object in same { mine.refresh(object, mergeChanges: true) }
    #expect(same[0]["friend"] as? NSManagedObject === same[2])
    persons[0]["friend"] = persons[0]
    try theirs.save()
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    for object in same { mine.refresh(object, mergeChanges: true) }
    try mine.save()
    try expectSound()
  }

  /// A to-one relationship that is set and cleared, and whose row leads to the same destination by now, is changed.
  @Test func whatWasLedHereByOthersIsEndedOnBothSides() throws {
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: theirs),
      SmallModel.new("Person", ["name": "b"], in: theirs)
    )
    try theirs.save()
    let one = try here(a)
    a["friend"] = b
    try theirs.save()
    one["friend"] = try here(b)
    one["friend"] = nil
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try mine.save()
    try expectSound()
    let reader = SmallModel.context(try #require(mine.persistentStoreCoordinator))
    #expect(try reader.existingObject(with: a.objectID)["friend"] == nil)
  }

  /// What is led back to an object whose deletion had cleared the reference is as it was saved, and must not be saved so.
  @Test func whatLeadsToADeletedObjectAgainIsRefusedUntilItIsChanged() throws {
    let manager = UndoManager()
    manager.groupsByEvent = false
    theirs.undoManager = manager
    func step(_ body: () throws -> Void) rethrows {
      manager.beginUndoGrouping()
      try body()
      theirs.processPendingChanges()
      manager.endUndoGrouping()
    }
    var (owner, member) = (NSManagedObject?.none, NSManagedObject?.none)
    try step {
      owner = SmallModel.new("Person", ["name": "owner"], in: theirs)
      member = SmallModel.new("Person", ["name": "member", "owner": owner as Any], in: theirs)
      try theirs.save()
    }
    try step {
      theirs.delete(try #require(owner))
      theirs.processPendingChanges()
      #expect(member?["owner"] == nil)
      member?["owner"] = owner
    }
    #expect(throws: CocoaError.self) { try theirs.save() }
    step { member?["name"] = "changed" }
    manager.undo()
    #expect(member?["name"] as? String == "member")
    let error = #expect(throws: NSError.self) { try theirs.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    member?["owner"] = nil
    try theirs.save()
    try expectSound()
  }

  /// A change of what others then deleted is dropped when it is there again; later ones are saved.
  @Test(arguments: [false, true]) func whatIsChangedOnceItIsThereAgainIsSaved(isSaved: Bool) throws
  {
    let (a, b) = (
      SmallModel.new("Person", ["name": "a"], in: theirs),
      SmallModel.new("Person", ["name": "b"], in: theirs)
    )
    try theirs.save()
    theirs.undoManager?.removeAllActions()
    let (one, two) = (try here(a), try here(b))
    one["name"] = "changed"
    theirs.delete(a)
    try theirs.save()
    func merge(_ key: String) {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [key: [one.objectID]], into: [mine])
    }
    merge(NSDeletedObjectsKey)
    two["name"] = "changed"
    if isSaved { try mine.save() }
    theirs.undo()
    try theirs.save()
    merge(NSInsertedObjectsKey)
    #expect(!one.hasChanges)
    if !isSaved { try mine.save() }
    one["name"] = "changed again"
    #expect(mine.hasChanges)
    try mine.save()
    let reader = SmallModel.context(try #require(mine.persistentStoreCoordinator))
    let read = try reader.existingObject(with: a.objectID)
    #expect(read["name"] as? String == "changed again")
  }
}
