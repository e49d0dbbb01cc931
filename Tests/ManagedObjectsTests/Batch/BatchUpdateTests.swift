import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Batch updates.
@Suite struct BatchUpdateTests {
  private let folder: TemporaryFolder
  private let store: URL
  private let context: NSManagedObjectContext
  private let authors: [NSManagedObject]
  private let house: NSManagedObject

  init() throws {
    folder = try TemporaryFolder()
    store = folder.file("store.sqlite")
    let context = TestStore.context(try Library.coordinator(store, history: true))
    let house = Library.new("Publisher", ["name": "House"], in: context)
    self.context = context
    self.house = house
    authors = (0..<5).map {
      Library.new(
        "Author",
        [
          "name": "Author \($0)", "rank": $0, "score": Double($0) * 1.5,
          "publisher": $0 < 3 ? house : nil, "note": $0 == 4 ? nil : "n\($0)",
        ], in: context)
    }
    _ = Library.new("Novel", ["title": "A", "genre": "x", "author": authors[0]], in: context)
    _ = Library.new("Book", ["title": "B", "author": authors[0]], in: context)
    try context.save()
  }

  private func update(
    _ entity: String, _ values: [AnyHashable: Any], where format: String? = nil
  ) throws -> Int {
    let request = NSBatchUpdateRequest(entityName: entity)
    request.propertiesToUpdate = values
    request.predicate = format.map { NSPredicate(format: $0, argumentArray: []) }
    request.resultType = .updatedObjectsCountResultType
    let result = try context.execute(request) as? NSBatchUpdateResult
    context.refreshAllObjects()
    return try #require(result?.result as? Int)
  }

  @Test func constantsAndExpressionsAreWritten() throws {
    let count = try update(
      "Author",
      [
        "isActive": false, "rank": NSExpression(format: "rank * 10 + 1"),
        "score": NSExpression(format: "score / 2"),
        "note": NSExpression(format: "uppercase:(note)"),
      ], where: "rank >= 2")
    #expect(count == 3)
    #expect(authors.map { $0["rank"] as? Int } == [0, 1, 21, 31, 41])
    #expect(authors.map { $0["score"] as? Double } == [0, 1.5, 1.5, 2.25, 3])
    #expect(authors.map { $0["isActive"] as? Bool } == [true, true, false, false, false])
    #expect(authors.map { $0["note"] as? String } == ["n0", "n1", "N2", "N3", nil])
    #expect(authors.map(\.version) == [1, 1, 2, 2, 2])
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
  }

  @Test func expressionsAreCutToTheAttributesType() throws {
    _ = try update("Author", ["rank": NSExpression(format: "rank * 20000 + 0.75")])
    #expect(authors.map { $0["rank"] as? Int } == [0, 20000, 40000 - 65536, 60000 - 65536, 14464])
  }

  @Test func whatOnlyPredicateFormatComputesIsCalledBack() throws {
    _ = try update(
      "Author", ["score": NSExpression(format: "TERNARY(rank > 2, sqrt:(rank), score)")])
    #expect(authors.map { $0["score"] as? Double } == [0, 1.5, 3, 3.0.squareRoot(), 2])
  }

  @Test func toOnesAreSetAndTheirPositionsForgotten() throws {
    let other = Library.new("Publisher", ["name": "Other"], in: context)
    try context.save()
    #expect(try update("Author", ["publisher": other], where: "rank < 2") == 2)
    #expect(
      Set(
        (house["authors"] as? NSOrderedSet)?.compactMap {
          ($0 as? NSManagedObject)?["rank"] as? Int
        } ?? [])
        == [2])
    #expect((other["authors"] as? NSOrderedSet)?.count == 2)
    _ = try update("Author", ["publisher": NSNull()])
    #expect((other["authors"] as? NSOrderedSet)?.count == 0)
    let connection = try SQLiteConnection.reading(store)
    #expect(
      try connection.integer("SELECT count(*) FROM ZAUTHOR WHERE Z_FOK_PUBLISHER IS NOT NULL") == 0)
  }

  /// Members whose owner is set again keep their places.
  @Test func membersThatStayKeepTheirPlaces() throws {
    func names() -> [String?] {
      ((house["authors"] as? NSOrderedSet)?.array as? [NSManagedObject] ?? []).map {
        $0["name"] as? String
      }
    }
    house["authors"] = NSOrderedSet(array: [authors[2], authors[0], authors[1]])
    try context.save()
    #expect(try update("Author", ["publisher": house], where: "rank IN {1, 2}") == 2)
    #expect(names() == ["Author 2", "Author 0", "Author 1"])
    #expect(try update("Author", ["publisher": house], where: "rank IN {2, 3}") == 2)
    #expect(names().filter { $0 != "Author 3" } == ["Author 2", "Author 0", "Author 1"])
    #expect(names().count == 4)
    #expect(try StoreChecker(store, model: Library.model()).findings().isEmpty)
  }

  /// An expression that reads other rows reads them as they were, whatever the order of the updates.
  @Test(arguments: [false, true]) func expressionsReadOtherRowsAsTheyWere(isReversed: Bool) throws {
    let (parent, children) = (
      SmallModel.relationship("parent"), SmallModel.relationship("children", many: true)
    )
    let node = SmallModel.entity(
      "Node", [SmallModel.number("depth"), SmallModel.number("sum"), parent, children])
    SmallModel.link((parent, of: node), (children, of: node))
    let context = TestStore.context(
      try SmallModel.coordinator(SmallModel.model(node), folder.file("nodes.sqlite")))
    var nodes: [NSManagedObject] = []
    for depth in [1, 10, 100, 1000] {
      nodes.append(SmallModel.new("Node", ["depth": depth], in: context))
      try context.save()
    }
    let chain = isReversed ? nodes.reversed() : nodes
    for (lower, upper) in zip(chain.dropFirst(), chain) { lower["parent"] = upper }
    try context.save()
    let request = NSBatchUpdateRequest(entityName: "Node")
    request.predicate = NSPredicate(format: "parent != nil")
    request.propertiesToUpdate = [
      "depth": NSExpression(format: "parent.depth + 1"), "sum": NSExpression(format: "depth + 7"),
    ]
    try context.execute(request)
    #expect(request.entity === node)
    context.refreshAllObjects()
    let expected = isReversed ? [11, 101, 1001, 1000] : [1, 2, 11, 101]
    #expect(nodes.map { $0["depth"] as? Int } == expected)
    let sums = isReversed ? [8, 17, 107, nil] : [nil, 17, 107, 1007]
    #expect(nodes.map { $0["sum"] as? Int } == sums)
  }

  /// The other ends of one-to-one relationships that a batch clears are still there for its expressions.
  @Test func expressionsReadWhatIsCleared() throws {
    let (next, previous) = (SmallModel.relationship("next"), SmallModel.relationship("previous"))
    let node = SmallModel.entity("Node", [SmallModel.number("rank"), next, previous])
    SmallModel.link((next, of: node), (previous, of: node))
    let context = TestStore.context(
      try SmallModel.coordinator(SmallModel.model(node), folder.file("nodes.sqlite")))
    let nodes = [5, 50, 500].map { SmallModel.new("Node", ["rank": $0], in: context) }
    for (one, other) in zip(nodes, nodes.dropFirst()) { one["next"] = other }
    try context.save()
    let request = NSBatchUpdateRequest(entityName: "Node")
    request.propertiesToUpdate = [
      "next": NSNull(), "rank": NSExpression(format: "previous.rank + 1"),
    ]
    try context.execute(request)
    context.refreshAllObjects()
    #expect(nodes.map { $0["rank"] as? Int } == [nil, 6, 51])
    #expect(nodes.allSatisfy { $0["next"] == nil && $0["previous"] == nil })
  }

  @Test func subentitiesCountUnlessTheyDont() throws {
    #expect(try update("Book", ["pages": 5]) == 2)
    let request = NSBatchUpdateRequest(entityName: "Book")
    request.propertiesToUpdate = ["pages": 6]
    request.includesSubentities = false
    request.resultType = .updatedObjectIDsResultType
    let ids = (try context.execute(request) as? NSBatchUpdateResult)?.result as? [NSManagedObjectID]
    #expect(ids?.map(\.entity.name) == ["Book"])
  }

  @Test func aPredicateThatSQLCantSayIsEvaluatedInMemory() throws {
    let request = NSBatchUpdateRequest(entityName: "Author")
    request.propertiesToUpdate = ["rank": 100]
    request.predicate = NSPredicate { object, _ in
      (object as? NSManagedObject)?["name"] as? String == "Author 3"
    }
    request.resultType = .updatedObjectsCountResultType
    #expect((try context.execute(request) as? NSBatchUpdateResult)?.result as? Int == 1)
    context.refreshAllObjects()
    #expect(authors[3]["rank"] as? Int == 100)
  }

  @Test func aStaleContextConflicts() throws {
    authors[0]["note"] = "mine"
    let request = NSBatchUpdateRequest(entityName: "Author")
    request.propertiesToUpdate = ["note": "theirs"]
    try context.execute(request)
    let error = #expect(throws: NSError.self) { try context.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test func aBrokenConstraintChangesNothing() throws {
    let error = #expect(throws: NSError.self) { try update("Author", ["name": "Same"]) }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    #expect(authors[0]["name"] as? String == "Author 0")
  }

  @Test(arguments: ["books", "nonsense"])
  func propertiesThatCantBeUpdatedAreRefused(_ name: String) throws {
    #expect(throws: NSError.self) { try update("Author", [name: 1]) }
  }

  @Test func largeValuesGetAFileForEachRow() throws {
    let files = folder.file(".store_SUPPORT/_EXTERNAL_DATA").path
    let large = Data(repeating: 9, count: 150_000)
    #expect(try update("Author", ["photo": large]) == 5)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 5)
    #expect(authors[2]["photo"] as? Data == large)
    #expect(try update("Author", ["photo": Data([1])], where: "rank < 4") == 4)
    #expect(try FileManager.default.contentsOfDirectory(atPath: files).count == 1)
    #expect(authors[2]["photo"] as? Data == Data([1]))
    #expect(authors[4]["photo"] as? Data == large)
  }

  @Test func historyNamesTheProperties() throws {
    let token = context.persistentStoreCoordinator?.currentPersistentHistoryToken(fromStores: nil)
    _ = try update("Author", ["rank": 5, "publisher": NSNull()], where: "rank < 2")
    let result =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let transactions = try #require(result?.result as? [NSPersistentHistoryTransaction])
    #expect(transactions.count == 1)
    let changes = transactions.first?.changes ?? []
    #expect(changes.map(\.changeType) == [.update, .update])
    for change in changes {
      #expect(Set(change.updatedProperties?.map(\.name) ?? []) == ["rank", "publisher"])
    }
  }

  /// A batch changes the newest rows, so the largest value is that of these, also if the context reads an older state.
  @Test func theLargestValueIsTheNewest() throws {
    let coordinator = try #require(context.persistentStoreCoordinator)
    let other = TestStore.context(coordinator)
    try context.setQueryGenerationFrom(.current)
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 5)
    _ = Library.new("Author", ["name": "Largest", "rank": 9], in: other)
    try other.save()
    #expect(try update("Author", ["note": "first"], where: "rank == max(rank)") == 1)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = NSPredicate(format: "note == 'first'")
    #expect(try other.fetch(request).map { $0["name"] as? String } == ["Largest"])
    let all = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
    all.predicate = NSPredicate(format: "rank == max(rank)")
    try context.execute(NSBatchDeleteRequest(fetchRequest: all))
    #expect(try other.count(for: request) == 0)
  }

  /// Clearing one side of a one-to-one relationship changes the other side's rows as well.
  @Test func historyNamesTheOtherSide() throws {
    let passport = SmallModel.relationship("passport")
    let owner = SmallModel.relationship("owner")
    let person = SmallModel.entity("Person", [SmallModel.text("name"), passport])
    let paper = SmallModel.entity("Passport", [SmallModel.text("name"), owner])
    SmallModel.link((passport, of: person), (owner, of: paper))
    let coordinator = try SmallModel.coordinator(
      SmallModel.model(person, paper), folder.file("people.sqlite"),
      options: [NSPersistentHistoryTrackingKey: true])
    let context = SmallModel.context(coordinator)
    SmallModel.new(
      "Person", ["passport": SmallModel.new("Passport", in: context)], in: context)
    try context.save()
    let token = coordinator.currentPersistentHistoryToken(fromStores: nil)
    let update = NSBatchUpdateRequest(entityName: "Person")
    update.propertiesToUpdate = ["passport": NSNull()]
    try context.execute(update)
    let history =
      try context.execute(NSPersistentHistoryChangeRequest.fetchHistory(after: token))
      as? NSPersistentHistoryResult
    let changes =
      (history?.result as? [NSPersistentHistoryTransaction])?.flatMap { $0.changes ?? [] } ?? []
    let told = changes.map {
      "\($0.changedObjectID.entity.name ?? "").\($0.updatedProperties?.map(\.name) ?? [])"
    }
    #expect(told.sorted() == ["Passport.[\"owner\"]", "Person.[\"passport\"]"])
  }
}
