import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// One-to-one relationships where one side was read before the other changed: whoever leads an object elsewhere also
/// ends the relationship on the side that doesn't know of it yet.
@Suite struct StalePartnerTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  /// `A.partner` and `B.partner` are inverse to each other.
  init() throws {
    folder = try TemporaryFolder()
    let (one, other) = (SmallModel.relationship("partner"), SmallModel.relationship("partner"))
    let a = SmallModel.entity("A", [SmallModel.text("name"), one])
    let b = SmallModel.entity("B", [SmallModel.text("name"), other])
    SmallModel.link((one, of: a), (other, of: b))
    coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
  }

  enum Step: CaseIterable { case clear, lead, take }

  @Test(arguments: Step.allCases) func theStoreHasBothSides(step: Step) throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    let other = SmallModel.new("B", ["name": "c"], in: theirs)
    try theirs.save()
    // Read without a partner.
    let stale = try mine.existingObject(with: b.objectID)
    #expect(stale["name"] as? String == "b")
    let a = SmallModel.new("A", ["name": "a", "partner": b], in: theirs)
    let second = SmallModel.new("A", ["name": "z"], in: theirs)
    try theirs.save()
    // Read with it.
    let here = try mine.existingObject(with: a.objectID)
    #expect(here["partner"] as? NSManagedObject === stale)
    let free = try mine.existingObject(with: other.objectID)
    switch step {
    case .clear: here["partner"] = nil
    case .lead: here["partner"] = free
    case .take: free["partner"] = here
    }
    #expect(stale["partner"] == nil)
    try mine.save()
    let reader = SmallModel.context(coordinator)
    for b in try SmallModel.all("B", reader) {
      let partner = b["partner"] as? NSManagedObject
      #expect(partner == nil || partner?["partner"] as? NSManagedObject === b)
      #expect((partner != nil) == (b["name"] as? String == "c" && step != .clear))
    }
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    _ = second
  }

  /// Another context gives a partner to an object that is deleted here; the refresh of the latter ends the conflict.
  @Test func aRefreshedDeletionReachesTheNewPartner() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    mine.delete(here)
    mine.processPendingChanges()
    a["partner"] = b
    try theirs.save()
    mine.refresh(here, mergeChanges: true)
    try mine.save()
    let reader = SmallModel.context(coordinator)
    #expect(try SmallModel.all("A", reader).isEmpty)
    #expect(try SmallModel.all("B", reader).map { $0["partner"] == nil } == [true])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A child that read an object before its parent gave it a partner, and deletes the partner after leading it elsewhere.
  @Test func aChildPassesBothSidesOn() throws {
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let (b, other) = try parent.performAndWait {
      let b = SmallModel.new("B", ["name": "b"], in: parent)
      let other = SmallModel.new("B", ["name": "c"], in: parent)
      try parent.save()
      return (b.objectID, other.objectID)
    }
    let stale = child.performAndWait {
      let stale = child.object(with: b)
      #expect(stale["partner"] == nil)
      return stale
    }
    let a = try parent.performAndWait {
      let a = SmallModel.new("A", ["name": "a", "partner": parent.object(with: b)], in: parent)
      try parent.save()
      return a.objectID
    }
    try child.performAndWait {
      let here = child.object(with: a)
      #expect(here["partner"] as? NSManagedObject === stale)
      here["partner"] = child.object(with: other)
      child.delete(here)
      try child.save()
    }
    try parent.performAndWait { try parent.save() }
    let rows = try SmallModel.all("B", SmallModel.context(coordinator))
    #expect(rows.count == 2 && rows.allSatisfy { $0["partner"] == nil })
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A child that had deleted an object, which its parent brought back and gave a partner, and deletes the partner.
  @Test func aPartnerThatCameBackIsFree() throws {
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let b = try parent.performAndWait {
      let b = SmallModel.new("B", ["name": "b"], in: parent)
      try parent.save()
      return b.objectID
    }
    let ghost = try child.performAndWait {
      child.delete(child.object(with: b))
      try child.save()
      let ghost = child.object(with: b)
      #expect(ghost["name"] == nil)
      return ghost
    }
    let (a, other) = try parent.performAndWait {
      parent.rollback()
      let a = SmallModel.new("A", ["name": "a", "partner": parent.object(with: b)], in: parent)
      let other = SmallModel.new("B", ["name": "c"], in: parent)
      try parent.save()
      return (a.objectID, other.objectID)
    }
    try child.performAndWait {
      let here = child.object(with: a)
      here["partner"] = child.object(with: other)
      child.delete(here)
      try child.save()
      _ = ghost
    }
    try parent.performAndWait { try parent.save() }
    let rows = try SmallModel.all("B", SmallModel.context(coordinator))
    #expect(rows.count == 2 && rows.allSatisfy { $0["partner"] == nil })
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A member whose row was read before it became one leaves its owner all the same.
  @Test(arguments: [false, true], [false, true])
  func aStaleMemberLeaves(isOrdered: Bool, byChild: Bool) throws {
    let (owner, items) = (
      SmallModel.relationship("owner"),
      SmallModel.relationship("items", many: true, ordered: isOrdered)
    )
    let a = SmallModel.entity("A", [SmallModel.text("name"), owner])
    let b = SmallModel.entity("B", [SmallModel.text("name"), items])
    SmallModel.link((owner, of: a), (items, of: b))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(a, b), folder.file("b.sqlite"))
    let theirs = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    theirs.persistentStoreCoordinator = coordinator
    let mine = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    if byChild { mine.parent = theirs } else { mine.persistentStoreCoordinator = coordinator }
    let (item, holder) = try theirs.performAndWait {
      let item = SmallModel.new("A", ["name": "a"], in: theirs)
      let holder = SmallModel.new("B", ["name": "b"], in: theirs)
      try theirs.save()
      return (item.objectID, holder.objectID)
    }
    let stale = mine.performAndWait {
      let stale = mine.object(with: item)
      #expect(stale["owner"] == nil)
      return stale
    }
    try theirs.performAndWait {
      theirs.object(with: item)["owner"] = theirs.object(with: holder)
      try theirs.save()
    }
    try mine.performAndWait {
      let here = mine.object(with: holder)
      #expect(SmallModel.names(here, "items") == ["a"])
      if isOrdered {
        here.mutableOrderedSetValue(forKey: "items").remove(stale)
      } else {
        here.mutableSetValue(forKey: "items").remove(stale)
      }
      #expect(stale["owner"] == nil)
      try mine.save()
    }
    if byChild { try theirs.performAndWait { try theirs.save() } }
    let saved = try #require(try SmallModel.all("A", SmallModel.context(coordinator)).first)
    #expect(saved["owner"] == nil)
    #expect(try StoreCheck.findings(at: folder.file("b.sqlite")) == [])
  }

  /// Both lead an object to the same new partner, and the policy drops what was done here: the former partner, whose row
  /// was read without it, stays without it.
  @Test func aFormerPartnerIsNotLedBack() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    let partners = ["1", "2"].map { SmallModel.new("B", ["name": $0], in: theirs) }
    a["partner"] = partners[0]
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    a["partner"] = partners[1]
    try theirs.save()
    here["partner"] = try mine.existingObject(with: partners[1].objectID)
    try mine.save()
    #expect(here["partner"] as? NSManagedObject == mine.object(with: partners[1].objectID))
    #expect(mine.object(with: partners[0].objectID)["partner"] == nil)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// The policy drops a deletion here, of what another writer has given a partner that wasn't found here before it was saved.
  @Test func aPartnerThatWasNotFoundStays() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    #expect(throws: (any Error).self) { try mine.existingObject(with: b.objectID) }
    a["partner"] = b
    try theirs.save()
    mine.delete(here)
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    let saved = try #require(SmallModel.all("A", SmallModel.context(coordinator)).first)
    #expect(saved.objectIDs(forRelationshipNamed: "partner") == [b.objectID])
  }

  /// Both give an object the same partner, which is read here when others have saved it; undo ends the relationship on both
  /// sides, whether that has been merged or not.
  @Test(arguments: [false, true]) func undoEndsWhatOthersHaveMadeToo(isMerged: Bool) throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    mine.mergePolicy = NSMergePolicy.rollback
    mine.undoManager = UndoManager()
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    let b = SmallModel.new("B", ["name": "b"], in: theirs)
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    a["partner"] = b
    try theirs.save()
    here["partner"] = mine.object(with: b.objectID)
    mine.processPendingChanges()
    if isMerged {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectsKey: [a.objectID, b.objectID]], into: [mine])
    }
    mine.undo()
    try mine.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// What another writer has led elsewhere isn't taken from there when the change of its former partner is dropped.
  @Test(arguments: [NSSQLiteStoreType, NSBinaryStoreType, NSInMemoryStoreType])
  func aDroppedChangeTakesNothingFromWhereOthersHaveLedIt(type: String) throws {
    let folder = try TemporaryFolder()
    let (one, two) = (SmallModel.relationship("one"), SmallModel.relationship("two"))
    let item = SmallModel.entity("Item", [SmallModel.text("name"), one, two])
    SmallModel.link((one, of: item), (two, of: item))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SmallModel.model(item))
    try coordinator.addPersistentStore(ofType: type, configurationName: nil, at: folder.file("a"))
    let theirs = SmallModel.context(coordinator)
    let mine = SmallModel.context(coordinator, .rollbackMergePolicyType)
    let others = (1...3).map { SmallModel.new("Item", ["name": "\($0)"], in: theirs) }
    try theirs.save()
    let items = try others.map { try mine.existingObject(with: $0.objectID) }
    items[0]["one"] = items[1]
    try mine.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSUpdatedObjectsKey: items.map(\.objectID)], into: [theirs])
    others[2]["one"] = others[1]
    try theirs.save()
    items[2]["one"] = items[1]
    mine.refresh(items[1], mergeChanges: true)
    try mine.save()
    for context in [mine, SmallModel.context(coordinator)] {
      let read = try items.map { try context.existingObject(with: $0.objectID) }
      #expect(read[2]["one"] as? NSManagedObject === read[1])
      #expect(read[1]["two"] as? NSManagedObject === read[2])
      #expect(read[0]["one"] == nil)
    }
  }

  /// An insertion that undo takes back again had a row before, which another writer has written again: a deletion reaches it.
  @Test func whatOthersHaveWrittenAgainIsReached() throws {
    let here = SmallModel.context(coordinator, .mergeByPropertyStoreTrumpMergePolicyType)
    let there = SmallModel.context(coordinator, .overwriteMergePolicyType)
    let manager = UndoManager()
    manager.groupsByEvent = false
    here.undoManager = manager
    let a = SmallModel.new("A", ["name": "a"], in: there)
    try there.save()
    here.delete(here.object(with: a.objectID))
    try here.save()
    let b = SmallModel.new("B", ["name": "b"], in: here)
    try here.save()
    a["partner"] = try there.existingObject(with: b.objectID)
    try there.save()
    manager.undo()
    manager.undo()
    manager.redo()
    try here.save()
    let reader = SmallModel.context(coordinator)
    let left = try SmallModel.all("A", reader).map { $0.objectIDs(forRelationshipNamed: "partner") }
    let partners = try SmallModel.all("B", reader).map(\.objectID)
    #expect(left.allSatisfy { $0.allSatisfy(partners.contains) })
  }
}
