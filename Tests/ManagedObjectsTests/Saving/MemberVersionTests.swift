import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows that contain a position, or the key of an owner that the object itself doesn't know: writing these is no change of
/// the object, and nobody who saves the object next meets a conflict.
@Suite struct MemberVersionTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  enum Kind: CaseIterable { case ordered, oneSided, oneSidedOrdered, manyToMany }

  private func context(_ kind: Kind) throws -> NSManagedObjectContext {
    let items = SmallModel.relationship(
      "items", many: true, ordered: kind == .ordered || kind == .oneSidedOrdered)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name")])
    switch kind {
    case .ordered, .manyToMany:
      let owner = SmallModel.relationship("lists", many: kind == .manyToMany)
      item.properties.append(owner)
      SmallModel.link((items, of: list), (owner, of: item))
    case .oneSided, .oneSidedOrdered: items.destinationEntity = item
    }
    return SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(list, item), folder.file("a.sqlite")))
  }

  private func fill(_ context: NSManagedObjectContext) throws -> NSManagedObject {
    let list = SmallModel.new("List", ["name": "l"], in: context)
    for name in ["a", "b", "c"] {
      list.addObject(
        SmallModel.new("Item", ["name": name], in: context), toRelationshipNamed: "items")
    }
    try context.save()
    return list
  }

  @Test(arguments: Kind.allCases) func othersSaveTheMembers(kind: Kind) throws {
    let context = try context(kind)
    let list = try fill(context)
    let other = SmallModel.context(try #require(context.persistentStoreCoordinator))
    let items = try SmallModel.all("Item", other)
    for item in items { _ = item["name"] }
    switch kind {
    case .ordered, .oneSidedOrdered:
      list.mutableOrderedSetValue(forKey: "items").moveObjects(at: [0], to: 2)
      try context.save()
    case .oneSided:
      list.mutableSetValue(forKey: "items").remove(try SmallModel.all("Item", context)[0])
      try context.save()
    case .manyToMany:
      try context.execute(NSBatchDeleteRequest(objectIDs: [list.objectID]))
    }
    for item in items { item["name"] = "new" }
    try other.save()
    // Nor does the first context meet one.
    context.reset()
    for item in try SmallModel.all("Item", context) { item["name"] = "newer" }
    try context.save()
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }
}
