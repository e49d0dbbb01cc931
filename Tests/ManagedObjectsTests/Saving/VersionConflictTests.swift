import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Conflicts with other writers, and situations that aren't conflicts.
@Suite struct VersionConflictTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// `A.items` refers to many `B`, without an inverse.
  private func open(ordered: Bool = false) throws -> NSPersistentStoreCoordinator {
    let items = SmallModel.relationship("items", many: true, ordered: ordered)
    let b = SmallModel.entity("B", [SmallModel.text("name")])
    items.destinationEntity = b
    let a = SmallModel.entity("A", [SmallModel.text("name"), SmallModel.text("note"), items])
    return try SmallModel.coordinator(
      SmallModel.model(a, b), folder.file("a.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
  }

  /// What another writer does after the members were read is a conflict, also if nothing else of their owner was read.
  @Test(arguments: [false, true], ["value", "mutable", "elements"])
  func readingMembersReadsTheirOwner(isOrdered: Bool, way: String) throws {
    let items = SmallModel.relationship("items", many: true, ordered: isOrdered)
    let cart = SmallModel.relationship("cart")
    let (a, b) = (
      SmallModel.entity("A", [SmallModel.text("total"), items]), SmallModel.entity("B", [cart])
    )
    SmallModel.link((items, of: a), (cart, of: b))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(a, b), folder.file("a.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let their = SmallModel.new("A", in: theirs)
    try theirs.save()
    let owner = mine.object(with: their.objectID)
    #expect(owner.isFault)
    switch way {
    case "value": #expect(SmallModel.names(owner, "items") == [])
    case "mutable" where isOrdered:
      #expect(owner.mutableOrderedSetValue(forKey: "items").count == 0)
    case "mutable": #expect(owner.mutableSetValue(forKey: "items").count == 0)
    default: #expect(owner.value(forKeyPath: "items.@count") as? Int == 0)
    }
    #expect(!owner.isFault)
    _ = SmallModel.new("B", ["cart": their], in: theirs)
    their["total"] = "1"
    try theirs.save()
    owner["total"] = "0"
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test(arguments: [false, true])
  func membersWithoutInverseKeepTheirVersions(isOrdered: Bool) throws {
    let coordinator = try open(ordered: isOrdered)
    let context = SmallModel.context(coordinator)
    let a = SmallModel.new("A", in: context)
    let b = SmallModel.new("B", ["name": "1"], in: context)
    let other = SmallModel.new("B", ["name": "other"], in: context)
    try context.save()
    func change(_ name: String, _ changes: () -> Void) throws {
      changes()
      b["name"] = name
      other["name"] = "with " + name
      try context.save()
      changes()
      try context.save()
      b["name"] = name + " again"
      try context.save()
    }
    try change("2") {
      a.setValue(
        isOrdered ? NSOrderedSet(array: [b, other]) : NSSet(array: [b, other]), forKey: "items")
    }
    try change("3") { a.removeObject(b, fromRelationshipNamed: "items") }
    try change("4") { a.addObject(b, toRelationshipNamed: "items") }
    context.refresh(a, mergeChanges: false)
    try change("5") { a.removeObject(b, fromRelationshipNamed: "items") }
    #expect(
      try SmallModel.all("B", SmallModel.context(coordinator)).map { $0["name"] as? String }
        == ["5 again", "with 5"])
  }

  @Test(arguments: [false, true])
  func historyTellsOfMembersWithoutInverse(isOrdered: Bool) throws {
    let coordinator = try open(ordered: isOrdered)
    let context = SmallModel.context(coordinator)
    let a = SmallModel.new("A", in: context)
    let b = SmallModel.new("B", in: context)
    try context.save()
    for adds in [true, false] {
      let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
      if adds {
        a.addObject(b, toRelationshipNamed: "items")
      } else {
        a.removeObject(b, fromRelationshipNamed: "items")
      }
      try context.save()
      let result = try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      let transactions = try #require(
        (result as? NSPersistentHistoryResult)?.result as? [NSPersistentHistoryTransaction])
      let changes = transactions.flatMap { $0.changes ?? [] }
      #expect(changes.map(\.changedObjectID) == [a.objectID])
      #expect(changes.first?.changeType == .update)
      #expect(changes.first?.updatedProperties?.map(\.name) == ["items"])
    }
  }

  @Test func aConflictHasTheRowAndWhatWasRead() throws {
    let coordinator = try open()
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let a = SmallModel.new("A", ["name": "read"], in: mine)
    try mine.save()
    try theirs.existingObject(with: a.objectID)["name"] = "newer"
    try theirs.save()
    a["name"] = "edited"
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let conflict = try #require(
      (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?.first)
    #expect(conflict.sourceObject === a)
    #expect(conflict.cachedSnapshot?["name"] as? String == "newer")
    #expect(conflict.persistedSnapshot == nil)
    #expect(conflict.objectSnapshot?["name"] as? String == "read")
    #expect(conflict.newVersionNumber == 2)
    #expect(conflict.oldVersionNumber == 1)
    #expect(a["name"] as? String == "edited")
    // Programs may create such conflicts too.
    try NSMergePolicy.rollback.resolve(optimisticLockingConflicts: [
      NSMergeConflict(
        source: a, newVersion: 2, oldVersion: 1, cachedSnapshot: conflict.cachedSnapshot,
        persistedSnapshot: nil)
    ])
    #expect(a["name"] as? String == "newer")
    a["note"] = "after"
    try mine.save()
  }

  @Test(arguments: NSMergePolicyType.allCases)
  func anEditOfADeletedRowFollowsThePolicy(policy: NSMergePolicyType) throws {
    let coordinator = try open()
    let mine = SmallModel.context(coordinator, policy)
    let a = SmallModel.new("A", ["name": "a", "note": "unchanged"], in: mine)
    let b = SmallModel.new("B", ["name": "b"], in: mine)
    let gone = SmallModel.new("B", ["name": "gone"], in: mine)
    a.addObject(b, toRelationshipNamed: "items")
    a.addObject(gone, toRelationshipNamed: "items")
    try mine.save()
    let theirs = SmallModel.context(coordinator)
    theirs.delete(try theirs.existingObject(with: a.objectID))
    theirs.delete(try theirs.existingObject(with: gone.objectID))
    try theirs.save()
    a["name"] = "edited"
    if policy == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try mine.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      return
    }
    try mine.save()
    #expect(!mine.hasChanges)
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("A", reader)
    switch policy {
    case .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType:
      #expect(read.map { $0["name"] as? String } == ["edited"])
      #expect(read.first?["note"] as? String == "unchanged")
      #expect(read.first?.objectID == a.objectID)
      #expect(SmallModel.names(read.first, "items") == ["b"])
      a["name"] = "once more"
      try mine.save()
    default:
      #expect(read.isEmpty)
      #expect(a.managedObjectContext == nil)
    }
    // Deleting a row that is already deleted isn't a conflict.
    mine.delete(b)
    let others = SmallModel.context(coordinator)
    others.delete(try others.existingObject(with: b.objectID))
    try others.save()
    try mine.save()
  }

  @Test(arguments: NSMergePolicyType.allCases)
  func membersAreAddedToWhateverTheStoreHas(policy: NSMergePolicyType) throws {
    guard policy != .errorMergePolicyType else { return }
    let coordinator = try open()
    let mine = SmallModel.context(coordinator, policy)
    let a = SmallModel.new("A", ["name": "a"], in: mine)
    let members = (0..<3).map { SmallModel.new("B", ["name": "\($0)"], in: mine) }
    a.addObject(members[0], toRelationshipNamed: "items")
    try mine.save()
    #expect(SmallModel.names(a, "items") == ["0"])
    let theirs = SmallModel.context(coordinator)
    let same = try theirs.existingObject(with: a.objectID)
    same.addObject(
      try theirs.existingObject(with: members[1].objectID), toRelationshipNamed: "items")
    same["name"] = "theirs"
    try theirs.save()
    a["name"] = "mine"
    a.addObject(members[2], toRelationshipNamed: "items")
    try mine.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("A", reader).first
    let isRolledBack = policy == .rollbackMergePolicyType
    #expect(SmallModel.names(read, "items") == (isRolledBack ? ["0", "1"] : ["0", "1", "2"]))
    let isMine =
      policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
    #expect(read?["name"] as? String == (isMine ? "mine" : "theirs"))
  }

  @Test(arguments: [false, true])
  func droppedChangesAreNotSavedTwice(wasDeleted: Bool) throws {
    let context = SmallModel.context(try open())
    let a = SmallModel.new("A", in: context)
    try context.save()
    a["name"] = "dropped"
    if wasDeleted { context.delete(a) }
    context.refresh(a, mergeChanges: false)
    a["name"] = "saved"
    try context.save()
    a["name"] = "once more"
    try context.save()
    context.delete(a)
    try context.save()
    #expect(try SmallModel.all("A", context).isEmpty)
  }

  @Test func aRequiredToManyMayBeEmpty() throws {
    let items = SmallModel.relationship("items", many: true, optional: false)
    let back = SmallModel.relationship("a")
    let b = SmallModel.entity("B", [SmallModel.text("name"), back])
    let a = SmallModel.entity("A", [items])
    SmallModel.link((items, of: a), (back, of: b))
    let coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let object = SmallModel.new("A", in: context)
    try context.save()
    let member = SmallModel.new("B", ["a": object], in: context)
    try context.save()
    member["a"] = nil
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A row that is rewritten after others deleted it isn't the row that was read before.
  @Test(
    arguments: [NSSQLiteStoreType, NSInMemoryStoreType], [false, true])
  func whatIsWrittenAgainGoesOnCounting(type: String, isUndone: Bool) throws {
    let a = SmallModel.entity("A", [SmallModel.text("name"), SmallModel.text("note")])
    let coordinator = try TestStore.coordinator(
      SmallModel.model(a), at: folder.file("again"), type: type)
    let (mine, theirs) = (
      SmallModel.context(coordinator, .overwriteMergePolicyType), SmallModel.context(coordinator)
    )
    let manager = UndoManager()
    manager.groupsByEvent = false
    let object = SmallModel.new("A", ["name": "1"], in: mine)
    _ = SmallModel.new("A", ["name": "neighbour"], in: mine)
    try mine.save()
    let stale = try theirs.existingObject(with: object.objectID)
    stale["note"] = "theirs"
    if isUndone {
      mine.undoManager = manager
      mine.delete(object)
      try mine.save()
      mine.undo()
    } else {
      let third = SmallModel.context(coordinator)
      third.delete(try third.existingObject(with: object.objectID))
      try third.save()
    }
    object["name"] = "2"
    _ = SmallModel.new("A", ["name": "another"], in: mine)
    try mine.save()
    let error = #expect(throws: NSError.self) { try theirs.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    // Its writer knows its version, and the versions of the other rows are unchanged.
    for object in try SmallModel.all("A", mine) { object["note"] = "mine" }
    mine.mergePolicy = NSMergePolicy.error
    try mine.save()
    let written = try SmallModel.all("A", SmallModel.context(coordinator))
    #expect(written.map { $0["note"] as? String } == ["mine", "mine", "mine"])
  }

  /// Members that haven't been read yet are read from the rewritten row as from any other.
  @Test func whatIsWrittenAgainReadsItsMembers() throws {
    let coordinator = try open()
    let mine = SmallModel.context(coordinator, .overwriteMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let a = SmallModel.new("A", ["name": "a"], in: theirs)
    try theirs.save()
    let here = try mine.existingObject(with: a.objectID)
    here.setValue(NSSet(), forKey: "items")
    theirs.delete(a)
    mine.rollback()
    here["name"] = "edited"
    try theirs.save()
    try mine.save()
    let again = try theirs.existingObject(with: here.objectID)
    again.addObject(SmallModel.new("B", ["name": "b"], in: theirs), toRelationshipNamed: "items")
    try theirs.save()
    #expect(SmallModel.names(here, "items") == ["b"])
  }

  /// However many of the edited rows others have deleted, all objects are searched for what leads to them equally often.
  @Test(arguments: [false, true])
  func aDeletedRowCostsNoMoreThanItself(isEverySecond: Bool) throws {
    func searches(_ count: Int) throws -> Int {
      let coordinator = try SmallModel.coordinator(
        SmallModel.model(SmallModel.entity("A", [SmallModel.text("name")])),
        folder.file("\(UUID().uuidString).sqlite"))
      let theirs = SmallModel.context(coordinator)
      for number in 0..<count { SmallModel.new("A", ["name": "\(number)"], in: theirs) }
      try theirs.save()
      let mine = SmallModel.context(coordinator, .mergeByPropertyStoreTrumpMergePolicyType)
      let objects = try SmallModel.all("A", mine)
      for object in objects { object["name"] = "mine" }
      for (index, object) in try SmallModel.all("A", theirs).enumerated() {
        if isEverySecond, index % 2 == 1 {
          object["name"] = "theirs"
        } else {
          theirs.delete(object)
        }
      }
      try theirs.save()
      let before = mine.memberSearches
      try mine.save()
      let left = objects.count { $0.managedObjectContext != nil }
      #expect(left == (isEverySecond ? count / 2 : 0))
      #expect(!mine.hasChanges)
      return mine.memberSearches - before
    }
    let few = try searches(4)
    #expect(few > 0)
    #expect(try searches(40) == few)
  }
}
