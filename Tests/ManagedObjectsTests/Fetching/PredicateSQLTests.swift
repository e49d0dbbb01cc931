import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

import class PredicateFormat.NSCompoundPredicate

@_spi(Engines) @testable import ManagedObjects

/// Fetches that SQL evaluates.
@Suite struct PredicateSQLTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext
  private let engine: SQLiteEngine
  private let authors: [NSManagedObject]
  private let house: NSManagedObject
  private let tag: NSManagedObject

  init() throws {
    folder = try TemporaryFolder()
    let coordinator = try Library.coordinator(folder.file("store.sqlite"))
    let context = TestStore.context(coordinator)
    self.context = context
    engine = try #require(try coordinator.persistentStores[0].requireEngine() as? SQLiteEngine)
    let house = Library.new("Publisher", ["name": "House"], in: context)
    let tag = Library.new("Tag", ["name": "good"], in: context)
    self.house = house
    self.tag = tag
    authors = (0..<4).map { number in
      let author = Library.new(
        "Author",
        [
          "name": ["Ada", "bob", "Cid", "ädam"][number], "rank": number,
          "publisher": number < 2 ? house : nil, "fee": Decimal(number) / 10,
          "code": UUID(uuidString: "00000000-0000-0000-0000-00000000000\(number)"),
        ], in: context)
      for page in 0..<number {
        let book = Library.new(
          page == 0 ? "Novel" : "Book", ["title": "B\(page)", "pages": page, "author": author],
          in: context)
        if page == 1 { book["tags"] = NSSet(object: tag) }
      }
      return author
    }
    try context.save()
  }

  /// The statement for a fetch of authors.
  private func statement(_ predicate: NSPredicate) throws -> FetchStatement {
    let layout = try #require(engine.layouts.compactMap { $0 }.first { $0.name == "Author" })
    return try FetchStatement(
      RowQuery(layout: layout, predicate: predicate), engine.shape(layout), engine: engine)
  }

  /// The ranks of matching objects; checks that SQL evaluated the whole query.
  private func ranks(_ format: String, _ arguments: Any...) throws -> [Int] {
    let predicate = NSPredicate(format: format, argumentArray: arguments)
    #expect(try statement(predicate).isComplete, "\(format)")
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = predicate
    request.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: true)]
    return try context.fetch(request).compactMap { $0["rank"] as? Int }
  }

  @Test func objectsIdentitiesAndLists() throws {
    #expect(try ranks("SELF == %@", authors[2]) == [2])
    #expect(try ranks("SELF IN %@", [authors[1].objectID, authors[3].objectID]) == [1, 3])
    #expect(try ranks("publisher == %@", house) == [0, 1])
    #expect(try ranks("publisher == %@", house.objectID) == [0, 1])
    // A key of another hierarchy matches nothing.
    #expect(try ranks("publisher == %@", tag) == [])
    #expect(try ranks("ANY books.tags == %@", tag) == [2, 3])
    #expect(try ranks("ANY books IN %@", [tag]) == [])
    #expect(try ranks("rank IN %@", Array(2...5000)) == [2, 3])
    #expect(
      try ranks("name IN %@", (0..<5000).map { "n\($0)" } + ["bob", "\"quoted\""]) == [1])
    #expect(
      try ranks("code == %@", UUID(uuidString: "00000000-0000-0000-0000-000000000002")!) == [2])
  }

  @Test func collectionsAndSubqueries() throws {
    #expect(
      try ranks("SUBQUERY(books, $b, $b.pages >= rank - 1 AND $b.pages > 0).@count > 0") == [2, 3])
    #expect(try ranks("SUBQUERY(books, $b, ANY $b.tags == %@).@count == 1", tag) == [2, 3])
    #expect(try ranks("ANY SUBQUERY(books, $b, $b.pages == 1).title == 'B1'") == [2, 3])
    #expect(try ranks("books.@sum.pages == 3") == [3])
    #expect(try ranks("publisher.authors.@count == 2") == [0, 1])
    #expect(try ranks("NONE books.pages > 0") == [0, 1])
    #expect(try ranks("ALL books.pages < 2") == [0, 1, 2])
    #expect(try ranks("ANY books.author.rank == 2") == [2])
  }

  @Test func textsAndFunctions() throws {
    #expect(try ranks("name BEGINSWITH 'A'") == [0])
    #expect(try ranks("name BEGINSWITH[cd] 'a'") == [0, 3])
    #expect(try ranks("name LIKE[c] 'b?b'") == [1])
    #expect(try ranks("name MATCHES '[A-C].*'") == [0, 2])
    #expect(try ranks("uppercase:(name) == 'BOB'") == [1])
    #expect(try ranks("length:(name) == 4") == [3])
    #expect(try ranks("'good' != name") == [0, 1, 2, 3])
    #expect(try ranks("canonical:(name) == 'adam'") == [3])
    #expect(try ranks("fee == 0.3") == [3])
    #expect(try ranks("fee > 0.15") == [2, 3])
  }

  /// The affinity of a text column: a number equals its decimal text.
  @Test func textsThatAreNumbers() throws {
    for (index, author) in authors.enumerated() { author["note"] = ["1", "2.5", "x", nil][index] }
    try context.save()
    for isDirty in [false, true] {
      if isDirty { for author in authors { author["born"] = Date() } }
      #expect(try ranks("note == 1") == [0])
      #expect(try ranks("note == %@", NSNumber(value: 2.5)) == [1])
      #expect(try ranks("note IN %@", [1, 2, 3]) == [0])
      #expect(try ranks("note IN %@", Array(0...500)) == [0])
      #expect(try ranks("note IN[c] %@", [1, 2.5, 3, 4, 5] as NSArray) == [0, 1])
      #expect(try ranks("note != 1") == [1, 2])
      #expect(try ranks("rank == '2'") == [2])
    }
  }

  /// Lists of every kind that are longer than those whose members become parameters, in SQL and over unsaved objects.
  @Test func longListsOfValuesOtherThanNumbersAndTexts() throws {
    for (index, author) in authors.enumerated() {
      author["born"] = Date(timeIntervalSinceReferenceDate: Double(index) + 0.25)
      author["score"] = Double(index) / 3
      author["note"] = ["a", "b\u{0}c", "b", nil][index]
    }
    authors[3]["code"] = nil
    authors[3]["born"] = nil
    try context.save()
    let codes: [UUID] = try (1...2).map {
      try #require(UUID(uuidString: "00000000-0000-0000-0000-00000000000\($0)"))
    }
    let otherCodes = (0..<3000).map { _ in UUID() }
    let uuids = codes + otherCodes + codes
    let dates = (1...2).map { Date(timeIntervalSinceReferenceDate: Double($0) + 0.25) }
    let scores = [1.0 / 3, 1]
    for isDirty in [false, true] {
      if isDirty { for author in authors { author["isActive"] = false } }
      #expect(try ranks("code IN %@", uuids) == [1, 2])
      #expect(try ranks("code IN %@", Array(uuids[1..<1000])) == [2])
      #expect(try ranks("NOT code IN %@", uuids) == [0])
      #expect(try ranks("code IN %@ AND born IN %@", uuids, dates) == [1, 2])
      #expect(try ranks("ANY books.author.code IN %@", uuids) == [1, 2])
      for count in [300, 1_900, 2_500] {
        let others = (0..<count).map { Double($0) + 10 }
        let numbers = scores + others
        let otherDates = others.map { Date(timeIntervalSinceReferenceDate: $0) }
        let list = dates + otherDates + dates
        #expect(try ranks("born IN %@", list) == [1, 2])
        #expect(try ranks("NOT born IN %@", list) == [0])
        #expect(try ranks("score IN %@", numbers) == [1, 3])
        #expect(try ranks("NOT score IN %@", numbers) == [0, 2])
        let notes = ["b\u{0}c"] + others.map { "n\($0)" }
        #expect(try ranks("note IN %@", notes) == [1])
        #expect(try ranks("NOT note IN %@", notes) == [0, 2])
        let found = try ranks(
          "score IN %@ AND note IN %@ AND born IN %@", numbers, notes, list)
        #expect(found == [1])
      }
    }
  }

  /// A function called for each row would use no index, and a text with values would be prepared for each list.
  @Test func longListsAreSearchedByOperators() throws {
    func sql(_ format: String, _ list: [Any]) throws -> String {
      try statement(NSPredicate(format: format, argumentArray: [list])).sql
    }
    let uuids = (0..<3000).map { _ in UUID() }
    let fewer = Array(uuids[..<300])
    let dates = (0..<1500).map { Date(timeIntervalSinceReferenceDate: Double($0)) }
    let scores = (0..<1500).map { Double($0) / 3 }
    #expect(try !sql("code IN %@", uuids).contains(SQLEvaluator.predicateName))
    #expect(try sql("code IN %@", uuids) == sql("code IN %@", fewer))
    #expect(try !sql("born IN %@", dates).contains(SQLEvaluator.predicateName))
    #expect(try !sql("score IN %@", scores).contains(SQLEvaluator.predicateName))
  }

  /// Many long lists aren't more parameters than a statement may have.
  @Test func manyLongListsAreEvaluatedInSQL() throws {
    let lists: [[Double]] = (0..<20).map { list in
      let start = list * 2_000
      return [1] + (start..<start + 1_900).map { Double($0) + 0.5 }
    }
    authors[1]["score"] = 1
    try context.save()
    let predicate = NSCompoundPredicate(
      andPredicateWithSubpredicates: lists.map {
        NSPredicate(format: "score IN %@", argumentArray: [$0])
      })
    #expect(try statement(predicate).isComplete)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = predicate
    #expect(try context.fetch(request) == [authors[1]])
  }

  /// Cached functions are distinguished by their constants, literally.
  @Test func likeLookingTextsAreKeptApart() throws {
    for (index, author) in authors.enumerated() {
      author["note"] = ["\u{e9}", "e\u{301}", "e", nil][index]
    }
    try context.save()
    for (text, expected) in [("\u{e9}", [0]), ("e\u{301}", [1]), ("\u{e9}", [0])] {
      #expect(try ranks("TERNARY(note == %@, 1, 0) == 1", text) == expected)
      #expect(try ranks("note == %@", text) == expected)
    }
    #expect(try ranks("note < %@", "x") == [1, 2])
    #expect(try ranks("note <[c] %@", "x").contains(2))
  }

  @Test func textsThatBeginWithAnEmojiAreNoNumbers() throws {
    for author in authors { author["note"] = "😀" }
    try context.save()
    #expect(try ranks("CAST(note, 'NSNumber') == 0") == [0, 1, 2, 3])
  }

  /// A constant beside the list that says nothing any more would be a parameter too many.
  @Test func nothingIsInAnEmptyList() throws {
    #expect(try ranks("rank + 1 IN %@", [Int]()).isEmpty)
    #expect(try ranks("rank == 2 OR rank * 2 IN %@", [Int]()) == [2])
    #expect(try ranks("NOT rank + 1 IN %@", [Int]()) == [0, 1, 2, 3])
    #expect(try ranks("rank < 3 AND NOT rank - 1 IN {}") == [0, 1, 2])
  }

  @Test func wideCompoundsStayWithinSQLitesDepth() throws {
    let predicate = NSCompoundPredicate(
      orPredicateWithSubpredicates: (0..<3000).map {
        NSPredicate(format: "rank == %d", argumentArray: [$0 + 3])
      })
    let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
    request.predicate = predicate
    #expect(try context.fetch(request).map { $0["rank"] as? Int } == [3])
  }

  @Test func entitiesOfRows() throws {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    let novel = try #require(
      context.persistentStoreCoordinator?.managedObjectModel.entitiesByName["Novel"])
    request.predicate = NSPredicate(format: "entity == %@", argumentArray: [novel])
    #expect(try context.fetch(request).count == 3)
  }

  @Test func sortsBySelectors() throws {
    func names(_ selector: String) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.sortDescriptors = [
        NSSortDescriptor(SortKey("name", ascending: true, selector: selector))
      ]
      return try context.fetch(request).compactMap { $0["name"] as? String }
    }
    #expect(try names("compare:") == ["Ada", "Cid", "bob", "ädam"])
    #expect(try names("caseInsensitiveCompare:") == ["Ada", "bob", "Cid", "ädam"])
    #expect(try names("localizedStandardCompare:") == ["Ada", "ädam", "bob", "Cid"])
  }
}
