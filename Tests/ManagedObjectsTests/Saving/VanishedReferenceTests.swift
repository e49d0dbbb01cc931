import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// References to objects whose rows other writers have deleted: no save writes them.
@Suite struct VanishedReferenceTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static let types = [NSSQLiteStoreType, NSInMemoryStoreType, NSBinaryStoreType, "List"]

  /// `A {name, owner: B, all: [B]}` without inverses, and `B {name, friend: B, friends: [B]}`, which are inverses.
  private func open(_ type: String) throws -> NSPersistentStoreCoordinator {
    let (owner, all) = (
      SmallModel.relationship("owner"), SmallModel.relationship("all", many: true)
    )
    let a = SmallModel.entity("A", [SmallModel.text("name"), owner, all])
    let (friend, friends) = (
      SmallModel.relationship("friend"), SmallModel.relationship("friends", many: true)
    )
    let b = SmallModel.entity("B", [SmallModel.text("name"), friend, friends])
    (owner.destinationEntity, all.destinationEntity) = (b, b)
    SmallModel.link((friend, of: b), (friends, of: b))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: SmallModel.model(a, b))
    NSPersistentStoreCoordinator.registerStoreClass(ListStore.self, forStoreType: "List")
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil,
      at: type == NSInMemoryStoreType ? nil : folder.file("a.store"), options: nil)
    return coordinator
  }

  private func code(_ body: () throws -> Void) -> Int? {
    do { try body() } catch { return (error as NSError).code }
    return nil
  }

  @Test(arguments: types, ["owner", "all"])
  func aOneWayReferenceToADeletedRowIsRefused(type: String, key: String) throws {
    let coordinator = try open(type)
    for policy in NSMergePolicyType.all {
      let (mine, theirs) = (
        SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
      )
      let b = SmallModel.new("B", ["name": "b"], in: theirs)
      try theirs.save()
      let seen = try mine.existingObject(with: b.objectID)
      #expect(seen["name"] as? String == "b")
      theirs.delete(b)
      try theirs.save()
      let a = SmallModel.new("A", ["name": "a"], in: mine)
      a[key] = key == "all" ? NSSet(object: seen) as Any : seen
      do {
        try mine.save()
        Issue.record("saved a reference to nothing")
      } catch let error as NSError {
        #expect(error.code == NSManagedObjectValidationError)
        #expect(error.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === a)
        #expect(error.userInfo[NSValidationKeyErrorKey] as? String == key)
      }
      #expect(try SmallModel.all("A", SmallModel.context(coordinator)).isEmpty)
      // Without the reference, the same object is saved.
      a[key] = key == "all" ? NSSet() : nil
      try mine.save()
      mine.delete(a)
      try mine.save()
    }
  }

  @Test(arguments: types)
  func referencesToWhatTheSameSaveInsertsAreWritten(type: String) throws {
    let coordinator = try open(type)
    let context = SmallModel.context(coordinator)
    let b = SmallModel.new("B", ["name": "b"], in: context)
    let a = SmallModel.new("A", ["name": "a", "owner": b, "all": NSSet(object: b)], in: context)
    try context.save()
    let other = SmallModel.new("B", ["name": "c"], in: context)
    a["owner"] = other
    (a["all"] as? NSSet).map { #expect($0.count == 1) }
    try context.save()
    let reader = SmallModel.context(coordinator)
    let saved = try #require(try SmallModel.all("A", reader).first)
    #expect((saved["owner"] as? NSManagedObject)?["name"] as? String == "c")
  }

  /// A rollback and a save leave an object without a row deleted; nothing may be saved that refers to it.
  @Test(arguments: types, [false, true])
  func whatHasVanishedStaysSo(type: String, byRollback: Bool) throws {
    let coordinator = try open(type)
    let context = SmallModel.context(coordinator)
    let b = SmallModel.new("B", ["name": "b"], in: context)
    try context.save()
    let id = b.objectID
    context.delete(b)
    try context.save()
    let ghost = context.object(with: id)
    #expect(ghost["name"] == nil)
    ghost["friend"] = ghost
    if byRollback { context.rollback() } else { try context.save() }
    let c = SmallModel.new("B", ["name": "c"], in: context)
    ghost["friends"] = NSSet(object: c)
    #expect(code { try context.save() } == NSManagedObjectValidationError)
    #expect(try SmallModel.all("B", SmallModel.context(coordinator)).isEmpty)
  }

  /// A destination whose own side is as it was read isn't written, and nobody meets that another writer has deleted it.
  @Test(arguments: types, [false, true])
  func anUnchangedDestinationIsLookedFor(type: String, takesBack: Bool) throws {
    for policy in NSMergePolicyType.all {
      let coordinator = try open(type)
      let (mine, theirs) = (
        SmallModel.context(coordinator, policy), SmallModel.context(coordinator)
      )
      let (one, other) = (
        SmallModel.new("B", ["name": "1"], in: theirs),
        SmallModel.new("B", ["name": "2"], in: theirs)
      )
      if takesBack { one["friend"] = other }
      try theirs.save()
      let here = try mine.existingObject(with: one.objectID)
      #expect(here["name"] as? String == "1")
      if !takesBack {
        one["friend"] = other
        try theirs.save()
      }
      let friend = try mine.existingObject(with: other.objectID)
      if takesBack {
        #expect((friend["friends"] as? NSSet)?.count == 1)
        here["friend"] = nil
        here["friend"] = friend
        mine.refresh(here, mergeChanges: false)
        friend.removeObject(here, fromRelationshipNamed: "friends")
      }
      here["friend"] = friend
      #expect((friend["friends"] as? NSSet)?.count == 1)
      theirs.delete(other)
      try theirs.save()
      try? mine.save()
      let reader = SmallModel.context(coordinator)
      let rows = try SmallModel.all("B", reader)
      for row in rows {
        let ids = row.objectIDs(forRelationshipNamed: "friend")
        #expect(ids.allSatisfy { id in rows.contains { $0.objectID == id } }, "\(policy)")
      }
      try coordinator.persistentStores.forEach { try coordinator.remove($0) }
    }
  }
}

extension NSMergePolicyType {
  fileprivate static let all: [Self] = [
    .errorMergePolicyType, .mergeByPropertyStoreTrumpMergePolicyType,
    .mergeByPropertyObjectTrumpMergePolicyType, .overwriteMergePolicyType,
    .rollbackMergePolicyType,
  ]
}
