import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows that two writers write again after a third has deleted them.
@Suite struct BroughtBackTwiceTests {
  private static let types = [NSSQLiteStoreType, NSXMLStoreType, NSInMemoryStoreType]

  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  private init(_ type: String) throws {
    folder = try TemporaryFolder()
    let items = SmallModel.relationship("items", many: true)
    let owner = SmallModel.relationship("owner")
    let list = SmallModel.entity("List", [SmallModel.text("name"), items])
    let item = SmallModel.entity("Item", [SmallModel.text("name"), SmallModel.text("note"), owner])
    SmallModel.link((items, of: list), (owner, of: item))
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: SmallModel.model(list, item))
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("a"), options: nil)
  }

  init() throws { try self.init(NSSQLiteStoreType) }

  /// Lets another writer save before it resolves conflicts.
  private final class Racing: NSMergePolicy, @unchecked Sendable {
    var before: (() throws -> Void)?

    override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
      try before?()
      before = nil
      try super.resolve(optimisticLockingConflicts: list)
    }
  }

  @Test(
    arguments: types,
    [NSMergePolicyType.mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType])
  func theSecondMeetsTheFirstsRow(type: String, policy: NSMergePolicyType) throws {
    let trial = try Self(type)
    let (a, b, c) = (
      SmallModel.context(trial.coordinator), SmallModel.context(trial.coordinator, policy),
      SmallModel.context(trial.coordinator)
    )
    let item = SmallModel.new("Item", ["name": "old"], in: c)
    try c.save()
    let mine = try a.existingObject(with: item.objectID)
    let theirs = try b.existingObject(with: item.objectID)
    (mine["name"], theirs["note"]) = ("mine", "theirs")
    c.delete(item)
    try c.save()
    let racing = Racing(merge: policy)
    racing.before = { try b.save() }
    a.mergePolicy = racing
    try a.save()
    let read = try SmallModel.all("Item", SmallModel.context(trial.coordinator))
    #expect(read.count == 1)
    let reader = SmallModel.context(trial.coordinator)
    let found = try reader.existingObject(with: mine.objectID)
    #expect(found["name"] as? String == "mine")
    if policy == .mergeByPropertyObjectTrumpMergePolicyType {
      #expect(found["note"] as? String == "theirs")
    }
    mine["note"] = "later"
    try a.save()
    reader.refreshAllObjects()
    #expect(found["note"] as? String == "later")
  }

  /// Two contexts undo their deletions of the same owner.
  @Test(arguments: types, NSMergePolicyType.allCases)
  func deletionsAreUndoneTwice(type: String, policy: NSMergePolicyType) throws {
    let trial = try Self(type)
    let contexts = (0..<2).map { _ in
      let context = SmallModel.context(trial.coordinator, policy)
      context.undoManager = UndoManager()
      context.undoManager?.groupsByEvent = false
      return context
    }
    let first = SmallModel.context(trial.coordinator)
    let list = SmallModel.new("List", ["name": "l"], in: first)
    SmallModel.new("Item", ["name": "i"], in: first)["owner"] = list
    try first.save()
    for context in contexts { context.delete(try context.existingObject(with: list.objectID)) }
    try contexts[0].save()
    try? contexts[1].save()
    contexts[0].undo()
    try contexts[0].save()
    contexts[1].undo()
    do { try contexts[1].save() } catch let error as NSError {
      #expect(error.code == NSManagedObjectMergeError)
      #expect(policy == .errorMergePolicyType)
    }
    let reader = SmallModel.context(trial.coordinator)
    let lists = try SmallModel.all("List", reader)
    #expect(lists.map { $0["name"] as? String } == ["l"])
    let items = try SmallModel.all("Item", reader)
    for item in items {
      guard let owner = item["owner"] as? NSManagedObject else { continue }
      #expect((owner["items"] as? Set<NSManagedObject>)?.contains(item) == true)
    }
    if type == NSSQLiteStoreType {
      #expect(try StoreCheck.findings(at: trial.folder.file("a")) == [])
    }
  }
}
