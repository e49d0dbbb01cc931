import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Orders whose members a merge policy replaces, or puts back.
@Suite struct KeptOrderTests {
  enum Inverse: CaseIterable {
    case none, toOne, toMany
  }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Lists with ordered items, whose names are unique.
  private func coordinator(_ inverse: Inverse) throws -> NSPersistentStoreCoordinator {
    let items = SmallModel.relationship("items", many: true, ordered: true)
    let lists = SmallModel.relationship("lists", many: inverse == .toMany)
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity(
      "Item",
      [SmallModel.text("name"), SmallModel.text("note")] + (inverse == .none ? [] : [lists]),
      unique: [["name"]])
    if inverse == .none {
      items.destinationEntity = item
    } else {
      SmallModel.link((items, of: list), (lists, of: item))
    }
    return try SmallModel.coordinator(SmallModel.model(list, item), folder.file("a.sqlite"))
  }

  private func order(_ coordinator: NSPersistentStoreCoordinator, _ list: String) throws -> [String]
  {
    let context = SmallModel.context(coordinator)
    return try withExtendedLifetime(context) {
      let lists = try SmallModel.all("List", context)
      return SmallModel.names(lists.first { $0["name"] as? String == list }, "items")
    }
  }

  private func expectSound() throws {
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// What is in the store already stands where the import wanted its copies.
  @Test(
    arguments: Inverse.allCases,
    [
      NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType,
      .mergeByPropertyStoreTrumpMergePolicyType, .overwriteMergePolicyType,
      .rollbackMergePolicyType,
    ])
  func survivorsStandWhereTheirCopiesStood(inverse: Inverse, policy: NSMergePolicyType) throws {
    let coordinator = try coordinator(inverse)
    let theirs = SmallModel.context(coordinator)
    for name in ["b", "d"] { SmallModel.new("Item", ["name": name], in: theirs) }
    try theirs.save()
    let mine = SmallModel.context(coordinator, policy)
    let names = ["a", "b", "c", "d", "e"]
    let items = names.map { SmallModel.new("Item", ["name": $0], in: mine) }
    SmallModel.new("List", ["name": "l", "items": NSOrderedSet(array: items)], in: mine)
    try mine.save()
    #expect(try order(coordinator, "l") == names)
    try expectSound()
  }

  /// So they do where items are added one by one to a list that hasn't been read.
  @Test func survivorsStandWhereTheirCopiesWereAdded() throws {
    let coordinator = try coordinator(.toOne)
    let theirs = SmallModel.context(coordinator)
    let first = SmallModel.new("Item", ["name": "first"], in: theirs)
    let list = SmallModel.new(
      "List", ["name": "l", "items": NSOrderedSet(object: first)], in: theirs)
    SmallModel.new("Item", ["name": "b"], in: theirs)
    try theirs.save()
    let mine = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let same = mine.object(with: list.objectID)
    for name in ["a", "b", "c"] { SmallModel.new("Item", ["name": name, "lists": same], in: mine) }
    try mine.save()
    #expect(try order(coordinator, "l") == ["first", "a", "b", "c"])
    try expectSound()
  }

  /// A survivor that is in the list keeps its place.
  @Test(arguments: Inverse.allCases) func aSurvivorThatIsThereStaysThere(inverse: Inverse) throws {
    let coordinator = try coordinator(inverse)
    let mine = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let items = ["a", "b", "c"].map { SmallModel.new("Item", ["name": $0], in: mine) }
    let list = SmallModel.new(
      "List", ["name": "l", "items": NSOrderedSet(array: items)], in: mine)
    try mine.save()
    let copy = SmallModel.new("Item", ["name": "b"], in: mine)
    list["items"] = NSOrderedSet(array: items + [copy])
    try mine.save()
    #expect(try order(coordinator, "l") == ["a", "b", "c"])
    try expectSound()
  }

  /// A member whose deletion or departure is given up stands where it stood, and its list isn't written.
  @Test(arguments: [Inverse.toOne, .toMany], [false, true])
  func whatComesBackStandsWhereItStood(inverse: Inverse, isDeleted: Bool) throws {
    let coordinator = try coordinator(inverse)
    let mine = SmallModel.context(coordinator, .rollbackMergePolicyType)
    let items = ["a", "b", "c"].map { SmallModel.new("Item", ["name": $0], in: mine) }
    let list = SmallModel.new(
      "List", ["name": "l", "items": NSOrderedSet(array: items)], in: mine)
    let other = SmallModel.new("List", ["name": "other"], in: mine)
    try mine.save()
    #expect(SmallModel.names(list, "items") == ["a", "b", "c"])
    let theirs = SmallModel.context(coordinator)
    try theirs.existingObject(with: items[1].objectID)["note"] = "theirs"
    try theirs.save()
    let version = list.version
    if isDeleted {
      mine.delete(items[1])
    } else {
      items[1]["lists"] = inverse == .toOne ? other : NSSet(object: other)
    }
    try mine.save()
    #expect(SmallModel.names(list, "items") == ["a", "b", "c"])
    #expect(try order(coordinator, "l") == ["a", "b", "c"])
    #expect(try order(coordinator, "other") == [])
    let context = SmallModel.context(coordinator)
    let read = try context.existingObject(with: list.objectID)
    #expect(read["name"] as? String == "l")
    #expect(read.version == version)
    try expectSound()
  }
}
