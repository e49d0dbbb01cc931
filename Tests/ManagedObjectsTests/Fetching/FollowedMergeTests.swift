import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Other writers' changes of objects that a context hasn't registered, and its fetched results controllers.
@Suite struct FollowedMergeTests {
  private let folder: TemporaryFolder
  private let mine: NSManagedObjectContext
  private let theirs: NSManagedObjectContext
  private let saved: Saved

  init() throws {
    folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    saved = Saved(theirs)
    for number in 0..<30 { _ = Library.new("Book", ["title": "\(number)"], in: theirs) }
    _ = Library.new("Novel", ["title": "33", "pages": 0], in: theirs)
    try theirs.save()
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {
    private(set) var types: [NSFetchedResultsChangeType] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { types.append(type) }
  }

  /// A context's last save.
  private final class Saved: @unchecked Sendable {
    private(set) var last = Notification(name: .NSManagedObjectContextDidSave)
    private var token: (any NSObjectProtocol)?
    init(_ context: NSManagedObjectContext) {
      token = NotificationCenter.default.addObserver(
        forName: .NSManagedObjectContextDidSave, object: context, queue: nil
      ) { [weak self] in self?.last = $0 }
    }
    deinit { if let token { NotificationCenter.default.removeObserver(token) } }
  }

  private func controller(
    _ delegate: Delegate?, _ format: String = "pages == 7"
  ) throws -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: format)
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: mine, sectionNameKeyPath: nil, cacheName: nil)
    controller.delegate = delegate
    try controller.performFetch()
    return controller
  }

  private func changeAll() throws {
    for book in try Library.all("Book", in: theirs) {
      let fits = (book["title"] as? String)?.hasSuffix("3") == true
      if fits { book["pages"] = 7 } else { book["price"] = 1.0 }
    }
    try theirs.save()
  }

  @Test func whatComesToFitComesIn() throws {
    let delegate = Delegate()
    let controller = try controller(delegate)
    try changeAll()
    mine.mergeChanges(fromContextDidSave: saved.last)
    #expect(controller.fetchedObjects?.map { $0["title"] as? String } == ["13", "23", "3", "33"])
    #expect(delegate.types == [.insert, .insert, .insert, .insert])
    // The others stay unregistered.
    #expect(mine.registeredObjects.count == 4)
  }

  @Test func whereNobodyFollowsNothingIsFetched() throws {
    let controller = try controller(nil)
    try changeAll()
    mine.mergeChanges(fromContextDidSave: saved.last)
    #expect(mine.registeredObjects.isEmpty)
    withExtendedLifetime(controller) {}
  }

  /// Other writers' new objects are faults, whose rows are loaded together when a controller accesses them.
  @Test func whatIsNewComesIn() throws {
    let delegate = Delegate()
    let controller = try controller(delegate)
    for number in 0..<1200 {
      _ = Library.new("Book", ["title": "\(number)", "pages": number % 2 * 7], in: theirs)
    }
    try theirs.save()
    mine.mergeChanges(fromContextDidSave: saved.last)
    #expect(controller.fetchedObjects?.count == 600)
    #expect(controller.fetchedObjects?.allSatisfy { $0["pages"] as? Int == 7 } == true)
  }

  /// A store that is removed and added again has other objects for its rows.
  @Test func objectsOfARemovedStoreStayOut() throws {
    let delegate = Delegate()
    let controller = try controller(delegate, "TRUEPREDICATE")
    #expect(controller.fetchedObjects?.count == 31)
    mine.reset()
    let coordinator = try #require(mine.persistentStoreCoordinator)
    let store = try #require(coordinator.persistentStores.first)
    try coordinator.remove(store)
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: store.url)
    try controller.performFetch()
    mine.refreshAllObjects()
    mine.processPendingChanges()
    #expect(controller.fetchedObjects?.count == 31)
  }
}
