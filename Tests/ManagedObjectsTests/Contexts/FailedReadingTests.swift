import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Contexts and controllers while a store can't be read.
@Suite struct FailedReadingTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try Library.coordinator(folder.file("Library.sqlite"))
  }

  /// Runs a closure while a table is missing.
  private func without<Result>(_ table: String, _ body: () throws -> Result) throws -> Result {
    let connection = try SQLiteConnection(
      writing: folder.file("Library.sqlite"), creation: .existing)
    try connection.execute("ALTER TABLE \(table) RENAME TO \(table)GONE")
    let result = try body()
    try connection.execute("ALTER TABLE \(table)GONE RENAME TO \(table)")
    return result
  }

  @Test func aSaveTellsOnceOfWhatCouldNotBeRead() throws {
    let context = TestStore.context(coordinator)
    let ada = Library.new("Author", ["name": "Ada"], in: context)
    let book = Library.new("Book", ["title": "a"], in: context)
    try context.save()
    context.refresh(ada, mergeChanges: false)
    try without("ZAUTHOR") { #expect(ada["name"] == nil) }
    // There is nothing that a save could overwrite.
    try context.save()
    book["title"] = "b"
    #expect(throws: NSError.self) { try context.save() }
    #expect(book["title"] as? String == "b")
    try context.save()
    #expect(!context.hasChanges)
    #expect(ada["name"] as? String == "Ada")
    #expect(try Library.all("Book", "title == 'b'", in: TestStore.context(coordinator)).count == 1)
  }

  @Test func mergingWhatCannotBeReadIsNobodysError() throws {
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let book = Library.new("Book", ["title": "a"], in: theirs)
    let other = Library.new("Book", ["title": "other"], in: theirs)
    try theirs.save()
    let copy = try mine.existingObject(with: book.objectID)
    let otherCopy = try mine.existingObject(with: other.objectID)
    copy["title"] = "mine"
    otherCopy["title"] = "other, mine"
    book["pages"] = 7
    try theirs.save()
    try without("ZBOOK") {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [NSUpdatedObjectIDsKey: [book.objectID]], into: [mine])
    }
    #expect(copy["title"] as? String == "mine")
    #expect(copy["pages"] == nil)
    // It is unchanged, and causes a conflict. Nothing is lost.
    let error = #expect(throws: NSError.self) { try mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    mine.refresh(copy, mergeChanges: true)
    try mine.save()
    theirs.refreshAllObjects()
    #expect(book["title"] as? String == "mine")
    #expect((book["pages"] as? NSNumber)?.intValue == 7)
    #expect(other["title"] as? String == "other, mine")
  }

  private final class Delegate: NSFetchedResultsControllerDelegate {
    private(set) var types: [NSFetchedResultsChangeType] = []
    func controller(
      _ controller: NSFetchedResultsController<any NSFetchRequestResult>, didChange anObject: Any,
      at indexPath: IndexPath?, for type: NSFetchedResultsChangeType, newIndexPath: IndexPath?
    ) { types.append(type) }
  }

  /// - Parameter isKnown: whether the context has registered the object whose row comes to match.
  @Test(arguments: [false, true], [nil, "title"])
  func controllersCatchUpWithTheNextEvent(isKnown: Bool, sections: String?) throws {
    let (mine, theirs) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let kept = Library.new("Book", ["title": "kept", "pages": 7], in: theirs)
    let gone = Library.new("Book", ["title": "gone", "pages": 7], in: theirs)
    let comes = Library.new("Book", ["title": "comes", "pages": 1], in: theirs)
    let unrelated = Library.new("Tag", ["name": "t"], in: theirs)
    try theirs.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "pages == 7")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: mine, sectionNameKeyPath: sections,
      cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    try controller.performFetch()
    func titles() -> [String?] {
      controller.fetchedObjects?.map { $0["title"] as? String } ?? []
    }
    let held = isKnown ? try mine.existingObject(with: comes.objectID) : nil
    #expect(titles() == ["gone", "kept"])
    comes["pages"] = 7
    kept["title"] = "still"
    let goneID = gone.objectID
    theirs.delete(gone)
    try theirs.save()
    try without("ZBOOK") {
      NSManagedObjectContext.mergeChanges(
        fromRemoteContextSave: [
          NSUpdatedObjectIDsKey: [comes.objectID, kept.objectID], NSDeletedObjectIDsKey: [goneID],
        ], into: [mine])
    }
    #expect(controller.fetchedObjects?.map(\.objectID) == [kept.objectID])
    #expect(delegate.types == [.delete])
    // An event about something else suffices.
    try mine.existingObject(with: unrelated.objectID)["name"] = "u"
    try mine.save()
    #expect(titles() == ["comes", "still"])
    #expect(controller.sections?.count == (sections == nil ? 1 : 2))
    #expect(delegate.types.contains(.insert))
    #expect(held?.isFault != true)
  }

  @Test func controllersKeepWhatTheyHaveWhenAResetCannotFetch() throws {
    let context = TestStore.context(coordinator)
    _ = Library.new("Book", ["title": "a"], in: context)
    try context.save()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request, managedObjectContext: context, sectionNameKeyPath: nil,
      cacheName: nil)
    let delegate = Delegate()
    controller.delegate = delegate
    // Like the controllers of sequences.
    controller.results.followsResets = true
    try controller.performFetch()
    try without("ZBOOK") { context.reset() }
    #expect(controller.fetchedObjects?.count == 1)
    _ = Library.new("Book", ["title": "b"], in: context)
    try context.save()
    #expect(controller.fetchedObjects?.map { $0["title"] as? String } == ["a", "b"])
  }

  /// A new object's deletion reaches what couldn't be read when it was deleted.
  @Test func theRulesOfANewObjectsDeletionAreTriedAgain() throws {
    let file = folder.file("parts.sqlite")
    let part = SmallModel.relationship("part", rule: .cascadeDeleteRule)
    let whole = SmallModel.entity("Whole", [SmallModel.text("name"), part])
    let parts = SmallModel.entity("Part", [SmallModel.text("name")])
    part.destinationEntity = parts
    let coordinator = try SmallModel.coordinator(SmallModel.model(whole, parts), file)
    let context = SmallModel.context(coordinator)
    let saved = SmallModel.new("Part", ["name": "part"], in: context)
    try context.save()
    context.refresh(saved, mergeChanges: false)
    let connection = try SQLiteConnection(writing: file, creation: .existing)
    let new = SmallModel.new("Whole", ["part": saved], in: context)
    try connection.execute("ALTER TABLE ZPART RENAME TO ZGONE")
    context.delete(new)
    #expect(throws: NSError.self) { try context.save() }
    try connection.execute("ALTER TABLE ZGONE RENAME TO ZPART")
    try context.save()
    #expect(try SmallModel.all("Part", SmallModel.context(coordinator)).isEmpty)
  }
}
