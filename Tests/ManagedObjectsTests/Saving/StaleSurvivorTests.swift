import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Uniqueness conflicts where the context's copy of the survivor, or of the loser's relationships, differs from the
/// store.
@Suite struct StaleSurvivorTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    let (tags, items) = (
      SmallModel.relationship("tags", many: true), SmallModel.relationship("items", many: true)
    )
    let item = SmallModel.entity(
      "Item", [SmallModel.number("x"), SmallModel.text("name"), SmallModel.text("note"), tags],
      unique: [["x"]])
    let tag = SmallModel.entity("Tag", [SmallModel.text("name"), items])
    SmallModel.link((tags, of: item), (items, of: tag))
    coordinator = try SmallModel.coordinator(SmallModel.model(item, tag), folder.file("a.sqlite"))
  }

  private func row() throws -> NSManagedObject? {
    try SmallModel.all("Item", SmallModel.context(coordinator)).first
  }

  /// The loser has the value that the survivor had when it was read, and no longer has.
  @Test func theLosersValuesReachTheRowThatIsThere() throws {
    let mine = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let present = SmallModel.new("Item", ["x": 1, "name": "read", "note": "read"], in: mine)
    try mine.save()
    try theirs.existingObject(with: present.objectID)["name"] = "newer"
    try theirs.existingObject(with: present.objectID)["note"] = "newer"
    try theirs.save()
    SmallModel.new("Item", ["x": 1, "name": "read"], in: mine)
    try mine.save()
    #expect(try row()?["name"] as? String == "read")
    #expect(try row()?["note"] as? String == "newer")
    #expect(present["note"] as? String == "newer")
  }

  /// The row with the value is rewritten by the same save, without the value.
  @Test func whatIsWrittenAgainIsInNobodysWay() throws {
    let mine = SmallModel.context(coordinator, .overwriteMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let present = SmallModel.new("Item", ["name": "first"], in: mine)
    try mine.save()
    try theirs.existingObject(with: present.objectID)["x"] = 3
    try theirs.save()
    present["note"] = "mine"
    let other = SmallModel.new("Item", ["x": 3, "name": "second"], in: mine)
    try mine.save()
    #expect(!present.isDeleted && !other.isDeleted)
    let rows = try SmallModel.all("Item", SmallModel.context(coordinator))
    #expect(Set(rows.map { $0["name"] as? String }) == ["first", "second"])
    #expect(rows.first { $0["name"] as? String == "first" }?["x"] == nil)
  }

  @Test func aRefusedSaveLeavesWhatWasReadAlone() throws {
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let present = SmallModel.new("Item", ["x": 1, "name": "read"], in: mine)
    try mine.save()
    try theirs.existingObject(with: present.objectID)["name"] = "newer"
    try theirs.save()
    SmallModel.new("Item", ["x": 1], in: mine)
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    #expect(present["name"] as? String == "read")
  }

  /// Dropping the changes of an object that was given another's value also drops them on the other sides.
  @Test func whatIsDroppedIsDroppedOnBothSides() throws {
    let mine = SmallModel.context(coordinator, .rollbackMergePolicyType)
    SmallModel.new("Item", ["x": 1], in: mine)
    let other = SmallModel.new("Item", ["x": 2], in: mine)
    let tag = SmallModel.new("Tag", ["name": "t"], in: mine)
    try mine.save()
    other["x"] = 1
    other.addObject(tag, toRelationshipNamed: "tags")
    try mine.save()
    #expect(other["x"] as? Int == 2)
    #expect(SmallModel.names(other, "tags") == [])
    #expect((tag["items"] as? NSSet)?.count == 0)
    let read = try SmallModel.all("Item", SmallModel.context(coordinator))
    #expect(read.map { $0["x"] as? Int } == [1, 2])
    #expect(read.allSatisfy { SmallModel.names($0, "tags").isEmpty })
    #expect(!mine.hasChanges)
  }

  /// The survivor's reference to the loser becomes `nil`, whichever of the loser's relationships comes first.
  @Test(arguments: ["mentor", "apprentice"])
  func aGapIsWhereTheLoserWas(toSurvivor: String) throws {
    let (mentor, apprentice) = (
      SmallModel.relationship("mentor"), SmallModel.relationship("apprentice")
    )
    let person = SmallModel.entity("Person", [SmallModel.text("name"), mentor, apprentice])
    person.uniquenessConstraints = [["name"]]
    SmallModel.link((mentor, of: person), (apprentice, of: person))
    let context = SmallModel.context(
      try SmallModel.coordinator(SmallModel.model(person), folder.file("People.sqlite")),
      .overwriteMergePolicyType)
    let toOther = toSurvivor == "mentor" ? "apprentice" : "mentor"
    let loser = SmallModel.new("Person", ["name": "x"], in: context)
    let other = SmallModel.new("Person", ["name": "other"], in: context)
    let survivor = SmallModel.new("Person", ["name": "x"], in: context)
    loser[toSurvivor] = survivor
    loser[toOther] = other
    try context.save()
    #expect(loser.managedObjectContext == nil)
    #expect(survivor[toSurvivor] == nil)
    #expect(survivor[toOther] as? NSManagedObject === other)
    #expect(other[toSurvivor] as? NSManagedObject === survivor)
  }

  /// The survivor takes over the loser's order, including the loser's own position.
  @Test(arguments: [("before", "items"), ("items", "zones")])
  func aSurvivorStandsInItsOrderWhereTheLoserDid(names: (other: String, order: String)) throws {
    let others = SmallModel.relationship(names.other, many: true)
    let order = SmallModel.relationship(names.order, many: true, ordered: true)
    let item = SmallModel.entity("Item", [SmallModel.text("name"), others, order])
    item.uniquenessConstraints = [["name"]]
    SmallModel.link((others, of: item), (order, of: item))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item), folder.file("\(names.order).sqlite"))
    let theirs = SmallModel.context(coordinator)
    let loser = SmallModel.new("Item", ["name": "x"], in: theirs)
    let first = SmallModel.new("Item", ["name": "first"], in: theirs)
    loser[names.order] = NSOrderedSet(array: [first, loser])
    try theirs.save()
    let mine = SmallModel.context(coordinator, .overwriteMergePolicyType)
    let survivor = SmallModel.new("Item", ["name": "x"], in: mine)
    try mine.save()
    #expect(SmallModel.names(survivor, names.order) == ["first", "x"])
  }

  /// A row that others deleted, and that changes here restore, takes precedence over new objects.
  @Test func whatComesBackComesFirst() throws {
    let mine = SmallModel.context(coordinator, .mergeByPropertyObjectTrumpMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    let present = SmallModel.new("Item", ["x": 1, "note": "kept"], in: mine)
    try mine.save()
    theirs.delete(try theirs.existingObject(with: present.objectID))
    try theirs.save()
    present["name"] = "changed"
    let new = SmallModel.new("Item", ["x": 1], in: mine)
    try mine.save()
    #expect(new.managedObjectContext == nil)
    #expect(try row()?.objectID == present.objectID)
    #expect(try row()?["note"] as? String == "kept")
  }
}
