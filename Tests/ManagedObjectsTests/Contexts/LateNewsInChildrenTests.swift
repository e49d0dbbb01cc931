import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// What a child hears or reads of its parent's and siblings' changes that aren't saved, or aren't true any more.
@Suite struct LateNewsInChildrenTests {
  private let parent: NSManagedObjectContext

  init() throws {
    parent = Library.parent(try TestStore.coordinator(Library.model()))
  }

  private func same(_ object: NSManagedObject, in child: NSManagedObjectContext) throws
    -> NSManagedObject
  {
    try child.existingObject(with: object.objectID)
  }

  /// A cascade's owner that is there again before a sibling hears of its deletion: what the sibling has added to it stays.
  @Test(arguments: ["undo", "rollback"]) func aDeletionThatWasTakenBackDeletesNothing(
    how: String
  ) throws {
    let (mine, other) = (Library.child(of: parent), Library.child(of: parent))
    let author = try parent.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
      return author
    }
    let book = try mine.performAndWait {
      Library.new("Book", ["title": "new", "author": try same(author, in: mine)], in: mine)
    }
    nonisolated(unsafe) var news: [Notification] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: other, queue: nil
    ) { news.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    try other.performAndWait {
      let undo = UndoManager()
      undo.groupsByEvent = false
      other.undoManager = undo
      undo.beginUndoGrouping()
      other.delete(try same(author, in: other))
      other.processPendingChanges()
      undo.endUndoGrouping()
      try other.save()
      if how == "undo" {
        undo.undo()
        try other.save()
      }
    }
    if how == "rollback" { parent.performAndWait { parent.rollback() } }
    try mine.performAndWait {
      for notification in news { mine.mergeChanges(fromContextDidSave: notification) }
      #expect(!book.isDeleted && book.managedObjectContext === mine)
      #expect((book["author"] as? NSManagedObject)?.objectID == author.objectID)
      try mine.save()
    }
    try parent.performAndWait {
      try parent.save()
      #expect(try Library.all("Book", in: parent).map { $0["title"] as? String } == ["new"])
    }
  }

  /// Its parent still shows what another writer has deleted.
  @Test(arguments: [false, true]) func aDeletionIsTrueThoughTheParentHasNotHeardOfIt(
    hasChanges: Bool
  ) throws {
    let child = Library.child(of: parent)
    let author = try parent.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
      return author
    }
    let mine = try child.performAndWait {
      let mine = try same(author, in: child)
      #expect(mine["name"] as? String == "Ada")
      if hasChanges { _ = Library.new("Tag", ["name": "new"], in: child) }
      return mine
    }
    let writer = TestStore.context(parent.persistentStoreCoordinator)
    writer.delete(try writer.existingObject(with: author.objectID))
    try writer.save()
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: [author.objectID]], into: [child, parent])
    child.performAndWait { #expect(mine.isDeleted || mine.managedObjectContext == nil) }
    parent.performAndWait { #expect(author.isDeleted || author.managedObjectContext == nil) }
  }

  /// A child that has nothing to lose merges its parent's deletions without waiting for it.
  @Test(.timeLimit(.minutes(1))) func aParentMayWaitForAChildThatMerges() throws {
    let child = Library.child(of: parent)
    child.automaticallyMergesChangesFromParent = true
    try parent.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
      let mine = try child.performAndWait {
        let mine = try same(author, in: child)
        _ = mine["name"]
        return mine
      }
      parent.delete(author)
      try parent.save()
      child.performAndWait { #expect(mine.isDeleted || mine.managedObjectContext == nil) }
    }
  }

  /// What a fetch has found by its parent's unsaved value doesn't show the saved one.
  @Test func anUnfiredFaultTakesTheParentsValue() throws {
    let child = Library.child(of: parent)
    let author = try parent.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: parent)
      try parent.save()
      return author
    }
    let before = try child.performAndWait { try Library.all("Author", in: child) }
    parent.performAndWait { author["name"] = "Eve" }
    try child.performAndWait {
      let found = try Library.all("Author", "name == 'Eve'", in: child)
      #expect(found == before)
      #expect(found.first?["name"] as? String == "Eve")
    }
  }

  /// The order that an undo restores is that of members which a save and a refresh have forgotten.
  @Test(arguments: ["move", "removal"]) func anOrderIsRestoredAfterARefresh(change: String) throws {
    try parent.performAndWait {
      let publisher = Library.new("Publisher", ["name": "House"], in: parent)
      let authors = ["a", "b", "c"].map { Library.new("Author", ["name": $0], in: parent) }
      publisher["authors"] = NSOrderedSet(array: authors)
      try parent.save()
      let undo = UndoManager()
      undo.groupsByEvent = false
      parent.undoManager = undo
      undo.beginUndoGrouping()
      let list = publisher.mutableOrderedSetValue(forKey: "authors")
      if change == "move" {
        list.moveObjects(at: IndexSet(integer: 0), to: 2)
      } else {
        list.removeObject(at: 1)
      }
      parent.processPendingChanges()
      undo.endUndoGrouping()
      try parent.save()
      parent.refreshAllObjects()
      undo.undo()
      let names = (publisher["authors"] as? NSOrderedSet)?.array
        .compactMap { ($0 as? NSManagedObject)?["name"] as? String }
      #expect(names == ["a", "b", "c"])
    }
  }

  /// A save of the parent compares the version of what only its child has guarded.
  @Test func aParentGuardsWhatItsChildGuards() throws {
    let coordinator = try #require(parent.persistentStoreCoordinator)
    let (author, other) = try parent.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: parent)
      let other = Library.new("Author", ["name": "Eve"], in: parent)
      try parent.save()
      return (author, other)
    }
    let child = Library.child(of: parent)
    try child.performAndWait {
      let mine = try same(author, in: child)
      _ = mine["name"]
      child.detectConflicts(for: mine)
      try same(other, in: child)["rank"] = 5
    }
    let writer = TestStore.context(coordinator)
    try writer.existingObject(with: author.objectID)["rank"] = 7
    try writer.save()
    try child.performAndWait { try child.save() }
    #expect(throws: NSError.self) { try parent.performAndWait { try parent.save() } }
  }

  /// A controller of a child shows what siblings change before anything is saved.
  @Test func aControllerFollowsUnsavedObjects() throws {
    let (main, background) = (Library.child(of: parent), Library.child(of: parent))
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "rank == 9")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: main, sectionNameKeyPath: nil, cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try main.performAndWait { try controller.performFetch() }
    nonisolated(unsafe) var news: [Notification] = []
    let observer = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidSave, object: background, queue: nil
    ) { news.append($0) }
    defer { NotificationCenter.default.removeObserver(observer) }
    func merge() {
      main.performAndWait {
        for notification in news { main.mergeChanges(fromContextDidSave: notification) }
      }
      main.performAndWait { main.sweep() }
      news = []
    }
    let author = try background.performAndWait {
      let author = Library.new("Author", ["name": "Ada"], in: background)
      try background.save()
      return author
    }
    merge()
    #expect(main.performAndWait { controller.fetchedObjects?.count } == 0)
    try background.performAndWait {
      author["rank"] = 9
      try background.save()
    }
    merge()
    main.performAndWait {
      #expect(controller.fetchedObjects?.map { $0["name"] as? String } == ["Ada"])
      #expect(delegate.changes == 1)
    }
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {
    var changes = 0

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>
    ) {
      changes += 1
    }
  }
}
