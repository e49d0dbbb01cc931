import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// The keys of the owner in the members of a to-many relationship without inverse.
@Suite struct HiddenKeyTests {
  @Test(arguments: [false, true], [nil, NSDeleteRule.nullifyDeleteRule, .noActionDeleteRule])
  func goWithTheOwner(isOrdered: Bool, batchRule: NSDeleteRule?) throws {
    let folder = try TemporaryFolder()
    let items = SmallModel.relationship(
      "items", many: true, ordered: isOrdered, rule: batchRule ?? .nullifyDeleteRule)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name")])
    items.destinationEntity = item
    let url = folder.file("a.sqlite")
    let coordinator = try SmallModel.coordinator(SmallModel.model(list, item), url)
    let context = SmallModel.context(coordinator)
    let made = (0..<3).map { SmallModel.new("Item", ["name": "\($0)"], in: context) }
    let kept = SmallModel.new("List", in: context)
    let deleted = SmallModel.new("List", in: context)
    for (item, list) in zip(made, [kept, deleted, deleted]) {
      isOrdered
        ? list.mutableOrderedSetValue(forKey: "items").add(item)
        : list.mutableSetValue(forKey: "items").add(item)
    }
    try context.save()
    if batchRule != nil {
      try context.execute(NSBatchDeleteRequest(objectIDs: [deleted.objectID]))
      context.refresh(made[1], mergeChanges: false)
    } else {
      context.delete(deleted)
      try context.save()
    }
    let connection = try SQLiteConnection.reading(url)
    #expect(try connection.integer("SELECT count(*) FROM ZITEM WHERE Z2ITEMS IS NOT NULL") == 1)
    if isOrdered {
      let sql = "SELECT count(*) FROM ZITEM WHERE Z_FOK_2ITEMS IS NOT NULL"
      #expect(try connection.integer(sql) == 1)
    }
    // The members are unchanged and have no other owner.
    made[1]["name"] = "again"
    try context.save()
    #expect(try StoreCheck.findings(at: url) == [])
  }
}
