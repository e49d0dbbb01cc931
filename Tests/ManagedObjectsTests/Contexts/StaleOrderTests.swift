import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Orders of objects that aren't in a store yet, and of those that others moved.
@Suite struct StaleOrderTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    let owner = SmallModel.relationship("owner")
    let things = SmallModel.relationship("things", many: true, ordered: true)
    let thing = SmallModel.entity("Thing", [SmallModel.text("name"), owner, things])
    SmallModel.link((owner, of: thing), (things, of: thing))
    coordinator = try SmallModel.coordinator(SmallModel.model(thing), folder.file("Things.sqlite"))
  }

  private func names(_ object: NSManagedObject) -> [String] { SmallModel.names(object, "things") }

  /// A member that others added, and that has another owner here, is left out; nobody took it out.
  @Test func whatIsLeftOutComesBack() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let box = SmallModel.new("Thing", ["name": "box"], in: mine)
    let ball = SmallModel.new("Thing", ["name": "ball"], in: mine)
    try mine.save()
    mine.refreshAllObjects()
    #expect(ball["owner"] == nil)
    try theirs.existingObject(with: ball.objectID)["owner"] =
      try theirs.existingObject(with: box.objectID)
    try theirs.save()
    let other = SmallModel.new("Thing", ["name": "other"], in: mine)
    ball["owner"] = other
    #expect(names(box) == [])
    #expect(!box.hasPersistentChangedValues)
    ball["owner"] = nil
    box["name"] = "changed"
    mine.refresh(box, mergeChanges: true)
    #expect(names(box) == ["ball"])
  }

  /// What a child puts into an order of its parent's new objects has a place there.
  @Test func aChildsMemberOfANewObjectHasAPlace() throws {
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let own = SmallModel.new("Thing", ["name": "1"], in: child)
    try child.save()
    own["owner"] = own
    let copy = try parent.performAndWait {
      let copy = try parent.existingObject(with: own.objectID)
      copy["owner"] = copy
      return copy
    }
    // The child has no change of the members by now, but of the owner.
    #expect(names(own) == ["1"])
    parent.performAndWait { copy["owner"] = nil }
    try child.save()
    try parent.performAndWait {
      #expect(names(try parent.existingObject(with: own.objectID)) == ["1"])
      try parent.save()
    }
    #expect(try StoreCheck.findings(at: folder.file("Things.sqlite")) == [])
  }
}
