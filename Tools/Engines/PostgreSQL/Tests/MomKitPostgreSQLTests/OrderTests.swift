import Foundation
import MomKit
import MomKitPostgreSQL
import Testing

/// Orders of what is fetched: windows that follow each other, and distinct results.
@Suite(.enabled(if: TestServer.isThere)) struct OrderTests {
  // MARK: Windows

  /// What is fetched in windows.
  enum Windowed: CaseIterable {
    case objects, objectsFilteredInMemory, objectsSortedInMemory, dictionaries
    case sortedDictionaries, distinctDictionaries, groups

    /// Returns the request for `Item {n, kind, text}`; `text` is the same for all.
    func request() -> NSFetchRequest<NSFetchRequestResult> {
      let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Item")
      switch self {
      case .objects: break
      case .objectsFilteredInMemory:
        request.predicate = NSPredicate(format: "text CONTAINS[cd] 'É'")
      case .objectsSortedInMemory:
        request.sortDescriptors = [
          NSSortDescriptor(
            key: "text", ascending: true, selector: "localizedStandardCompare:")
        ]
      default:
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = ["n", "text"]
      }
      switch self {
      case .sortedDictionaries, .distinctDictionaries, .groups:
        request.sortDescriptors = [NSSortDescriptor(key: "text", ascending: true)]
      default: break
      }
      request.returnsDistinctResults = self == .distinctDictionaries
      if self == .groups { request.propertiesToGroupBy = ["text", "n"] }
      return request
    }
  }

  /// Rows that are written between two windows move to the end of the table, but not to the next window.
  @Test(arguments: Windowed.allCases)
  func windowsHaveAllRowsOnce(_ windowed: Windowed) throws {
    let item = TestModel.entity(
      "Item",
      [
        TestModel.attribute("n", .integer64AttributeType),
        TestModel.attribute("kind", .integer64AttributeType), TestModel.attribute("text"),
      ])
    let contexts = try TestContexts(NSPostgreSQLStoreType, TestModel.model([item]))
    let context = try contexts.context()
    let (count, size) = (60, 6)
    try context.execute(
      NSBatchInsertRequest(
        entityName: "Item", objects: (0..<count).map { ["n": $0, "kind": 0, "text": "née"] }))
    var found: [Int] = []
    for offset in stride(from: 0, to: count, by: size) {
      let request = windowed.request()
      (request.fetchOffset, request.fetchLimit) = (offset, size)
      let rows = try contexts.context().fetch(request).compactMap { row in
        let object = row as? NSManagedObject
        return (object?.value(forKey: "n") ?? (row as? NSDictionary)?["n"]) as? Int
      }
      #expect(rows.count == size)
      found += rows
      try TestServer.execute(
        "UPDATE \"Item\" SET kind = kind + 1, _version = _version + 1 WHERE n % 7 = \(offset % 5)",
        at: contexts.url)
    }
    #expect(found.sorted() == Array(0..<count))
  }

  // MARK: Distinct results

  /// What is selected of a number may be converted, and distinct rows are sorted only by what is selected.
  @Test(arguments: ["boss.small", "twice", "name"], [0, 2])
  func distinctDictionariesAreSortedByNumbers(key: String, limit: Int) throws {
    func lines(_ type: String) throws -> [String] {
      let context = try TestContexts(type, TestModel.shop()).context()
      let bosses = (0..<4).map { context.insert("Person", ["name": "p\(9 - $0)", "small": $0]) }
      for number in 0..<12 {
        context.insert("Person").setValue(bosses[number % 4], forKey: "boss")
      }
      try context.save()
      let (twice, name) = (NSExpressionDescription(), NSExpressionDescription())
      (twice.name, twice.expressionResultType) = ("twice", .doubleAttributeType)
      twice.expression = NSExpression(format: "boss.small + boss.small")
      (name.name, name.expressionResultType) = ("name", .stringAttributeType)
      name.expression = NSExpression(forKeyPath: "boss.name")
      let request = NSFetchRequest<NSDictionary>(entityName: "Person")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["boss.small", twice, name]
      request.returnsDistinctResults = true
      request.predicate = NSPredicate(format: "boss != nil")
      request.sortDescriptors = [NSSortDescriptor(key: key, ascending: false)]
      (request.fetchLimit, request.fetchOffset) = (limit, limit / 2)
      return try context.fetch(request).map { row in
        ["boss.small", "twice", "name"].map { "\(row[$0] ?? "nil")" }.joined(separator: " ")
      }
    }
    let found = try lines(NSPostgreSQLStoreType)
    #expect(try found == lines(NSSQLiteStoreType))
    #expect(found.count == (limit == 0 ? 4 : 2))
  }
}
