import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Fetches in contexts with unsaved changes.
@Suite struct PendingFetchTests {
  /// Saves alpha 22, bravo 25 and charlie 10; then alpha becomes 5 and charlie 21, bravo is deleted, and delta 30 and
  /// echo 40 are new: the case observed in Core Data.
  private func dirtyContext(_ type: String, _ folder: TemporaryFolder) throws
    -> NSManagedObjectContext
  {
    let coordinator = try TestStore.coordinator(
      Library.model(), at: type == NSSQLiteStoreType ? folder.file("Library.sqlite") : nil,
      type: type)
    let context = TestStore.context(coordinator)
    let books = [("alpha", 22), ("bravo", 25), ("charlie", 10)].map {
      Library.new("Book", ["title": $0, "pages": $1], in: context)
    }
    try context.save()
    context.retainsRegisteredObjects = true
    books[0]["pages"] = 5
    books[2]["pages"] = 21
    context.delete(books[1])
    for (title, pages) in [("delta", 30), ("echo", 40)] {
      _ = Library.new("Book", ["title": title, "pages": pages], in: context)
    }
    return context
  }

  private func request(
    _ format: String? = nil, limit: Int = 0, offset: Int = 0, isSorted: Bool = true
  ) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    if isSorted { request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)] }
    (request.fetchLimit, request.fetchOffset) = (limit, offset)
    return request
  }

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func changesComeOnTopOfTheSavedWindow(_ type: String) throws {
    let folder = try TemporaryFolder()
    let context = try dirtyContext(type, folder)
    func titles(_ request: NSFetchRequest<NSManagedObject>) throws -> [String] {
      let titles = try context.fetch(request).compactMap { $0["title"] as? String }
      #expect(try context.count(for: request) == titles.count)
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: "Book")
      ids.predicate = request.predicate
      ids.sortDescriptors = request.sortDescriptors
      (ids.fetchLimit, ids.fetchOffset) = (request.fetchLimit, request.fetchOffset)
      ids.resultType = .managedObjectIDResultType
      let found = try context.fetch(ids).map { context.object(with: $0)["title"] as? String }
      #expect(found == titles)
      return titles
    }
    #expect(try titles(request()) == ["alpha", "charlie", "delta", "echo"])
    // The saved window is alpha and bravo, of which bravo is deleted.
    #expect(try titles(request(limit: 2, offset: 1)) == ["alpha", "charlie"])
    #expect(try titles(request("pages > 20", limit: 2)) == ["charlie", "delta"])
    // Find before create.
    #expect(try titles(request("pages == 21", limit: 1, isSorted: false)) == ["charlie"])
    #expect(try titles(request("pages == 10", limit: 1, isSorted: false)) == [])
    #expect(try titles(request("pages == 40", limit: 1, isSorted: false)) == ["echo"])
    #expect(try context.fetch(request(limit: 3)).count == 3)
    let saved = request(limit: 2)
    saved.includesPendingChanges = false
    #expect(try context.fetch(saved).map { $0["title"] as? String } == ["charlie", "alpha"])
  }

  /// Objects changed here match, whatever other writers did to their rows; the save reports it then.
  @Test(arguments: [false, true], [nil, "pages == 5"])
  func changedObjectsAreFoundThatOthersDeleted(inChild: Bool, format: String?) throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("Library.sqlite"))
    let (theirs, sibling) = (TestStore.context(coordinator), TestStore.context(coordinator))
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = coordinator
    parent.retainsRegisteredObjects = true
    child.parent = parent
    let book = Library.new("Book", ["title": "alpha"], in: theirs)
    _ = Library.new("Book", ["title": "bravo"], in: theirs)
    try theirs.save()
    let context = inChild ? child : sibling
    let mine = try context.existingObject(with: book.objectID)
    mine["pages"] = 5
    theirs.delete(book)
    try theirs.save()
    let found = try context.fetch(request(format, isSorted: false))
    #expect(found.contains(mine))
    #expect(found.count == (format == nil ? 2 : 1))
  }

  @Test func dictionariesAreOfTheSavedValues() throws {
    let folder = try TemporaryFolder()
    let context = try dirtyContext(NSSQLiteStoreType, folder)
    let request = NSFetchRequest<NSDictionary>(entityName: "Book")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["title"]
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    #expect(
      try context.fetch(request).map { $0["title"] as? String } == ["charlie", "alpha", "bravo"])
  }
}
