import Foundation
import ManagedModel
import PredicateFormat
import TestSupport
import Testing

@testable import ManagedObjects
@testable import SQLiteStore

/// SQL finds what evaluation in memory finds, for random questions about random data.
@Suite struct RandomPredicateTests {
  @Test(arguments: [UInt64(1), 2, 3])
  func sqlAgreesWithMemory(_ seed: UInt64) throws {
    let folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let context = Library.context(coordinator)
    context.retainsRegisteredObjects = true
    var random = RandomLibrary(seed: seed)
    try random.fill(context)
    let engine = try #require(
      try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    let all = try Library.all("Author", in: context)
    let layout = try #require(coordinator.modelLayout["Author"])
    var complete = 0
    let count = 700
    for _ in 0..<count {
      let format = random.predicate()
      let predicate = NSPredicate(format: format, argumentArray: [])
      let descriptors = random.descriptors()
      let window = random.window()
      let query = RowQuery(
        layout: layout, predicate: predicate, sortDescriptors: descriptors, limit: window.limit,
        offset: window.offset)
      let statement = try FetchStatement(query, engine.shape(layout), engine: engine)
      if statement.isComplete { complete += 1 }
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = predicate
      request.sortDescriptors = descriptors
      (request.fetchLimit, request.fetchOffset) = (window.limit, window.offset)
      let found: [NSManagedObject]
      do {
        found = try context.fetch(request)
      } catch {
        Issue.record("\(format): \(error)\n\(statement.sql)")
        continue
      }
      let matching = all.filter { predicate.evaluate(with: $0) }.sorted { left, right in
        for descriptor in descriptors {
          let order = descriptor.compare(left, to: right)
          if order != .orderedSame { return order == .orderedAscending }
        }
        return false
      }
      let rest = matching.dropFirst(window.offset)
      let expected = Array(window.limit > 0 ? rest.prefix(window.limit) : rest)
      guard found != expected else { continue }
      Issue.record(
        """
        \(format)
        found \(found.count), expected \(expected.count); sorted by \(descriptors)
        \(statement.sql)
        """)
    }
    // What SQL can't say is rare, or the test would compare memory with itself.
    #expect(complete > count * 9 / 10, "\(complete) of \(count) in SQL")
  }
}
