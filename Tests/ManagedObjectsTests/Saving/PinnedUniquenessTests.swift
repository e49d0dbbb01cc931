import DataModels
import Foundation
import TestSupport
import Testing

@testable import ManagedObjects

/// Conflicts with rows that don't exist in the query generation of a context.
@Suite struct PinnedUniquenessTests {
  @Test(arguments: NSMergePolicyType.allCases, [false, true])
  func theRowIsMetAsItIsNow(policy: NSMergePolicyType, wasMissed: Bool) throws {
    let folder = try TemporaryFolder()
    let members = SmallModel.relationship("members", many: true)
    let group = SmallModel.relationship("group")
    let item = SmallModel.entity(
      "Item", [SmallModel.number("x"), SmallModel.text("name"), members], unique: [["x"]])
    let member = SmallModel.entity("Member", [SmallModel.text("name"), group])
    SmallModel.link((members, of: item), (group, of: member))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(item, member), folder.file("a.sqlite"))
    let (mine, theirs) = (
      SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
    )
    try mine.setQueryGenerationFrom(.current)
    #expect(try SmallModel.all("Item", mine).isEmpty)
    let row = SmallModel.new("Item", ["x": 4, "name": "theirs"], in: theirs)
    SmallModel.new("Member", ["name": "their member", "group": row], in: theirs)
    try theirs.save()
    // The object may have been looked up in the earlier generation.
    let missed = wasMissed ? mine.object(with: row.objectID) : nil
    #expect(missed?["name"] == nil)
    let new = SmallModel.new("Item", ["x": 4, "name": "mine"], in: mine)
    if policy == .errorMergePolicyType {
      let error = #expect(throws: NSError.self) { try mine.save() }
      #expect(error?.code == NSManagedObjectConstraintMergeError)
      let conflicts = error?.userInfo[NSPersistentStoreSaveConflictsErrorKey]
      let conflict = try #require((conflicts as? [NSConstraintConflict])?.first)
      #expect(conflict.databaseObject?.objectID == row.objectID)
      #expect(conflict.databaseSnapshot?["name"] as? String == "theirs")
      // The context still reads the earlier generation.
      #expect(mine.queryGenerationToken != nil)
      #expect(new.isInserted)
      #expect(try SmallModel.all("Member", mine).isEmpty)
      return
    }
    try mine.save()
    let reader = SmallModel.context(coordinator)
    let read = try SmallModel.all("Item", reader)
    let isMine =
      policy == .mergeByPropertyObjectTrumpMergePolicyType || policy == .overwriteMergePolicyType
    #expect(read.map { $0["name"] as? String } == [isMine ? "mine" : "theirs"])
    #expect(SmallModel.names(read.first, "members") == ["their member"])
    #expect(try SmallModel.all("Member", mine).count == 1)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  @Test func anUpdateWithoutADifferenceIsInNobodysWay() throws {
    let folder = try TemporaryFolder()
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(SmallModel.entity("A", [SmallModel.number("x")], unique: [["x"]])),
      folder.file("a.sqlite"))
    let (mine, theirs) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    let a = SmallModel.new("A", ["x": 3], in: mine)
    try mine.save()
    try theirs.existingObject(with: a.objectID)["x"] = 1
    try theirs.save()
    a["x"] = 3
    SmallModel.new("A", ["x": 1], in: mine)
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
  }

  /// A save whose changes are discarded by the merge policy is a save: the context moves on to the current state.
  @Test func aSaveThatComesToNothingEndsTheState() throws {
    let folder = try TemporaryFolder()
    let model = SmallModel.model(
      SmallModel.entity("A", [SmallModel.number("x")], unique: [["x"]]),
      SmallModel.entity("B", [SmallModel.number("y")]))
    let coordinator = try SmallModel.coordinator(model, folder.file("a.sqlite"))
    let mine = SmallModel.context(coordinator, .mergeByPropertyStoreTrumpMergePolicyType)
    let theirs = SmallModel.context(coordinator)
    try mine.setQueryGenerationFrom(.current)
    let one = SmallModel.new("A", ["x": 0], in: theirs)
    SmallModel.new("A", ["x": 2], in: theirs)
    try theirs.save()
    let known = try mine.existingObject(with: one.objectID)
    known["x"] = 2
    try mine.save()
    #expect(known["x"] as? Int == 0)
    let later = SmallModel.new("B", [:], in: theirs)
    try theirs.save()
    try mine.existingObject(with: later.objectID)["y"] = 1
    try mine.save()
    theirs.refresh(later, mergeChanges: false)
    #expect(later["y"] as? Int == 1)
  }
}
