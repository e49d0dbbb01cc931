import Foundation
import MomKit
import Testing

@testable import MomKitPostgreSQL

/// The number of round trips that the README states.
@Suite(.enabled(if: TestServer.isThere)) struct RoundTripTests {
  private let contexts: TestContexts
  private let pool: ConnectionPool

  init() throws {
    contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.shop())
    pool = ConnectionPool.of(try PostgreSQLTarget(contexts.url, options: nil))
    let context = try contexts.context()
    for number in 0..<40 {
      let order = context.insert("Order", ["number": number, "note": "n"])
      let person = context.insert("Person", ["name": "p\(number)", "small": number])
      order.setValue(person, forKey: "customer")
      let tags = (0..<3).map { context.insert("Tag", ["title": "t\($0)"]) }
      order.setValue(NSOrderedSet(array: tags), forKey: "tags")
    }
    try context.save()
  }

  /// One thread always gets the same connection.
  private func roundTrips() throws -> Int {
    let connection = try pool.take()
    defer { pool.recycle(connection) }
    return connection.roundTrips
  }

  /// Counts the second time, when statements have been prepared.
  private func count(_ body: (NSManagedObjectContext) throws -> Void) throws -> Int {
    var count = 0
    for _ in 0..<2 {
      let context = try contexts.context()
      let before = try roundTrips()
      try body(context)
      count = try roundTrips() - before
    }
    return count
  }

  /// Like ``count(_:)``, without what `prepare` does first.
  private func count<Prepared>(
    after prepare: (NSManagedObjectContext) throws -> Prepared,
    _ body: (NSManagedObjectContext, Prepared) throws -> Void
  ) throws -> Int {
    var count = 0
    for _ in 0..<2 {
      let context = try contexts.context()
      let prepared = try prepare(context)
      let before = try roundTrips()
      try body(context, prepared)
      count = try roundTrips() - before
    }
    return count
  }

  @Test func readingTakesOneEach() throws {
    #expect(try count { _ = try $0.all("Order", NSPredicate(format: "number < 20")) } == 1)
    #expect(
      try count {
        _ = try $0.count(for: NSFetchRequest<NSManagedObject>(entityName: "Order"))
      } == 1)
    #expect(
      try count {
        let request = NSFetchRequest<NSDictionary>(entityName: "Person")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["name"]
        _ = try $0.fetch(request)
      } == 1)
    #expect(
      try count {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Order")
        request.relationshipKeyPathsForPrefetching = ["customer", "tags"]
        _ = try $0.fetch(request)
      } == 3)
    let uri = try #require(try contexts.context().all("Order").first?.objectID.uriRepresentation())
    func order(_ context: NSManagedObjectContext) throws -> NSManagedObject {
      let coordinator = try #require(context.persistentStoreCoordinator)
      return context.object(
        with: try #require(coordinator.managedObjectID(forURIRepresentation: uri)))
    }
    #expect(try count(after: order) { _, order in _ = order.value(forKey: "note") } == 1)
    #expect(
      try count(after: { context in
        let order = try order(context)
        _ = order.value(forKey: "note")
        return order
      }) { _, order in
        _ = (order.value(forKey: "tags") as? NSOrderedSet)?.count
      } == 1)
  }

  @Test func savingTakesTwo() throws {
    #expect(
      try count(after: { try $0.all("Order", sortedBy: "number") }) { context, orders in
        for order in orders { order.setValue(UUID().uuidString, forKey: "note") }
        try context.save()
      } == 2)
    // New objects get keys that were reserved.
    #expect(
      try count(after: { context in
        _ = context.insert("Tag", ["title": "first"])
        try context.save()
      }) { context, _ in
        for _ in 0..<50 { _ = context.insert("Tag", ["title": "x"]) }
        try context.save()
      } == 2)
    #expect(
      try count(after: { context in
        let order = try context.all("Order", sortedBy: "number")[0]
        return (order, try #require(order.value(forKey: "tags") as? NSOrderedSet))
      }) { context, prepared in
        prepared.0.setValue(prepared.1.reversed, forKey: "tags")
        try context.save()
      } == 3)
    #expect(
      try count(after: { context in
        let tag = context.insert("Tag", ["title": "gone"])
        try context.save()
        return tag
      }) { context, tag in
        context.delete(tag)
        try context.save()
      } <= 3, "with the orders that have it")
  }

  @Test func batchesTakeAFewWhateverTheirSize() throws {
    let inserted = try count { context in
      let request = NSBatchInsertRequest(
        entityName: "Tag", objects: (0..<500).map { ["title": "b\($0)"] })
      try context.execute(request)
    }
    let updated = try count { context in
      let request = NSBatchUpdateRequest(entityName: "Order")
      request.propertiesToUpdate = ["note": "all"]
      try context.execute(request)
    }
    let deleted = try count { context in
      let request = NSFetchRequest<any NSFetchRequestResult>(entityName: "Tag")
      request.predicate = NSPredicate(format: "title BEGINSWITH 'b'")
      try context.execute(NSBatchDeleteRequest(fetchRequest: request))
    }
    print("batch round trips: \(inserted) \(updated) \(deleted)")
    #expect([inserted, updated, deleted].allSatisfy { $0 <= 20 })
  }
}
