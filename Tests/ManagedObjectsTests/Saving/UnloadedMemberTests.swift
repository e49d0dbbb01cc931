import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Members that are added to and removed from a relationship that isn't loaded: what the store has isn't known then, and
/// the last change counts.
@Suite struct UnloadedMemberTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  /// `A` has relationships of every kind to `B`.
  init() throws {
    folder = try TemporaryFolder()
    let ofA = Self.keys.map { SmallModel.relationship($0, many: true, ordered: $0 == "list") }
    let ofB = ["owner", "holder", "friends"].map {
      SmallModel.relationship($0, many: $0 == "friends")
    }
    let a = SmallModel.entity("A", [SmallModel.text("name")] + ofA)
    let b = SmallModel.entity("B", [SmallModel.text("name")] + ofB)
    for (one, other) in zip(ofA, ofB) { SmallModel.link((one, of: a), (other, of: b)) }
    ofA[3].destinationEntity = b
    coordinator = try SmallModel.coordinator(SmallModel.model(a, b), folder.file("a.sqlite"))
  }

  static let keys = ["list", "set", "friends", "lone"]

  enum Change: CaseIterable { case addThenRemove, removeThenAdd }
  enum Context: CaseIterable { case alone, child, undoing }

  @Test(arguments: keys, Change.allCases)
  func theLastChangeCounts(key: String, change: Change) throws {
    for (kind, wasMember) in Context.allCases.flatMap({ [($0, false), ($0, true)] }) {
      let writer = SmallModel.context(coordinator)
      let b = SmallModel.new("B", ["name": "b"], in: writer)
      let a = SmallModel.new("A", ["name": "a"], in: writer)
      if wasMember { a.addObject(b, toRelationshipNamed: key) }
      try writer.save()
      let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      parent.persistentStoreCoordinator = coordinator
      let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      if kind == .child {
        context.parent = parent
      } else {
        context.persistentStoreCoordinator = coordinator
      }
      if kind == .undoing { context.undoManager = UndoManager() }
      try context.performAndWait {
        let (owner, member) = (context.object(with: a.objectID), context.object(with: b.objectID))
        #expect(owner.hasFault(forRelationshipNamed: key))
        if change == .removeThenAdd { owner.removeObject(member, fromRelationshipNamed: key) }
        owner.addObject(member, toRelationshipNamed: key)
        if change == .addThenRemove { owner.removeObject(member, fromRelationshipNamed: key) }
        let isMember = change == .removeThenAdd
        #expect(SmallModel.names(owner, key) == (isMember ? ["b"] : []))
        try context.save()
        #expect(SmallModel.names(owner, key) == (isMember ? ["b"] : []))
      }
      try parent.performAndWait { try parent.save() }
      let reader = SmallModel.context(coordinator)
      let stored = try reader.existingObject(with: a.objectID)
      #expect(
        SmallModel.names(stored, key) == (change == .removeThenAdd ? ["b"] : []),
        "\(kind), \(wasMember)")
      #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    }
  }

  enum Addition: CaseIterable { case add, insert, proxy, whole }

  /// Another context has taken a member out, of which this one has only the old row: adding it is a change, however it
  /// is added, and is saved.
  @Test(arguments: ["list", "set"], Addition.allCases)
  func aMemberByAnOldRowIsAdded(key: String, addition: Addition) throws {
    guard key == "list" || addition != .insert else { return }
    let writer = SmallModel.context(coordinator)
    let b = SmallModel.new("B", ["name": "b"], in: writer)
    let a = SmallModel.new("A", ["name": "a"], in: writer)
    a.addObject(b, toRelationshipNamed: key)
    try writer.save()
    let context = SmallModel.context(coordinator)
    let member = try context.existingObject(with: b.objectID)
    a.removeObject(b, fromRelationshipNamed: key)
    try writer.save()
    let owner = try context.existingObject(with: a.objectID)
    switch addition {
    case .add: owner.addObject(member, toRelationshipNamed: key)
    case .insert: owner.insertObject(member, intoRelationshipNamed: key, at: 0)
    case .proxy where key == "list": owner.mutableOrderedSetValue(forKey: key).add(member)
    case .proxy: owner.mutableSetValue(forKey: key).add(member)
    case .whole where key == "list": owner[key] = NSOrderedSet(array: [member])
    case .whole: owner[key] = Set([member])
    }
    #expect(SmallModel.names(owner, key) == ["b"])
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(SmallModel.names(try reader.existingObject(with: a.objectID), key) == ["b"])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// The same of an object that was its own member: reading it again reads its members again.
  @Test(arguments: [false, true], [Addition.add, .insert, .proxy])
  func itsOwnMemberByAnOldRowIsAdded(isOrdered: Bool, addition: Addition) throws {
    guard isOrdered || addition != .insert else { return }
    let folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, ordered: isOrdered)
    let owner = SmallModel.relationship("owner")
    let item = SmallModel.entity("Item", [SmallModel.text("name"), items, owner])
    SmallModel.link((items, of: item), (owner, of: item))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item), folder.file("a.sqlite"))
    let writer = SmallModel.context(coordinator)
    let a = SmallModel.new("Item", ["name": "a"], in: writer)
    for name in ["b", "c"] { SmallModel.new("Item", ["name": name, "owner": a], in: writer) }
    a["owner"] = a
    try writer.save()
    let context = SmallModel.context(coordinator)
    let own = try context.existingObject(with: a.objectID)
    #expect(own["name"] as? String == "a")
    a["owner"] = nil
    try writer.save()
    switch addition {
    case .insert: own.insertObject(own, intoRelationshipNamed: "items", at: 2)
    case .proxy where isOrdered: own.mutableOrderedSetValue(forKey: "items").add(own)
    default: own.addObject(own, toRelationshipNamed: "items")
    }
    #expect(SmallModel.names(own, "items").sorted() == ["a", "b", "c"])
    try context.save()
    let reader = SmallModel.context(coordinator)
    #expect(
      SmallModel.names(try reader.existingObject(with: a.objectID), "items").sorted()
        == ["a", "b", "c"])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// Adding what is a member already is no change, seen or unseen: undoing the event restores what was there before.
  @Test(arguments: [false, true]) func addingAMemberAgainIsNoChange(isSeen: Bool) throws {
    let folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true)
    let owner = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [items])
    let item = SmallModel.entity("Item", [owner])
    SmallModel.link((items, of: list), (owner, of: item))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(list, item), folder.file("a.sqlite")))
    context.undoManager = UndoManager()
    let (one, other) = (SmallModel.new("List", in: context), SmallModel.new("List", in: context))
    let member = SmallModel.new("Item", in: context)
    one.addObject(member, toRelationshipNamed: "items")
    try context.save()
    context.refreshAllObjects()
    context.undoManager?.removeAllActions()
    func members(_ list: NSManagedObject) -> Set<NSManagedObject>? {
      list["items"] as? Set<NSManagedObject>
    }
    if isSeen { #expect(members(one) == [member]) }
    one.addObject(member, toRelationshipNamed: "items")
    #expect(!context.hasChanges)
    other.addObject(member, toRelationshipNamed: "items")
    #expect(members(one) == [])
    context.undo()
    #expect(member["owner"] as? NSManagedObject === one)
    #expect(members(one) == [member])
    #expect(members(other) == [])
  }

  /// The same between many and many, where no row says so: seen or unseen, undoing leaves the member there.
  @Test(arguments: [false, true]) func undoingAnAdditionLeavesWhatWasThere(isReverse: Bool) throws {
    let folder = try TemporaryFolder()
    let tags = SmallModel.relationship("tags", many: true)
    let lists = SmallModel.relationship("lists", many: true)
    let list = SmallModel.entity("List", [SmallModel.text("name"), tags])
    let tag = SmallModel.entity("Tag", [lists])
    SmallModel.link((tags, of: list), (lists, of: tag))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(list, tag), folder.file("a.sqlite")))
    context.undoManager = UndoManager()
    let (one, other) = (SmallModel.new("List", in: context), SmallModel.new("Tag", in: context))
    one.addObject(other, toRelationshipNamed: "tags")
    try context.save()
    context.refresh(isReverse ? other : one, mergeChanges: false)
    context.undoManager?.removeAllActions()
    if isReverse {
      other.addObject(one, toRelationshipNamed: "lists")
    } else {
      one.addObject(other, toRelationshipNamed: "tags")
    }
    one["name"] = "changed"
    try context.save()
    context.undo()
    #expect(one["tags"] as? Set<NSManagedObject> == [other])
    #expect(other["lists"] as? Set<NSManagedObject> == [one])
    try context.save()
    context.reset()
    let read = try SmallModel.all("List", context)
    #expect((read.first?["tags"] as? Set<NSManagedObject>)?.count == 1)
  }
}
