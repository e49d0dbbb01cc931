import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects whose deletion a child saved into its parent, and the parent rolled back.
@Suite struct RestoredByParentTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// The child has found the object without a row; when it ends a relationship of it later, the row is there again.
  @Test func aRestoredMemberLeavesItsOwner() throws {
    let items = SmallModel.relationship("items", many: true)
    let owner = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      SmallModel.model(list, item), folder.file("a.sqlite"))
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    func at<T>(_ context: NSManagedObjectContext, _ body: () throws -> T) rethrows -> T {
      try context.performAndWait(body)
    }
    let id = try at(parent) {
      let member = SmallModel.new("Item", ["name": "a"], in: parent)
      try parent.save()
      return member.objectID
    }
    let member = try at(child) {
      child.delete(try child.existingObject(with: id))
      try child.save()
      let member = child.object(with: id)
      member["owner"] = nil
      return member
    }
    let ownerID = try at(parent) {
      parent.rollback()
      let list = SmallModel.new("List", in: parent)
      list["items"] = NSSet(object: parent.object(with: id))
      try parent.save()
      return list.objectID
    }
    try at(child) {
      let list = try child.existingObject(with: ownerID)
      list.removeObject(member, fromRelationshipNamed: "items")
      child.delete(list)
      try child.save()
    }
    try at(parent) {
      try parent.save()
      #expect(parent.object(with: id)["owner"] == nil)
    }
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// The child finds again what it had found deleted, by its ID and by a fetch.
  @Test(arguments: [false, true]) func aChildFindsWhatIsRestored(fetches: Bool) throws {
    let entity = SmallModel.entity("Item", [SmallModel.text("name")])
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = try SmallModel.coordinator(
      SmallModel.model(entity), folder.file("b.sqlite"))
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = parent
    let id = try parent.performAndWait {
      let item = SmallModel.new("Item", ["name": "a"], in: parent)
      try parent.save()
      return item.objectID
    }
    let item = try child.performAndWait {
      child.delete(try child.existingObject(with: id))
      try child.save()
      let item = child.object(with: id)
      #expect(item["name"] == nil)
      return item
    }
    parent.performAndWait { parent.rollback() }
    try child.performAndWait {
      let found =
        fetches ? try SmallModel.all("Item", child).first : try child.existingObject(with: id)
      #expect(found === item)
      #expect(!item.isDeleted)
      #expect(item["name"] as? String == "a")
      item["name"] = "b"
      try child.save()
    }
    try parent.performAndWait {
      try parent.save()
      #expect(parent.object(with: id)["name"] as? String == "b")
    }
  }
}
