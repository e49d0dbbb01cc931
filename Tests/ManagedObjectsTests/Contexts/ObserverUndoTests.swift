import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Undo and redo of what changes while nothing can be undone, or between undo and redo.
@Suite struct ObserverUndoTests {
  private let folder: TemporaryFolder
  private let (mine, theirs): (NSManagedObjectContext, NSManagedObjectContext)

  init() throws {
    folder = try TemporaryFolder()
    let (members, owner) = (
      SmallModel.relationship("members", many: true), SmallModel.relationship("owner")
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name"), members, owner])
    SmallModel.link((members, of: person), (owner, of: person))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person), folder.file("persons.sqlite"))
    (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.undoManager = UndoManager()
    mine.undoManager?.groupsByEvent = false
  }

  private func person(_ name: String, _ context: NSManagedObjectContext) -> NSManagedObject {
    SmallModel.new("Person", ["name": name], in: context)
  }

  /// Calls a closure once, at the context's next notification of a name.
  private func once(
    _ name: NSNotification.Name, _ body: @escaping () -> Void
  ) -> any NSObjectProtocol {
    nonisolated(unsafe) var isDone = false
    nonisolated(unsafe) let body = body
    return NotificationCenter.default.addObserver(forName: name, object: mine, queue: nil) { _ in
      if !isDone {
        isDone = true
        body()
      }
    }
  }

  /// What an observer changes in answer to undo is undone by redo, which is still possible: also if it is told of several
  /// events of one group, and ends an event itself.
  @Test(arguments: [["b"], ["b", "c"], ["b", "c", "d"]], [false, true])
  func anObserverOfUndoLeavesRedo(names: [String], endsEvents: Bool) throws {
    let (note, stamp) = (person("a", mine), person("0", mine))
    try mine.save()
    let undoManager = try #require(mine.undoManager)
    undoManager.removeAllActions()
    nonisolated(unsafe) var count = 0
    nonisolated(unsafe) let (watched, counted) = (note, stamp)
    let context = mine
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: mine, queue: nil
    ) { notice in
      let updated = notice.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
      guard updated?.contains(watched) == true, context.undoManager?.isUndoing == true else {
        return
      }
      count += 1
      counted["name"] = "\(count)"
      if endsEvents { context.processPendingChanges() }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    undoManager.beginUndoGrouping()
    for name in names {
      note["name"] = name
      mine.processPendingChanges()
    }
    undoManager.endUndoGrouping()
    mine.undo()
    #expect(note["name"] as? String == "a")
    #expect(stamp["name"] as? String == "\(names.count)")
    #expect(undoManager.canRedo)
    mine.redo()
    #expect(note["name"] as? String == names.last)
    #expect(stamp["name"] as? String == "0")
  }

  /// What a handler of the program's own changes is undone by redo, also beside an event of its group.
  @Test func aHandlersChangesAreRedone() throws {
    let (item, other) = (person("old", mine), person("0", mine))
    try mine.save()
    let undoManager = try #require(mine.undoManager)
    undoManager.removeAllActions()
    undoManager.beginUndoGrouping()
    other["name"] = "1"
    mine.processPendingChanges()
    undoManager.disableUndoRegistration()
    item["name"] = "new"
    mine.processPendingChanges()
    undoManager.enableUndoRegistration()
    undoManager.registerUndo(withTarget: item) { $0["name"] = "old" }
    undoManager.endUndoGrouping()
    mine.undo()
    #expect(item["name"] as? String == "old" && other["name"] as? String == "0")
    mine.redo()
    #expect(item["name"] as? String == "new" && other["name"] as? String == "1")
  }

  /// What observers change in answer to a change right before a merge, or to what another observer has changed, is undone
  /// and redone with it.
  @Test(arguments: [false, true]) func answersAreUndone(byMerge: Bool) throws {
    let objects = ["note", "folder", "library"].map { person($0, mine) }
    try mine.save()
    let undoManager = try #require(mine.undoManager)
    undoManager.removeAllActions()
    nonisolated(unsafe) let all = objects
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: mine, queue: nil
    ) { notice in
      let updated = notice.userInfo?[NSUpdatedObjectsKey] as? Set<NSManagedObject> ?? []
      for (lower, upper) in zip(all, all.dropFirst()) where updated.contains(lower) {
        let text = "\(lower["name"] as? String ?? "")'"
        if upper["name"] as? String != text { upper["name"] = text }
      }
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    func names() -> [String?] { objects.map { $0["name"] as? String } }
    undoManager.beginUndoGrouping()
    objects[0]["name"] = "new"
    if byMerge {
      let other = person("other", theirs)
      try theirs.save()
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSInsertedObjectsKey: [other.objectID]], into: [mine])
    }
    undoManager.endUndoGrouping()
    #expect(names() == ["new", "new'", "new''"])
    mine.undo()
    #expect(names()[0] == "note" && undoManager.canRedo)
    mine.redo()
    #expect(names() == ["new", "new'", "new''"])
  }

  /// What an observer of a merge changes and saves is undone, though the merge concerned nothing that is known here.
  @Test func anAnswerToAMergeOfStrangersIsUndone() throws {
    let owner = person("owner", mine)
    let other = person("other", theirs)
    try mine.save()
    try theirs.save()
    mine.undoManager?.removeAllActions()
    let context = mine
    let observer = once(.NSManagedObjectContextDidMergeChangesObjectIDs) {
      owner["name"] = "changed"
      try? context.save()
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: [other.objectID]], into: [mine])
    #expect(owner["name"] as? String == "changed" && !mine.hasChanges)
    mine.undo()
    #expect(owner["name"] as? String == "owner")
  }

  /// A rollback while an undo is told leaves neither the rest of the group nor a redo.
  @Test func aRollbackWhileUndoingEndsIt() throws {
    let (one, two) = (person("a", mine), person("a", mine))
    try mine.save()
    let undoManager = try #require(mine.undoManager)
    undoManager.removeAllActions()
    undoManager.beginUndoGrouping()
    for person in [one, two] {
      person["name"] = "b"
      mine.processPendingChanges()
    }
    undoManager.endUndoGrouping()
    let context = mine
    let observer = once(.NSManagedObjectContextObjectsDidChange) { context.rollback() }
    defer { NotificationCenter.default.removeObserver(observer) }
    mine.undo()
    #expect(!undoManager.canUndo && !undoManager.canRedo)
    mine.redo()
    #expect(!mine.hasChanges)
    #expect([one, two].map { $0["name"] as? String } == ["a", "a"])
  }

  /// An insertion that was refreshed away has nothing that redo could insert.
  @Test func redoOfWhatWasRefreshedAway() throws {
    let ada = person("Ada", mine)
    mine.processPendingChanges()
    mine.refresh(ada, mergeChanges: false)
    mine.undo()
    mine.redo()
    try mine.save()
    #expect(try SmallModel.all("Person", theirs).isEmpty)
  }

  /// What an observer of a merge changes is a change of its own: undoing it leaves the members that were added before.
  @Test(arguments: [
    NSNotification.Name.NSManagedObjectContextObjectsDidChange,
    .NSManagedObjectContextDidMergeChangesObjectIDs,
  ])
  func undoTakesBackOnlyWhatAnObserverOfAMergeHasChanged(name: NSNotification.Name) throws {
    let (owner, member) = (person("owner", mine), person("member", mine))
    try mine.save()
    owner.addObject(member, toRelationshipNamed: "members")
    mine.processPendingChanges()
    let observer = once(name) { owner["name"] = "changed" }
    defer { NotificationCenter.default.removeObserver(observer) }
    let other = person("other", theirs)
    try theirs.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSInsertedObjectsKey: [other.objectID]], into: [mine])
    mine.processPendingChanges()
    #expect(owner["name"] as? String == "changed")
    mine.undo()
    #expect(owner["name"] as? String == "owner")
    #expect(SmallModel.names(owner, "members") == ["member"])
    try mine.save()
    #expect(SmallModel.names(owner, "members") == ["member"] && member["owner"] != nil)
  }

  /// The same where registration was only disabled in between.
  @Test func undoTakesBackOnlyWhatWasChangedWithoutRegistration() throws {
    let (owner, member) = (person("owner", mine), person("member", mine))
    try mine.save()
    owner.addObject(member, toRelationshipNamed: "members")
    mine.processPendingChanges()
    mine.undoManager?.disableUndoRegistration()
    owner["name"] = "changed"
    mine.undoManager?.enableUndoRegistration()
    mine.processPendingChanges()
    mine.undo()
    #expect(SmallModel.names(owner, "members") == ["member"])
  }

  /// What has been changed since leaves nothing to redo.
  @Test(arguments: [false, true]) func aRedoAfterAChangeDoesNothing(groupsByEvent: Bool) throws {
    mine.undoManager?.groupsByEvent = groupsByEvent
    let one = person("0", mine)
    try mine.save()
    one["name"] = "1"
    mine.undo()
    one["name"] = "2"
    mine.redo()
    #expect(one["name"] as? String == "2")
    guard !groupsByEvent else { return }
    mine.undo()
    #expect(one["name"] as? String == "0")
  }
}
