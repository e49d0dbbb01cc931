import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Positions in ordered relationships, which rows have as long as they have an owner.
@Suite struct PositionTests {
  private func open(_ folder: TemporaryFolder) throws -> NSPersistentStoreCoordinator {
    let items = SmallModel.relationship("items", many: true, ordered: true)
    let owner = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    return try SmallModel.coordinator(SmallModel.model(list, item), folder.file("a.sqlite"))
  }

  @Test(arguments: [false, true]) func goWithTheOwner(isDeleted: Bool) throws {
    let folder = try TemporaryFolder()
    let context = SmallModel.context(try open(folder))
    let list = SmallModel.new("List", in: context)
    let items = (0..<3).map {
      SmallModel.new("Item", ["name": "\($0)", "owner": list], in: context)
    }
    try context.save()
    if isDeleted {
      context.delete(list)
    } else {
      // No inverse maintenance: the list isn't saved.
      items[1].setPrimitiveValue(nil, forKey: "owner")
      items[1]["name"] = "alone"
    }
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test func comeWithTheNextOwner() throws {
    let folder = try TemporaryFolder()
    let coordinator = try open(folder)
    let context = SmallModel.context(coordinator)
    let lists = ["a", "b"].map { SmallModel.new("List", ["name": $0], in: context) }
    for number in 0..<3 {
      SmallModel.new("Item", ["name": "\(number)", "owner": lists[0]], in: context)
    }
    let moved = SmallModel.new("Item", ["name": "moved", "owner": lists[1]], in: context)
    try context.save()
    moved["owner"] = lists[0]
    context.delete(lists[1])
    try context.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("List", reader)
    #expect(read.map { SmallModel.names($0, "items") } == [["0", "1", "2", "moved"]])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }
}
