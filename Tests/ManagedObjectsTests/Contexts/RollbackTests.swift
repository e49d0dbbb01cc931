import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a rollback restores, and whom it tells.
@Suite struct RollbackTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext

  /// Computes a transient value when it is fetched.
  final class Word: NSManagedObject {
    override func awakeFromFetch() {
      super.awakeFromFetch()
      setPrimitiveValue((self["name"] as? String)?.prefix(1).description, forKey: "initial")
    }
  }

  init() throws {
    folder = try TemporaryFolder()
    let word = SmallModel.entity("Word", [SmallModel.text("name"), SmallModel.text("initial")])
    word.attributesByName["initial"]?.isTransient = true
    word.managedObjectClassName = ManagedObjects.NSStringFromClass(Word.self)
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(word), folder.file("a.sqlite"))
    context = SmallModel.context(coordinator)
    _ = SmallModel.new("Word", ["name": "bee"], in: context)
    try context.save()
    context.reset()
  }

  enum Change: CaseIterable { case stored, both, deletion, deletionLater }

  /// Discarding changes leaves what `awakeFromFetch` has computed.
  @Test(arguments: Change.allCases) func computedValuesAreRestored(change: Change) throws {
    let word = try #require(try SmallModel.all("Word", context).first)
    #expect(word["initial"] as? String == "b")
    #expect(!word.hasChanges && word.changedValues().isEmpty)
    if change != .deletion { word["name"] = "cat" }
    if change == .both { word["initial"] = "c" }
    if change == .deletionLater { context.processPendingChanges() }
    if change == .deletion || change == .deletionLater { context.delete(word) }
    context.rollback()
    #expect(word["name"] as? String == "bee")
    #expect(word["initial"] as? String == "b")
  }

  @Test func computedValuesAreKeptByARefreshThatMerges() throws {
    let word = try #require(try SmallModel.all("Word", context).first)
    word["name"] = "cat"
    context.refresh(word, mergeChanges: true)
    #expect(word["initial"] as? String == "b")
    #expect(word["name"] as? String == "cat")
  }

  /// An object that was changed in an earlier event and is deleted in the unfinished one is told of as refreshed.
  @Test func changesBeforeADeletionAreTold() throws {
    let word = try #require(try SmallModel.all("Word", context).first)
    word["name"] = "cat"
    context.processPendingChanges()
    context.delete(word)
    nonisolated(unsafe) var told: [[AnyHashable: Any]] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: context, queue: nil
    ) { told.append($0.userInfo ?? [:]) }
    defer { NotificationCenter.default.removeObserver(observer) }
    context.rollback()
    #expect(told.count == 1)
    #expect(told.first?[NSRefreshedObjectsKey] as? Set<NSManagedObject> == [word])
    #expect(told.first?[NSInsertedObjectsKey] == nil)
  }
}
