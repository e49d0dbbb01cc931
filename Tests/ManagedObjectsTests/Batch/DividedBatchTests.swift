import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Batch requests and history of several stores.
@Suite struct DividedBatchTests {
  private let folder: TemporaryFolder
  private let coordinator: NSPersistentStoreCoordinator
  private let context: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    coordinator = try TestStore.coordinator(
      Shelf.model(), at: folder.file("a.sqlite"), options: [NSPersistentHistoryTrackingKey: true])
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: folder.file("b.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
    context = TestStore.context(coordinator)
    for number in 0..<10 {
      Shelf.book("\(number)", context, in: coordinator.persistentStores[number % 2])
    }
    try context.save()
  }

  private func deletion(_ configure: (NSFetchRequest<any NSFetchRequestResult>) -> Void) throws
    -> Int?
  {
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
    fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    configure(fetch)
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeCount
    return try (context.execute(request) as? NSBatchDeleteResult)?.result as? Int
  }

  /// A limit is that of the request, not of each store.
  @Test func aDeletionTakesWhatAFetchWouldFind() throws {
    #expect(try deletion { $0.fetchLimit = 3 } == 3)
    context.reset()
    #expect(try Shelf.titles(context) == ["3", "4", "5", "6", "7", "8", "9"])
    #expect(
      try deletion {
        $0.fetchOffset = 1
        $0.fetchLimit = 2
      } == 2)
    context.reset()
    #expect(try Shelf.titles(context) == ["3", "6", "7", "8", "9"])
  }

  @Test func aDeletionHeedsTheStoresOfItsFetchRequest() throws {
    #expect(try deletion { $0.affectedStores = [coordinator.persistentStores[1]] } == 5)
    context.reset()
    #expect(try Shelf.titles(context) == ["0", "2", "4", "6", "8"])
  }

  /// Other stores count neither by their rows nor by what they can't do.
  @Test func aDeletionAsksItsStoresOnly() throws {
    let first = coordinator.persistentStores[0]
    let fetch = NSFetchRequest<any NSFetchRequestResult>(entityName: "Book")
    fetch.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    fetch.predicate = NSPredicate { _, _ in true }
    fetch.fetchLimit = 3
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = .resultTypeCount
    request.affectedStores = [first]
    #expect(try (context.execute(request) as? NSBatchDeleteResult)?.result as? Int == 3)
    context.reset()
    #expect(try Shelf.titles(context) == ["1", "3", "5", "6", "7", "8", "9"])
  }

  @Test func objectsAreDeletedBesideAStoreThatIsOnlyRead() throws {
    let url = folder.file("c.sqlite")
    let other = try Shelf.coordinator(url)
    Shelf.book("seed", Shelf.context(other))
    for store in other.persistentStores { try other.remove(store) }
    try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: url,
      options: [NSReadOnlyPersistentStoreOption: true])
    let books = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
    let own = books.filter { $0.objectID.persistentStore === coordinator.persistentStores[0] }
    let request = NSBatchDeleteRequest(objectIDs: own.map(\.objectID))
    request.resultType = .resultTypeCount
    #expect(try (context.execute(request) as? NSBatchDeleteResult)?.result as? Int == own.count)
  }

  /// A date is a place in each store's history, whether anything came after it or not.
  @Test func aDateIsAPlaceInAllStores() throws {
    Thread.sleep(forTimeInterval: 0.01)
    let date = Date()
    Shelf.book("x", context, in: coordinator.persistentStores[0])
    try context.save()
    func found(
      _ request: NSPersistentHistoryChangeRequest
    ) throws -> [NSPersistentHistoryTransaction] {
      let result = try context.execute(request) as? NSPersistentHistoryResult
      return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }
    let recent = try found(.fetchHistory(after: date))
    #expect(recent.count == 1)
    #expect(try found(.fetchHistory(after: recent.last?.token)).isEmpty)
  }

  /// History of a store that is only read stays, and keeps no other's from being deleted.
  @Test func historyIsDeletedBesideAStoreThatIsOnlyRead() throws {
    let urls = coordinator.persistentStores.compactMap(\.url)
    let second = try TestStore.coordinator(
      Shelf.model(), at: urls[0],
      options: [NSPersistentHistoryTrackingKey: true, NSReadOnlyPersistentStoreOption: true])
    try second.addPersistentStore(
      ofType: NSSQLiteStoreType, configurationName: nil, at: urls[1],
      options: [NSPersistentHistoryTrackingKey: true])
    let reader = TestStore.context(second)
    try reader.execute(NSPersistentHistoryChangeRequest.deleteHistory(before: .distantFuture))
    let result =
      try reader.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: .distantPast))
      as? NSPersistentHistoryResult
    let rest = result?.result as? [NSPersistentHistoryTransaction]
    #expect(rest?.count == 1)
    #expect(rest?.first?.storeID == second.persistentStores[0].identifier)
  }

  /// The token of the last transaction is behind all that was found, of every store.
  @Test func aTokenSpansTheStores() throws {
    func found(
      _ token: NSPersistentHistoryToken?
    ) throws -> [NSPersistentHistoryTransaction] {
      let result =
        try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
        as? NSPersistentHistoryResult
      return try #require(result?.result as? [NSPersistentHistoryTransaction])
    }
    Shelf.book("x", context, in: coordinator.persistentStores[0])
    try context.save()
    let all = try found(nil)
    #expect(all.count == 3)
    let token = try #require(all.last?.token)
    #expect(try found(token).isEmpty)
    Shelf.book("y", context, in: coordinator.persistentStores[1])
    try context.save()
    let next = try found(token)
    #expect(next.count == 1)
    #expect(try found(next.last?.token).isEmpty)
  }
}
