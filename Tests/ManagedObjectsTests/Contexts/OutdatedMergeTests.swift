import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Merging saves that are older than what the context knows.
@Suite struct OutdatedMergeTests {
  private let folder: TemporaryFolder
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
  }

  /// Saves `theirs` and returns the notification.
  private func saved() throws -> Notification {
    nonisolated(unsafe) var notification: Notification?
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: theirs, queue: nil
    ) { notification = $0 }
    defer { NotificationCenter.default.removeObserver(observer) }
    try theirs.save()
    return try #require(notification)
  }

  /// An object that was inserted there, and deleted here before that is merged, stays deleted, and nothing refers to it.
  @Test(arguments: [false, true]) func whatIsDeletedHereStaysDeleted(isUpdate: Bool) throws {
    let ada = Library.new("Author", ["name": "Ada"], in: theirs)
    var outdated = try saved()
    if isUpdate {
      ada["rank"] = 2
      outdated = try saved()
    }
    mine.delete(try mine.existingObject(with: ada.objectID))
    try mine.save()
    let gone = mine.object(with: ada.objectID)
    let book = Library.new("Book", ["title": "a", "author": gone], in: mine)
    mine.mergeChanges(fromContextDidSave: outdated)
    // Reading it finds nothing, as before the merge.
    #expect(throws: CocoaError.self) { try mine.existingObject(with: ada.objectID) }
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectValidationError)
    book["author"] = nil
    try mine.save()
    #expect(try Library.all("Book", "author != nil", in: theirs).isEmpty)
  }

  /// One that was written again since the deletion is back.
  @Test func whatWasWrittenAgainIsBack() throws {
    theirs.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    let ada = Library.new("Author", ["name": "Ada"], in: theirs)
    try theirs.save()
    mine.delete(try mine.existingObject(with: ada.objectID))
    try mine.save()
    let gone = mine.object(with: ada.objectID)
    #expect(throws: CocoaError.self) { try mine.existingObject(with: ada.objectID) }
    ada["rank"] = 2
    mine.mergeChanges(fromContextDidSave: try saved())
    #expect(gone["rank"] as? Int == 2)
    #expect(gone["name"] as? String == "Ada")
  }
}
