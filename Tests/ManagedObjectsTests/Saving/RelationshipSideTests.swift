import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a save stores of a relationship of any kind when the program has dropped a change of one side, or has led one side
/// to what it deletes.
@Suite struct RelationshipSideTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext
  private let a: NSManagedObject
  private let b: NSManagedObject

  /// `A` and `B` have relationships of every kind with each other.
  init() throws {
    folder = try TemporaryFolder()
    let names = ["partner", "list", "set", "friends", "owner", "holder"]
    let ofA = names.dropLast(2).map {
      SmallModel.relationship($0, many: $0 != "partner", ordered: $0 == "list")
    }
    let ofB = ["partner", "owner", "holder", "friends"].map {
      SmallModel.relationship($0, many: $0 == "friends")
    }
    let one = SmallModel.entity("A", [SmallModel.text("name")] + ofA)
    let other = SmallModel.entity("B", [SmallModel.text("name")] + ofB)
    for (index, relationship) in ofA.enumerated() {
      SmallModel.link((relationship, of: one), (ofB[index], of: other))
    }
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(one, other), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
    a = SmallModel.new("A", ["name": "a"], in: context)
    b = SmallModel.new("B", ["name": "b"], in: context)
    try context.save()
  }

  /// The relationships of `A`, each with its inverse.
  static let relationships = [
    ("partner", "partner"), ("list", "owner"), ("set", "holder"), ("friends", "friends"),
  ]

  enum Forgotten: CaseIterable { case owner, member }

  @Test(arguments: relationships, Forgotten.allCases)
  func aNewRelationshipIsStoredWhole(_ keys: (String, String), forgotten: Forgotten) throws {
    relate(b, keys.0)
    context.refresh(forgotten == .owner ? a : b, mergeChanges: false)
    try context.save()
    #expect(members(a, keys.0) == [b])
    #expect(members(b, keys.1) == [a])
    try expectStored(keys, isRelated: true)
  }

  @Test(arguments: relationships, Forgotten.allCases)
  func anEndedRelationshipIsGone(_ keys: (String, String), forgotten: Forgotten) throws {
    relate(b, keys.0)
    try context.save()
    if keys.0 == "partner" {
      a[keys.0] = nil
    } else {
      a.removeObject(b, fromRelationshipNamed: keys.0)
    }
    context.refresh(forgotten == .owner ? a : b, mergeChanges: false)
    try context.save()
    #expect(members(a, keys.0) == [])
    #expect(members(b, keys.1) == [])
    try expectStored(keys, isRelated: false)
  }

  /// The new partner isn't stored beside the former one.
  @Test(arguments: Forgotten.allCases) func anExchangedPartnerIsStoredOnce(forgotten: Forgotten)
    throws
  {
    let former = SmallModel.new("B", ["name": "c", "partner": a], in: context)
    try context.save()
    a["partner"] = b
    context.refresh(forgotten == .owner ? a : b, mergeChanges: false)
    try context.save()
    #expect(members(a, "partner") == members(b, "partner").map { _ in b })
    try expectStored(("partner", "partner"), isRelated: !members(b, "partner").isEmpty)
    #expect(former["partner"] == nil)
  }

  /// In Core Data, a new member whose owner is refreshed without its changes has no position.
  @Test func aForgottenMemberComesLast() throws {
    for name in ["x", "y"] {
      a.addObject(SmallModel.new("B", ["name": name], in: context), toRelationshipNamed: "list")
    }
    try context.save()
    b["owner"] = a
    context.refresh(a, mergeChanges: false)
    try context.save()
    #expect(members(a, "list").map { $0["name"] as? String } == ["x", "y", "b"])
    try expectStored(("list", "owner"), isRelated: true)
  }

  /// The refreshed object leads again to what is deleted, as its row does.
  @Test(arguments: relationships, [(false, false), (true, false), (false, true), (true, true)])
  func aDeletionReachesWhatWasRefreshedSince(
    _ keys: (String, String), isReverseAndPutBack: (Bool, Bool)
  ) throws {
    let (isReverse, isPutBack) = isReverseAndPutBack
    relate(b, keys.0)
    try context.save()
    let (kept, key, gone) = isReverse ? (b, keys.1, a) : (a, keys.0, b)
    context.delete(gone)
    context.processPendingChanges()
    if isPutBack { relate(kept, key, gone) }
    context.refresh(kept, mergeChanges: false)
    try context.save()
    #expect(members(kept, key) == [])
    let reader = SmallModel.context(try #require(context.persistentStoreCoordinator))
    #expect(members(try reader.existingObject(with: kept.objectID), key) == [])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// The program has ended the relationship before or after the deletion, so that this isn't propagated through it; what
  /// the refreshed object's row says is none of its changes.
  @Test(arguments: relationships, [false, true])
  func whatADeletedObjectHadLeftIsLeft(_ keys: (String, String), isLate: Bool) throws {
    for isReverse in [false, true] {
      let pair = [SmallModel.new("A", in: context), SmallModel.new("B", in: context)]
      relate(pair[0], keys.0, pair[1])
      try context.save()
      let (kept, key, gone) =
        isReverse ? (pair[1], keys.1, pair[0]) : (pair[0], keys.0, pair[1])
      if isLate { context.delete(gone) }
      relate(kept, key, nil)
      if !isLate { context.delete(gone) }
      context.refresh(kept, mergeChanges: false)
      try context.save()
      #expect(members(kept, key) == [])
      let reader = SmallModel.context(try #require(context.persistentStoreCoordinator))
      #expect(members(try reader.existingObject(with: kept.objectID), key) == [])
      #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
    }
  }

  /// The deletion has ended the relationship; the program sets it again, so that nothing of it differs from the store.
  @Test(arguments: relationships, [false, true])
  func aDeletedObjectThatIsPutBackIsRefused(_ keys: (String, String), isReverse: Bool) throws {
    relate(b, keys.0)
    try context.save()
    let (kept, key, gone) = isReverse ? (b, keys.1, a) : (a, keys.0, b)
    context.delete(gone)
    context.processPendingChanges()
    #expect(members(kept, key) == [])
    relate(kept, key, gone)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    #expect(error?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject === kept)
    #expect(error?.userInfo[NSValidationKeyErrorKey] as? String == key)
    relate(kept, key, nil)
    try context.save()
    let reader = SmallModel.context(try #require(context.persistentStoreCoordinator))
    #expect(members(try reader.existingObject(with: kept.objectID), key) == [])
    #expect(try SmallModel.all(isReverse ? "A" : "B", reader).isEmpty)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// Another context has related the two meanwhile. That one of them has been read before makes the end of the relationship
  /// no less of a change.
  @Test(arguments: relationships, [false, true])
  func whatBothHaveMadeEndsWithADeletion(_ keys: (String, String), isReverse: Bool) throws {
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let (old, oldKey, gone) = isReverse ? (a, keys.0, b) : (b, keys.1, a)
    let theirs = try relatedElsewhere(keys)
    try theirs.save()
    try relateAndDelete(old, oldKey, gone)
    try context.save()
    #expect(members(old, oldKey) == [])
    let reader = SmallModel.context(try #require(context.persistentStoreCoordinator))
    #expect(members(try reader.existingObject(with: old.objectID), oldKey) == [])
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// What else the other context has changed is a conflict.
  @Test(arguments: relationships, [(false, false), (true, false), (false, true), (true, true)])
  func whatElseWasChangedIsAConflict(
    _ keys: (String, String), isReverseAndStrict: (Bool, Bool)
  ) throws {
    let (isReverse, isStrict) = isReverseAndStrict
    let (old, oldKey, gone) = isReverse ? (a, keys.0, b) : (b, keys.1, a)
    if !isStrict { context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump }
    old["name"] = "mine"
    let theirs = try relatedElsewhere(keys)
    try theirs.existingObject(with: old.objectID)["name"] = "theirs"
    try theirs.save()
    try relateAndDelete(old, oldKey, gone)
    guard !isStrict else {
      let error = #expect(throws: NSError.self) { try context.save() }
      #expect(error?.code == NSManagedObjectMergeError)
      return
    }
    try context.save()
    #expect(members(old, oldKey) == [])
    let reader = SmallModel.context(try #require(context.persistentStoreCoordinator))
    let stored = try reader.existingObject(with: old.objectID)
    #expect(members(stored, oldKey) == [])
    #expect(stored["name"] as? String == "mine")
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }

  /// A context that has related the two and not saved yet.
  private func relatedElsewhere(_ keys: (String, String)) throws -> NSManagedObjectContext {
    let theirs = SmallModel.context(try #require(context.persistentStoreCoordinator))
    relate(
      try theirs.existingObject(with: a.objectID), keys.0,
      try theirs.existingObject(with: b.objectID))
    return theirs
  }

  /// Relates an object that was read before to one that is read again, and deletes that.
  private func relateAndDelete(
    _ old: NSManagedObject, _ key: String, _ gone: NSManagedObject
  ) throws {
    context.refresh(gone, mergeChanges: true)
    let inverse = try #require(old.entity.relationshipsByName[key]?.inverseRelationship?.name)
    #expect(members(gone, inverse) == [old])
    relate(old, key, gone)
    context.delete(gone)
  }

  /// All members are set at once afterwards.
  @Test(arguments: ["list", "set", "friends"])
  func aDeletedMemberThatIsPutBackStaysRefused(key: String) throws {
    relate(b, key)
    try context.save()
    context.delete(b)
    context.processPendingChanges()
    relate(b, key)
    let other = SmallModel.new("B", ["name": "c"], in: context)
    a.setValue(
      key == "list" ? NSOrderedSet(array: [other, b]) : NSSet(array: [other, b]), forKey: key)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectValidationError)
  }

  private func relate(_ target: NSManagedObject, _ key: String) { relate(a, key, target) }

  private func relate(_ object: NSManagedObject, _ key: String, _ target: NSManagedObject?) {
    guard object.entity.relationshipsByName[key]?.isToMany == true else {
      return object[key] = target
    }
    if let target {
      object.addObject(target, toRelationshipNamed: key)
    } else {
      for member in members(object, key) { object.removeObject(member, fromRelationshipNamed: key) }
    }
  }

  private func members(_ object: NSManagedObject, _ key: String) -> [NSManagedObject] {
    let value = object.value(forKey: key)
    if let set = value as? NSOrderedSet { return set.array.compactMap { $0 as? NSManagedObject } }
    if let set = value as? Set<NSManagedObject> { return Array(set) }
    return (value as? NSManagedObject).map { [$0] } ?? []
  }

  private func expectStored(_ keys: (String, String), isRelated: Bool) throws {
    let coordinator = try #require(context.persistentStoreCoordinator)
    let reader = SmallModel.context(coordinator)
    let (a, b) = (
      try reader.existingObject(with: a.objectID), try reader.existingObject(with: b.objectID)
    )
    #expect(members(a, keys.0).contains(b) == isRelated)
    #expect(members(b, keys.1).contains(a) == isRelated)
    #expect(try StoreCheck.findings(at: folder.file("a.sqlite")) == [])
  }
}
