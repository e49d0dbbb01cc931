import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Batch deletion.
@Suite struct BatchDeleteTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func open(_ model: NSManagedObjectModel = Library.model()) throws
    -> NSManagedObjectContext
  {
    let context = TestStore.context(
      try Library.coordinator(folder.file("store.sqlite"), model, history: true))
    let house = Library.new("Publisher", ["name": "House"], in: context)
    let tags = ["a", "b"].map { Library.new("Tag", ["name": $0], in: context) }
    for number in 0..<4 {
      let author = Library.new(
        "Author",
        [
          "name": "Author \(number)", "rank": number, "publisher": house, "note": "n\(number)",
          "code": UUID(), "photo": Data(repeating: 1, count: 120_000),
        ], in: context)
      _ = Library.new("Contract", ["sum": number, "author": author], in: context)
      for title in ["x", "y"] {
        let book = Library.new(
          title == "x" ? "Book" : "Novel", ["title": title, "author": author], in: context)
        book["tags"] = NSSet(array: tags)
      }
    }
    try context.save()
    return context
  }

  private func delete(
    _ entity: String, _ format: String?, in context: NSManagedObjectContext
  ) throws -> [NSManagedObjectID] {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: []) }
    let batch = NSBatchDeleteRequest(fetchRequest: request)
    batch.resultType = .resultTypeObjectIDs
    let result = try context.execute(batch) as? NSBatchDeleteResult
    context.reset()
    return try #require(result?.result as? [NSManagedObjectID])
  }

  private func check(_ model: NSManagedObjectModel = Library.model()) throws {
    let checker = try StoreChecker(folder.file("store.sqlite"), model: model)
    #expect(try checker.findings().isEmpty)
    #expect(try checker.danglingCount() == 0)
  }

  /// What the program does with its request later doesn't change what is deleted.
  @Test func aRequestUsedAgain() throws {
    let context = try open()
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(format: "name == 'nobody'")
    let batch = NSBatchDeleteRequest(fetchRequest: request)
    request.predicate = nil
    let count = try context.count(for: request)
    #expect(count > 0)
    try context.execute(batch)
    #expect(try context.count(for: request) == count)
  }

  @Test func cascadesGoOnAndReferencesAreTakenOut() throws {
    let context = try open()
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA").path
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 4)
    let ids = try delete("Author", "rank < 3", in: context)
    #expect(ids.count == 3)
    #expect(ids.allSatisfy { $0.entity.name == "Author" })
    #expect(try Library.all("Author", in: context).count == 1)
    #expect(try Library.all("Book", in: context).count == 2)
    #expect(try Library.all("Novel", in: context).count == 1)
    let house = try #require(try Library.all("Publisher", in: context).first)
    #expect((house["authors"] as? NSOrderedSet)?.count == 1)
    let contracts = try Library.all("Contract", in: context)
    #expect(contracts.count == 4)
    #expect(contracts.filter { $0["author"] == nil }.count == 3)
    for tag in try Library.all("Tag", in: context) {
      #expect((tag["books"] as? NSSet)?.count == 2)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    try check()
  }

  @Test func historyHasDeletionsWithTombstonesAndUpdates() throws {
    let context = try open()
    let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    let author = try #require(try Library.all("Author", "rank == 2", in: context).first)
    let code = try #require(author["code"] as? UUID)
    _ = try delete("Author", "rank == 2", in: context)
    let result =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let changes =
      (result?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
    let deletions = changes.filter { $0.changeType == .delete }
    #expect(
      deletions.map { $0.changedObjectID.entity.name ?? "" }.sorted() == [
        "Author", "Book", "Novel",
      ])
    let tombstone = deletions.first { $0.changedObjectID.entity.name == "Author" }?.tombstone
    #expect(tombstone?["note"] as? String == "n2")
    #expect(tombstone?["code"] as? UUID == code)
    let updates = changes.filter { $0.changeType == .update }
    #expect(
      updates.map {
        "\($0.changedObjectID.entity.name ?? "").\($0.updatedProperties?.map(\.name) ?? [])"
      }
      .sorted() == ["Contract.[\"author\"]", "Tag.[\"books\"]", "Tag.[\"books\"]"])
  }

  @Test func identitiesLimitsAndOrderSayWhat() throws {
    let context = try open()
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: false)]
    request.fetchLimit = 2
    let batch = NSBatchDeleteRequest(fetchRequest: request)
    batch.resultType = .resultTypeCount
    #expect((try context.execute(batch) as? NSBatchDeleteResult)?.result as? Int == 2)
    context.reset()
    let left = try Library.all("Author", in: context)
    #expect(Set(left.map { $0["rank"] as? Int }) == [0, 1])
    try context.execute(NSBatchDeleteRequest(objectIDs: [left[0].objectID]))
    context.reset()
    #expect(try Library.all("Author", in: context).count == 1)
    let mixed = NSBatchDeleteRequest(
      objectIDs: [
        left[1].objectID, try #require(try Library.all("Tag", in: context).first).objectID,
      ])
    #expect(throws: NSError.self) { try context.execute(mixed) }
    try check()
  }

  @Test func aRuleThatDeniesDeletesNothing() throws {
    let model = Library.model(booksRule: .denyDeleteRule)
    let context = try open(model)
    let error = #expect(throws: NSError.self) { try delete("Author", nil, in: context) }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(try Library.all("Author", in: context).count == 4)
    _ = try delete("Book", nil, in: context)
    #expect(try delete("Author", nil, in: context).count == 4)
    try check(model)
  }

  @Test func aMandatoryReferenceKeepsWhatItNeeds() throws {
    let model = Library.model(booksRule: .nullifyDeleteRule, mandatoryAuthor: true)
    let context = try open(model)
    let error = #expect(throws: NSError.self) { try delete("Author", nil, in: context) }
    #expect(error?.code == NSPersistentStoreSaveConflictsError)
    #expect(error?.localizedDescription.contains("nullify inverse on Author/books") == true)
    #expect(try Library.all("Author", in: context).count == 4)
    #expect(try Library.all("Book", "author == nil", in: context).isEmpty)
  }

  @Test func contextsCanBeTold() throws {
    let context = try open()
    let author = try #require(try Library.all("Author", in: context).first)
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    let batch = NSBatchDeleteRequest(fetchRequest: request)
    batch.resultType = .resultTypeObjectIDs
    let result = try context.execute(batch) as? NSBatchDeleteResult
    NSManagedObjectContext.mergeChanges(
      fromRemoteContextSave: [NSDeletedObjectsKey: result?.result as? [NSManagedObjectID] ?? []],
      into: [context])
    #expect(author.isDeleted)
  }
}
