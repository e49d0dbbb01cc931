import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Objects that a to-many relationship can't contain are asked to leave it, like any other object that isn't a member.
@Suite struct StrangerRemovalTests {
  @Test(arguments: [false, true], [false, true])
  func nothingHappens(isOrdered: Bool, isMany: Bool) throws {
    let folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true, ordered: isOrdered)
    let owner = SmallModel.relationship("owner", many: isMany)
    let a = SmallModel.entity("A", [SmallModel.text("name"), items])
    let b = SmallModel.entity("B", [SmallModel.text("name"), owner])
    SmallModel.link((items, of: a), (owner, of: b))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(a, b), folder.file("a.sqlite"))
    let context = SmallModel.context(coordinator)
    let item = SmallModel.new("B", ["name": "b"], in: context)
    let holder = SmallModel.new("A", ["name": "a"], in: context)
    let other = SmallModel.new("A", ["name": "c"], in: context)
    if isOrdered {
      holder.mutableOrderedSetValue(forKey: "items").add(item)
      holder.mutableOrderedSetValue(forKey: "items").remove(other)
    } else {
      holder.mutableSetValue(forKey: "items").add(item)
      holder.mutableSetValue(forKey: "items").remove(other)
    }
    #expect(SmallModel.names(holder, "items") == ["b"])
    try context.save()
    // Of a relationship that isn't read, too.
    let reader = SmallModel.context(coordinator)
    let all = try SmallModel.all("A", reader)
    let (again, stranger) = (
      try #require(all.first { $0["name"] as? String == "a" }),
      try #require(all.first { $0["name"] as? String == "c" })
    )
    if isOrdered {
      again.mutableOrderedSetValue(forKey: "items").remove(stranger)
    } else {
      again.mutableSetValue(forKey: "items").remove(stranger)
    }
    #expect(!reader.hasChanges)
    #expect(SmallModel.names(again, "items") == ["b"])
  }
}
