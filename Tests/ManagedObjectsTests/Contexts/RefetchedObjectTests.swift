import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Objects that are known already and are fetched again, refreshed, or guarded.
@Suite struct RefetchedObjectTests {
  private let folder: TemporaryFolder
  private let (here, there): (NSManagedObjectContext, NSManagedObjectContext)

  final class Word: NSManagedObject {
    var balance = 0
    override func awakeFromFetch() {
      super.awakeFromFetch()
      balance += 1
      setPrimitiveValue(
        (value(forKey: "name") as? String)?.first.map(String.init), forKey: "initial")
    }
    override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
      super.awake(fromSnapshotEvents: flags)
      setPrimitiveValue(
        (value(forKey: "name") as? String)?.first.map(String.init), forKey: "initial")
    }
    override func willTurnIntoFault() {
      super.willTurnIntoFault()
      balance -= 1
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    let initial = SmallModel.text("initial")
    initial.isTransient = true
    let isNew = attribute("isNew", .booleanAttributeType)
    (isNew.isTransient, isNew.isOptional, isNew.defaultValue) = (true, false, true)
    let owner = SmallModel.relationship("owner")
    let words = SmallModel.relationship("words", many: true, ordered: true)
    let word = SmallModel.entity(
      "Word", [SmallModel.text("name"), SmallModel.text("note"), initial, isNew, owner])
    word.managedObjectClassName = ManagedObjects.NSStringFromClass(Word.self)
    let list = SmallModel.entity("List", [SmallModel.text("name"), words])
    SmallModel.link((words, of: list), (owner, of: word))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(word, list), folder.file("a.sqlite"))
    (here, there) = (SmallModel.context(coordinator), SmallModel.context(coordinator))
    for context in [here, there] { context.retainsRegisteredObjects = true }
    let made = SmallModel.new("List", ["name": "l"], in: there)
    for name in ["ant", "bee"] {
      SmallModel.new("Word", ["name": name, "owner": made], in: there)
    }
    try there.save()
  }

  private func words(_ context: NSManagedObjectContext, refreshing: Bool = false) throws
    -> [NSManagedObject]
  {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
    request.shouldRefreshRefetchedObjects = refreshing
    return try context.fetch(request).sorted { $0.objectID.key < $1.objectID.key }
  }

  /// A fault is as new as the last row that was read: what a fetch has found by its new value doesn't show the old one.
  @Test func anUnfiredFaultTakesTheNewestRow() throws {
    let before = try words(here)
    try words(there)[0]["name"] = "asp"
    try there.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Word")
    request.predicate = NSPredicate(format: "name == 'asp'")
    let found = try here.fetch(request)
    #expect(found.first === before[0])
    #expect(found.first?["name"] as? String == "asp")
    found.first?["note"] = "x"
    try here.save()
  }

  @Test func aRefreshingFetchKeepsWhatNoStoreKeeps() throws {
    let found = try words(here)
    #expect(found[0]["initial"] as? String == "a")
    found[0]["isNew"] = false
    try here.save()
    try words(there)[0]["name"] = "moth"
    try there.save()
    _ = try words(here, refreshing: true)
    #expect(found[0]["name"] as? String == "moth")
    #expect(found[0]["initial"] as? String == "m")
    #expect(found[0]["isNew"] as? Bool == false)
    #expect(!here.hasChanges)
    found[0]["note"] = "x"
    try here.save()
  }

  /// Members aren't kept beside a newer row: an order that others have changed would be overwritten.
  @Test func aRefreshingFetchReadsMembersAgain() throws {
    let list = try #require(try SmallModel.all("List", here).first)
    #expect(SmallModel.names(list, "words") == ["ant", "bee"])
    let theirs = try #require(try SmallModel.all("List", there).first)
    theirs.mutableOrderedSetValue(forKey: "words").moveObjects(at: [0], to: 1)
    try there.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "List")
    request.shouldRefreshRefetchedObjects = true
    _ = try here.fetch(request)
    #expect(SmallModel.names(list, "words") == ["bee", "ant"])
  }

  @Test func whatWasComputedSurvivesAMergeAndARollback() throws {
    let word = try words(here)[1]
    #expect(word["initial"] as? String == "b")
    word["note"] = "draft"
    here.refresh(word, mergeChanges: true)
    here.rollback()
    #expect(word["initial"] as? String == "b")
    #expect(word["note"] == nil)
  }

  @Test func whatHasNotAwokenIsNotToldToSleep() throws {
    let found = try words(here).compactMap { $0 as? Word }
    here.refreshAllObjects()
    #expect(found.map(\.balance) == [0, 0])
    _ = found[0]["name"]
    here.refreshAllObjects()
    #expect(found.map(\.balance) == [0, 0])
  }

  @Test func aGuardedFaultConflictsOnlyWithWhatHappensLater() throws {
    let id = try words(there)[0].objectID
    let fault = here.object(with: id)
    here.detectConflicts(for: fault)
    try words(here)[1]["note"] = "x"
    try here.save()
    here.detectConflicts(for: fault)
    try words(there)[0]["name"] = "asp"
    try there.save()
    try words(here)[1]["note"] = "y"
    let error = #expect(throws: NSError.self) { try here.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }
}
