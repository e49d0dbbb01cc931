import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Orders with unsaved members, and orders that other writers have changed.
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

  /// A member that another writer added, and that has another owner here, is left out; this isn't a removal.
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

  /// A member that leaves an order that nobody has read, and comes back, comes back to its end, as it does in one that
  /// was read; a child may have saved its leaving before.
  @Test(arguments: 0...2, [false, true])
  func whatComesBackComesToTheEnd(levels: Int, savesBetween: Bool) throws {
    let root = Library.parent(coordinator)
    let box = SmallModel.new("Thing", ["name": "box"], in: root)
    let other = SmallModel.new("Thing", ["name": "other"], in: root)
    let balls = ["1", "2", "3"].map { name in
      SmallModel.new("Thing", ["name": name, "owner": box], in: root)
    }
    try root.save()
    root.refreshAllObjects()
    var contexts = [root]
    for _ in 0..<levels { contexts.append(Library.child(of: contexts[contexts.count - 1])) }
    let last = contexts[contexts.count - 1]
    let ball = last.object(with: balls[0].objectID)
    ball["owner"] = last.object(with: other.objectID)
    last.processPendingChanges()
    if savesBetween, levels > 0 { try last.save() }
    ball["owner"] = last.object(with: box.objectID)
    for context in contexts.reversed() { try context.save() }
    for context in contexts + [SmallModel.context(coordinator)] {
      #expect(names(context.object(with: box.objectID)) == ["2", "3", "1"])
    }
  }

  /// A child's insertion into an ordered relationship of its parent's new object gets a position there.
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
    // The child no longer has a change of the members, but one of the owner.
    #expect(names(own) == ["1"])
    parent.performAndWait { copy["owner"] = nil }
    try child.save()
    try parent.performAndWait {
      #expect(names(try parent.existingObject(with: own.objectID)) == ["1"])
      try parent.save()
    }
    #expect(try StoreCheck.findings(at: folder.file("Things.sqlite")) == [])
  }

  /// Undoing a move keeps what other writers have added and deleted meanwhile.
  @Test func anUndoneMoveKeepsWhatOthersDid() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let box = SmallModel.new("Thing", ["name": "box"], in: mine)
    let things = (0..<4).map { SmallModel.new("Thing", ["name": "\($0)"], in: mine) }
    box["things"] = NSOrderedSet(array: things)
    try mine.save()
    let undo = UndoManager()
    undo.groupsByEvent = false
    mine.undoManager = undo
    undo.beginUndoGrouping()
    box.mutableOrderedSetValue(forKey: "things").moveObjects(at: IndexSet(integer: 0), to: 2)
    mine.processPendingChanges()
    undo.endUndoGrouping()
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: theirs, queue: nil
    ) { mine.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    let other = try theirs.existingObject(with: box.objectID)
    other.mutableOrderedSetValue(forKey: "things")
      .insert(SmallModel.new("Thing", ["name": "new"], in: theirs), at: 4)
    theirs.delete(try theirs.existingObject(with: things[3].objectID))
    try theirs.save()
    #expect(names(box) == ["1", "2", "0", "new"])
    undo.undo()
    #expect(names(box) == ["0", "1", "2", "new"])
    undo.redo()
    #expect(names(box) == ["1", "2", "0", "new"])
    mine.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try mine.save()
    let reader = SmallModel.context(coordinator)
    #expect(names(try reader.existingObject(with: box.objectID)) == ["1", "2", "0", "new"])
  }
}
