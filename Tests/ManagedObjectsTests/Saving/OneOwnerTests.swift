import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Members of to-many relationships without inverse: their rows have room for one owner.
@Suite struct OneOwnerTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func coordinator(
    isOrdered: Bool, type: String = NSSQLiteStoreType
  ) throws -> NSPersistentStoreCoordinator {
    let items = SmallModel.relationship("items", many: true, ordered: isOrdered)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name")])
    items.destinationEntity = item
    let coordinator = NSPersistentStoreCoordinator(
      managedObjectModel: SmallModel.model(list, item))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("store"))
    return coordinator
  }

  private func add(_ item: NSManagedObject, to list: NSManagedObject, isOrdered: Bool) {
    isOrdered
      ? list.mutableOrderedSetValue(forKey: "items").add(item)
      : list.mutableSetValue(forKey: "items").add(item)
  }

  /// Two lists, of which the first has both items.
  private func fill(_ context: NSManagedObjectContext, isOrdered: Bool) throws -> [NSManagedObject]
  {
    let lists = ["a", "b"].map { SmallModel.new("List", ["name": $0], in: context) }
    let items = ["x", "y"].map { SmallModel.new("Item", ["name": $0], in: context) }
    for item in items { add(item, to: lists[0], isOrdered: isOrdered) }
    try context.save()
    return lists + items
  }

  /// Core Data keeps the owner that it writes last, and says nothing; memory and file must agree on which that is.
  @Test(arguments: [false, true], [false, true])
  func oneOfTwoOwnersKeepsTheMember(isOrdered: Bool, isNew: Bool) throws {
    let coordinator = try coordinator(isOrdered: isOrdered)
    let context = SmallModel.context(coordinator)
    let lists = ["a", "b"].map { SmallModel.new("List", ["name": $0], in: context) }
    if !isNew { try context.save() }
    let items = ["x", "y"].map { SmallModel.new("Item", ["name": $0], in: context) }
    for list in lists { add(items[0], to: list, isOrdered: isOrdered) }
    add(items[1], to: lists[0], isOrdered: isOrdered)
    try context.save()
    #expect(!context.hasChanges)
    let found = lists.map { SmallModel.names($0, "items") }
    #expect(found.flatMap { $0 }.sorted() == ["x", "y"])
    let other = SmallModel.context(coordinator)
    #expect(
      try lists.map { SmallModel.names(try other.existingObject(with: $0.objectID), "items") }
        == found)
    // The member's version in memory is that of its row.
    items[0]["name"] = "z"
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("store")) == [])
  }

  @Test(arguments: [false, true], [false, true])
  func aFormerOwnerLosesWhatAnotherTakes(isOrdered: Bool, isChanged: Bool) throws {
    let context = SmallModel.context(try coordinator(isOrdered: isOrdered))
    let objects = try fill(context, isOrdered: isOrdered)
    let (former, owner) = (objects[0], objects[1])
    #expect(SmallModel.names(former, "items") == ["x", "y"])
    add(objects[2], to: owner, isOrdered: isOrdered)
    if isChanged {
      add(SmallModel.new("Item", ["name": "z"], in: context), to: former, isOrdered: isOrdered)
    }
    try context.save()
    #expect(SmallModel.names(owner, "items") == ["x"])
    #expect(SmallModel.names(former, "items") == (isChanged ? ["y", "z"] : ["y"]))
    #expect(!context.hasChanges)
    let other = SmallModel.context(try #require(context.persistentStoreCoordinator))
    let found = try SmallModel.all("List", other)
    #expect(
      found.map { SmallModel.names($0, "items") } == [isChanged ? ["y", "z"] : ["y"], ["x"]])
  }

  @Test(arguments: [false, true], [false, true])
  func otherContextsLearnOfItWhenTheyMerge(isOrdered: Bool, isChanged: Bool) throws {
    let coordinator = try coordinator(isOrdered: isOrdered)
    let context = SmallModel.context(coordinator)
    let objects = try fill(context, isOrdered: isOrdered)
    let other = SmallModel.context(coordinator)
    let former = try other.existingObject(with: objects[0].objectID)
    #expect(SmallModel.names(former, "items") == ["x", "y"])
    if isChanged { former["name"] = "changed" }
    nonisolated(unsafe) var refreshed: Set<NSManagedObject> = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: other, queue: nil
    ) { notification in
      refreshed.formUnion(
        notification.userInfo?[NSRefreshedObjectsKey] as? Set<NSManagedObject> ?? [])
    }
    defer { NotificationCenter.default.removeObserver(observer) }
    let merging = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: context, queue: nil
    ) { other.mergeChanges(fromContextDidSave: $0) }
    defer { NotificationCenter.default.removeObserver(merging) }
    add(objects[2], to: objects[1], isOrdered: isOrdered)
    try context.save()
    #expect(SmallModel.names(former, "items") == ["y"])
    #expect(former["name"] as? String == (isChanged ? "changed" : "a"))
    #expect(refreshed.contains(former))
    try other.save()
    #expect(try StoreCheck.findings(at: folder.file("store")) == [])
  }

  @Test func aFormerOwnerThatIsGoneStaysGone() throws {
    let coordinator = try coordinator(isOrdered: false)
    let context = SmallModel.context(coordinator)
    let objects = try fill(context, isOrdered: false)
    let other = SmallModel.context(coordinator)
    let former = try other.existingObject(with: objects[0].objectID)
    #expect(SmallModel.names(former, "items") == ["x", "y"])
    context.delete(objects[0])
    add(objects[2], to: objects[1], isOrdered: false)
    try context.save()
    for (key, object) in [
      (NSDeletedObjectIDsKey, objects[0]), (NSUpdatedObjectIDsKey, objects[1]),
    ] {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [key: [object.objectID]], into: [other])
      #expect(former.isDeleted)
    }
  }

  /// Other types of stores keep a list for each owner.
  @Test(arguments: [NSInMemoryStoreType, NSBinaryStoreType, NSXMLStoreType])
  func storesWithListsKeepBoth(type: String) throws {
    let context = SmallModel.context(try coordinator(isOrdered: false, type: type))
    let objects = try fill(context, isOrdered: false)
    add(objects[2], to: objects[1], isOrdered: false)
    try context.save()
    context.reset()
    let found = try SmallModel.all("List", context)
    #expect(found.map { SmallModel.names($0, "items") } == [["x", "y"], ["x"]])
  }
}
