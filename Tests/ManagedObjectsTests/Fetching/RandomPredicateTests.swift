import DataModels
import Foundation
import PredicateFormat
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// SQL and evaluation in memory agree for random predicates over random data: they find the same objects, or both
/// fail.
@Suite struct RandomPredicateTests {
  /// The outcome of a fetch.
  private enum Answer: Equatable {
    case found([NSManagedObjectID])
    case failed
  }

  @Test(arguments: [UInt64(1), 2, 3])
  func sqlAgreesWithMemory(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let context = Library.parent(coordinator)
    context.retainsRegisteredObjects = true
    var random = RandomLibrary(seed: seed)
    try random.fill(context)
    let engine = try #require(
      try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    let all = try Library.all("Author", in: context)
    let layout = try #require(coordinator.modelLayout["Author"])
    let child = Library.child(of: context)
    var complete = 0
    var failed = 0
    let count = 700
    for _ in 0..<count {
      let (format, arguments) = random.question(all)
      let predicate = NSPredicate(format: format, argumentArray: arguments)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = predicate
      request.sortDescriptors = random.descriptors()
      let window = random.window()
      (request.fetchLimit, request.fetchOffset) = (window.limit, window.offset)
      let query = RowQuery(
        layout: layout, predicate: predicate, sortDescriptors: request.sortDescriptors ?? [],
        limit: window.limit, offset: window.offset)
      let statement = try FetchStatement(query, engine.shape(layout), engine: engine)
      if statement.isComplete { complete += 1 }
      let expected = answer { try self.inMemory(all, query) }
      if expected == .failed { failed += 1 }
      for reader in [context, child] {
        let found = answer { try reader.fetch(request) }
        guard found != expected else { continue }
        Issue.record(
          """
          \(format) \(arguments)
          found \(found), expected \(expected) in \(reader === child ? "a child" : "SQL")
          \(statement.sql)
          """)
      }
    }
    // Predicates that SQL can't express must be rare, or the test would compare memory with itself; so must errors.
    #expect(complete > count * 9 / 10, "\(complete) of \(count) in SQL")
    #expect(failed < count / 10 && failed > 0, "\(failed) of \(count) failed")
  }

  /// Results don't depend on which objects have irrelevant changes.
  @Test(arguments: [UInt64(4), 5])
  func unsavedObjectsAreFoundAsSavedOnesAre(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let clean = Library.parent(coordinator)
    var random = RandomLibrary(seed: seed)
    try random.fill(clean)
    let dirty = Library.parent(coordinator)
    dirty.retainsRegisteredObjects = true
    for author in try Library.all("Author", in: dirty) { author["fee"] = Decimal(1) }
    let all = try Library.all("Author", in: clean)
    for _ in 0..<300 {
      let (format, arguments) = random.question(all)
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = NSPredicate(format: format, argumentArray: arguments)
      request.sortDescriptors = random.descriptors()
      let expected = answer { try clean.fetch(request) }
      let found = answer { try dirty.fetch(request) }
      if found != expected {
        Issue.record("\(format) \(arguments)\nfound \(found), expected \(expected)")
      }
    }
  }

  private func answer(_ fetch: () throws -> [NSManagedObject]) -> Answer {
    do {
      return .found(try fetch().map(\.objectID))
    } catch {
      return .failed
    }
  }

  private func inMemory(_ all: [NSManagedObject], _ query: RowQuery) throws -> [NSManagedObject] {
    let predicate = try #require(query.predicate)
    let condition = FetchCondition(predicate, of: query.layout, .sqliteStore)
    let matching = try all.filter { try condition.isSatisfied(by: $0) }.sorted { left, right in
      for descriptor in query.sortDescriptors {
        let order = descriptor.compare(left, to: right)
        if order != .orderedSame { return order == .orderedAscending }
      }
      return false
    }
    let rest = matching.dropFirst(query.offset)
    return Array(query.limit > 0 ? rest.prefix(query.limit) : rest)
  }
}
