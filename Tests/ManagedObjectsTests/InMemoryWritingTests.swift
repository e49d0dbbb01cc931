import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Several contexts on a store that keeps all rows in memory: what one context didn't change isn't overwritten.
@Suite struct InMemoryWritingTests {
  static let types = [NSInMemoryStoreType] + AtomicFiles.types
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  /// A.items is ordered and leads to many B, B.owner back; A.tags and B.tagged are many to many.
  init() throws {
    folder = try TemporaryFolder()
    let (a, b) = (entity("A"), entity("B"))
    let items = relationship("items", to: b, max: 0, ordered: true)
    let owner = relationship("owner", to: a, max: 1)
    let tags = relationship("tags", to: b, max: 0)
    let tagged = relationship("tagged", to: a, max: 0)
    link(items, owner)
    link(tags, tagged)
    a.properties = [attribute("name"), attribute("note"), items, tags]
    b.properties = [attribute("name"), owner, tagged]
    let model = NSManagedObjectModel(of: [a, b])
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  }

  private func open(_ type: String) throws {
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("store"))
  }

  private func context(_ policy: NSMergePolicy = .error) -> NSManagedObjectContext {
    let context = TestStore.context(coordinator)
    context.mergePolicy = policy
    return context
  }

  private func new(
    _ entity: String, _ name: String, in context: NSManagedObjectContext
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
    object.setValue(name, forKey: "name")
    return object
  }

  private func names(_ object: NSManagedObject, _ key: String) throws -> [String] {
    let reader = context()
    defer { reader.reset() }
    let read = try reader.existingObject(with: object.objectID)
    let value = read.value(forKey: key)
    let members = (value as? NSOrderedSet)?.array ?? (value as? NSSet)?.allObjects ?? []
    return members.compactMap { ($0 as? NSManagedObject)?.value(forKey: "name") as? String }
  }

  @Test(arguments: types) func anObjectThatGainsAMemberKeepsWhatOthersChanged(type: String) throws {
    try open(type)
    let (mine, theirs) = (context(.mergeByPropertyObjectTrump), context())
    let (a, b) = (new("A", "read", in: mine), new("B", "b", in: mine))
    try mine.save()
    try theirs.existingObject(with: a.objectID).setValue("newer", forKey: "name")
    try theirs.save()
    // The member's row records it; the owner counts as changed nevertheless, so there is a conflict.
    b.setValue(a, forKey: "owner")
    #expect(a.isUpdated)
    try mine.save()
    let reader = context()
    let read = try reader.existingObject(with: a.objectID)
    #expect(read.value(forKey: "name") as? String == "newer")
    #expect(try names(a, "items") == ["b"])
  }

  @Test(arguments: types) func ownersFollowTheirMembers(type: String) throws {
    try open(type)
    let (mine, theirs) = (context(.overwrite), context())
    let owners = ["1", "2", "3"].map { new("A", $0, in: mine) }
    let b = new("B", "b", in: mine)
    b.setValue(owners[0], forKey: "owner")
    try mine.save()
    let same = try theirs.existingObject(with: b.objectID)
    same.setValue(try theirs.existingObject(with: owners[1].objectID), forKey: "owner")
    try theirs.save()
    b.setValue(owners[2], forKey: "owner")
    try mine.save()
    #expect(try owners.map { try names($0, "items") } == [[], [], ["b"]])
  }

  @Test(arguments: types) func membersAreAddedToWhatOthersAdded(type: String) throws {
    try open(type)
    let (mine, theirs) = (context(.mergeByPropertyObjectTrump), context())
    let a = new("A", "a", in: mine)
    let members = ["1", "2", "3"].map { new("B", $0, in: mine) }
    a.setValue(NSSet(array: [members[0]]), forKey: "tags")
    a.setValue(NSOrderedSet(array: members), forKey: "items")
    try mine.save()
    let same = try theirs.existingObject(with: a.objectID)
    let second = try theirs.existingObject(with: members[1].objectID)
    same.setValue(
      (same.value(forKey: "tags") as? NSSet)?.adding(second), forKey: "tags")
    try theirs.save()
    a.setValue(NSSet(array: [members[0], members[2]]), forKey: "tags")
    a.setValue(NSOrderedSet(array: members.reversed()), forKey: "items")
    try mine.save()
    #expect(try names(a, "tags").sorted() == ["1", "2", "3"])
    #expect(try names(a, "items") == ["3", "2", "1"])
    #expect(try names(members[1], "tagged") == ["a"])
  }

  /// One side of a many-to-many relationship was read before another writer related it: the other side's change
  /// updates both lists.
  @Test(arguments: types) func oneSideOfManyToManyIsEnough(type: String) throws {
    try open(type)
    let (mine, theirs) = (context(), context())
    let (a, c) = (new("A", "a", in: mine), new("A", "c", in: mine))
    try mine.save()
    for object in [a, c] { #expect((object.value(forKey: "tags") as? NSSet)?.count == 0) }
    let b = new("B", "b", in: theirs)
    b.setValue(NSSet(object: try theirs.existingObject(with: a.objectID)), forKey: "tagged")
    try theirs.save()
    #expect(try names(a, "tags") == ["b"])
    let read = try mine.existingObject(with: b.objectID)
    read.setValue(NSSet(object: c), forKey: "tagged")
    try mine.save()
    #expect(try names(b, "tagged") == ["c"])
    #expect(try names(c, "tags") == ["b"])
    #expect(try names(a, "tags").isEmpty)
  }
}
