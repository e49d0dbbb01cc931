import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Rows that are gone by the time a controller looks at them: it shows none of them, whoever finds out first.
@Suite struct VanishedRowTests {
  private let folder: TemporaryFolder
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    for number in 1...3 { _ = Library.new("Book", ["title": "\(number)"], in: theirs) }
    try theirs.save()
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {
    private(set) var types: [NSFetchedResultsChangeType] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { types.append(type) }
  }

  private func controller(
    _ delegate: Delegate, _ format: String? = nil
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    request.predicate = format.map { NSPredicate(format: $0) }
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: mine, sectionNameKeyPath: nil, cacheName: nil)
    controller.delegate = delegate
    try controller.performFetch()
    return controller
  }

  private func titles(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    (controller.fetchedObjects ?? []).map { $0["title"] as? String ?? "nothing" }
  }

  private func merge(_ key: String, _ id: NSManagedObjectID) {
    NSManagedObjectContext.mergeChanges(fromRemoteContextSave: [key: [id]], into: [mine])
  }

  /// As when a background context inserts and deletes before the main queue's turn comes, or history is replayed.
  @Test(arguments: [nil, "title != 'other'"])
  func anInsertionThatIsMergedAfterItsDeletionIsNotShown(format: String?) throws {
    let delegate = Delegate()
    let controller = try controller(delegate, format)
    let book = Library.new("Book", ["title": "2b"], in: theirs)
    try theirs.save()
    let id = book.objectID
    theirs.delete(book)
    try theirs.save()
    merge(NSInsertedObjectsKey, id)
    #expect(titles(controller) == ["1", "2", "3"])
    merge(NSDeletedObjectsKey, id)
    mine.processPendingChanges()
    #expect(titles(controller) == ["1", "2", "3"])
    #expect(delegate.types.isEmpty)
    #expect(!mine.hasChanges)
  }

  @Test(arguments: [false, true])
  func aRefreshFindsThatARowIsGone(refreshesAll: Bool) throws {
    let delegate = Delegate()
    let controller = try controller(delegate)
    let shown = try #require(controller.fetchedObjects?[1])
    theirs.delete(theirs.object(with: shown.objectID))
    try theirs.save()
    refreshesAll ? mine.refreshAllObjects() : mine.refresh(shown, mergeChanges: true)
    mine.processPendingChanges()
    #expect(titles(controller) == ["1", "3"])
    #expect(delegate.types.filter { $0 != .update } == [.delete])
    merge(NSDeletedObjectsKey, shown.objectID)
    #expect(titles(controller) == ["1", "3"])
    #expect(delegate.types.filter { $0 != .update } == [.delete])
  }

  @Test func aFaultThatFindsItsRowGoneIsToldOfAsDeleted() throws {
    let book = try #require(try Library.all("Book", in: theirs).first)
    let fault = mine.object(with: book.objectID)
    theirs.delete(book)
    try theirs.save()
    nonisolated(unsafe) var told: [Set<NSManagedObject>] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextObjectsDidChange, object: mine, queue: nil
    ) { told.append($0.userInfo?[NSDeletedObjectsKey] as? Set<NSManagedObject> ?? []) }
    defer { NotificationCenter.default.removeObserver(observer) }
    #expect(fault["title"] == nil)
    #expect(fault.isDeleted && !mine.hasChanges)
    mine.processPendingChanges()
    #expect(told == [[fault]])
    // Its deletion is told of once, and a save doesn't mind.
    merge(NSDeletedObjectsKey, fault.objectID)
    try mine.save()
    #expect(told.dropFirst().allSatisfy { $0.isEmpty })
  }

  /// What a program has set in the meantime isn't saved, and the save says so.
  @Test func aBatchDeletionThatNobodyMergedIsFoundBySaving() throws {
    let delegate = Delegate()
    let controller = try controller(delegate)
    let shown = try #require(controller.fetchedObjects?[1])
    try theirs.execute(NSBatchDeleteRequest(objectIDs: [shown.objectID]))
    shown["title"] = "typed"
    #expect(throws: NSError.self) { try mine.save() }
    mine.rollback()
    mine.refreshAllObjects()
    mine.processPendingChanges()
    #expect(titles(controller) == ["1", "3"])
  }
}
