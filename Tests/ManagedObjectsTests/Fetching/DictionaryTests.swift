import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@_spi(Engines) @testable import ManagedObjects

/// Dictionaries, groups and aggregates: the same in SQL and in memory.
@Suite struct DictionaryTests {
  private let folder: TemporaryFolder
  /// The same data in a file and in memory.
  private let contexts: [NSManagedObjectContext]

  init() throws {
    folder = try TemporaryFolder()
    let memory = try TestStore.coordinator(Library.model())
    contexts = [
      TestStore.context(try Library.coordinator(folder.file("store.sqlite"))),
      TestStore.context(memory),
    ]
    for context in contexts {
      let houses = ["North", "South"].map { Library.new("Publisher", ["name": $0], in: context) }
      for number in 0..<6 {
        let author = Library.new(
          "Author",
          [
            "name": "A\(number)", "rank": number, "score": number == 5 ? nil : Double(number) / 2,
            "born": Date(timeIntervalSinceReferenceDate: Double(number)),
            "isActive": number % 2 == 0, "fee": Decimal(number) / 4,
            "publisher": number == 0 ? nil : houses[number % 2],
          ], in: context)
        for page in 0..<number % 3 {
          _ = Library.new("Book", ["pages": page * 10, "author": author], in: context)
        }
      }
      try context.save()
    }
  }

  private func expression(
    _ name: String, _ format: String, _ type: NSAttributeType = .undefinedAttributeType
  ) -> NSExpressionDescription {
    let description = NSExpressionDescription()
    description.name = name
    description.expression = NSExpression(format: format)
    description.expressionResultType = type
    return description
  }

  /// Whether SQL can compute a column or not, the dictionaries are sorted by its values, and limited after that.
  @Test(arguments: ["score * -1", "fee * -1", "rank * -1"])
  func dictionariesAreSortedByComputedColumns(format: String) throws {
    for context in contexts {
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.predicate = NSPredicate(format: "rank < 5")
      request.propertiesToFetch = ["name", expression("value", format)]
      request.sortDescriptors = [NSSortDescriptor(key: "value", ascending: true)]
      (request.fetchOffset, request.fetchLimit) = (1, 2)
      #expect(try context.fetch(request).compactMap { $0["name"] as? String } == ["A3", "A2"])
    }
  }

  /// Numbers that the wanted type doesn't have are the request's error, not damage of the store.
  @Test(arguments: [
    ("sum:(rank) * 9223372036854775807", NSAttributeType.integer64AttributeType),
    ("max:(score) * 1e300", .integer32AttributeType),
    ("max:(rank) * 1e300", .decimalAttributeType),
  ]) func whatDoesNotFitIsAnError(format: String, type: NSAttributeType) throws {
    for context in contexts {
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [expression("total", format, type)]
      let error = #expect(throws: NSError.self) { try context.fetch(request) }
      #expect(error?.code == NSCoreDataError)
      let text = error?.localizedDescription ?? ""
      #expect(text.contains("'total'") && text.contains(NSExpression(format: format).description))
      request.propertiesToFetch = [expression("total", format, .doubleAttributeType)]
      #expect(try context.fetch(request).count == 1)
    }
  }

  /// A real number that is computed from integers is the nearest one.
  @Test(arguments: [NSAttributeType.doubleAttributeType, .floatAttributeType])
  func integersAreTheNearestRealNumber(type: NSAttributeType) throws {
    for format in ["sum:(rank) * 1801439850948198401", "max:(rank) + 9007199254740988"] {
      let found = try contexts.map { context in
        let request = NSFetchRequest<NSDictionary>(entityName: "Author")
        request.resultType = .dictionaryResultType
        request.propertiesToFetch = [expression("total", format, type)]
        return try #require(try context.fetch(request).first?["total"] as? Double)
      }
      #expect(found[0] == found[1])
      #expect(found[0] > 9e15)
    }
  }

  @Test func wholeNumbersAreTruncated() throws {
    let found = try fetch {
      $0.propertiesToFetch = [
        expression("average", "average:(rank)", .integer64AttributeType),
        expression("below", "0 - average:(rank)", .integer16AttributeType),
        expression("isThere", "max:(score)", .booleanAttributeType),
        expression("sum", "sum:(rank) * 10000", .integer16AttributeType),
      ]
    }
    #expect(found[0]["average"] as? Int == 2)
    #expect(found[0]["below"] as? Int == -2)
    #expect(found[0]["isThere"] as? Bool == true)
    #expect(found[0]["sum"] as? Int == 150_000)
  }

  /// The result from the file, checked against that from memory.
  private func fetch(
    inSQL: Bool = true, _ configure: (NSFetchRequest<NSDictionary>) -> Void
  ) throws -> [NSDictionary] {
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    request.resultType = .dictionaryResultType
    configure(request)
    let found = try contexts.map { try $0.fetch(request) }
    #expect(found[0].map(texts) == found[1].map(texts))
    return found[0]
  }

  private func texts(_ dictionary: NSDictionary) -> [String: String] {
    var texts: [String: String] = [:]
    for (key, value) in dictionary {
      // Object IDs name their stores.
      texts["\(key)"] =
        (value as? NSManagedObjectID).map { "\($0.entity.name ?? "") \($0.key)" } ?? "\(value)"
    }
    return texts
  }

  @Test func plainDictionariesHoldAttributes() throws {
    let all = try fetch { $0.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: true)] }
    #expect(all.count == 6)
    #expect(all[1]["name"] as? String == "A1")
    #expect(all[1]["isActive"] as? Bool == false)
    #expect(all[1]["fee"] as? NSDecimalNumber == NSDecimalNumber(string: "0.25"))
    #expect(all[1]["born"] as? Date == Date(timeIntervalSinceReferenceDate: 1))
    #expect(all[5]["score"] == nil)
    #expect(all[1]["publisher"] == nil)
    let some = try fetch {
      $0.propertiesToFetch = [
        "name", "publisher", "publisher.name", self.expression("me", "SELF"),
        self.expression("twice", "rank * 2"), self.expression("books", "books.@count"),
      ]
      $0.predicate = NSPredicate(format: "rank >= 1", argumentArray: [])
      $0.sortDescriptors = [NSSortDescriptor(key: "rank", ascending: false)]
      $0.fetchLimit = 2
      $0.fetchOffset = 1
    }
    #expect(some.map { $0["name"] as? String } == ["A4", "A3"])
    #expect(some[0]["publisher"] is NSManagedObjectID)
    #expect((some[0]["me"] as? NSManagedObjectID)?.entity.name == "Author")
    #expect(some[0]["publisher.name"] as? String == "North")
    #expect(some[0]["twice"] as? Int == 8)
    #expect(some[0]["books"] as? Int == 1)
  }

  @Test func aggregatesWithoutGroupsGiveOneDictionary() throws {
    let rows = try fetch {
      $0.propertiesToFetch = [
        self.expression("sum", "sum:(rank)"), self.expression("min", "min:(name)"),
        self.expression("max", "max:(born)"), self.expression("average", "average:(score)"),
        self.expression("scores", "count:(score)"), self.expression("rows", "count:(SELF)"),
        self.expression("fees", "sum:(fee)"), self.expression("spread", "max:(rank) - min:(rank)"),
        self.expression("asDouble", "sum:(rank)", .doubleAttributeType),
        self.expression("byPath", "@sum.rank"),
      ]
    }
    let row = try #require(rows.first)
    #expect(rows.count == 1)
    #expect(row["sum"] as? Int == 15)
    #expect(row["byPath"] as? Int == 15)
    #expect(row["min"] as? String == "A0")
    #expect(row["max"] as? Date == Date(timeIntervalSinceReferenceDate: 5))
    #expect(row["average"] as? Double == 1)
    #expect(row["scores"] as? Int == 5)
    #expect(row["rows"] as? Int == 6)
    #expect(row["fees"] as? NSDecimalNumber == NSDecimalNumber(string: "3.75"))
    #expect(row["spread"] as? Int == 5)
    #expect(row["asDouble"] as? Double == 15)
    let none = try fetch {
      $0.predicate = NSPredicate(value: false)
      $0.propertiesToFetch = [
        self.expression("sum", "sum:(rank)"), self.expression("max", "max:(rank)"),
        self.expression("rows", "count:(SELF)"),
      ]
    }
    #expect(none.map(texts) == [["sum": "0", "rows": "0"]])
  }

  @Test func groupsAreFilteredSortedAndCut() throws {
    let rows = try fetch {
      $0.propertiesToFetch = [
        "publisher.name", self.expression("authors", "count:(SELF)"),
        self.expression("best", "max:(rank)"),
      ]
      $0.propertiesToGroupBy = ["publisher.name"]
      $0.havingPredicate = NSPredicate(format: "authors > 1", argumentArray: [])
      $0.sortDescriptors = [NSSortDescriptor(key: "best", ascending: false)]
    }
    #expect(rows.map { $0["publisher.name"] as? String } == ["South", "North"])
    #expect(rows.map { $0["authors"] as? Int } == [3, 2])
    #expect(rows.map { $0["best"] as? Int } == [5, 4])
    // Core Data refers to a column by a variable with its name.
    let byVariable = try fetch {
      $0.propertiesToFetch = ["publisher.name", self.expression("count", "count:(SELF)")]
      $0.propertiesToGroupBy = ["publisher.name"]
      $0.havingPredicate = NSPredicate(format: "%@ > 2", NSExpression(forVariable: "count"))
    }
    #expect(byVariable.map { $0["count"] as? Int } == [3])
    let cut = try fetch {
      $0.propertiesToFetch = ["publisher", self.expression("authors", "count:(name)")]
      $0.propertiesToGroupBy = ["publisher"]
      $0.havingPredicate = NSPredicate(
        format: "count:(name) >= 1 AND publisher != nil", argumentArray: [])
      $0.sortDescriptors = [NSSortDescriptor(key: "publisher.name", ascending: true)]
      $0.fetchLimit = 1
    }
    #expect(cut.count == 1)
    #expect(cut.first?["authors"] as? Int == 2)
  }

  @Test func distinctDictionariesComeOnce() throws {
    let rows = try fetch {
      $0.propertiesToFetch = ["isActive"]
      $0.returnsDistinctResults = true
      $0.sortDescriptors = [NSSortDescriptor(key: "isActive", ascending: true)]
    }
    #expect(rows.map { $0["isActive"] as? Bool } == [false, true])
  }

  /// Texts are distinct by their bytes, in stores of all types.
  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func accentsAreNotTheSameText(type: String) throws {
    let folder = try TemporaryFolder()
    let model = SmallModel.model(SmallModel.entity("Word", [SmallModel.text("name")]))
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    try coordinator.addPersistentStore(
      ofType: type, configurationName: nil, at: folder.file("store"))
    let context = SmallModel.context(coordinator)
    for name in ["Caf\u{E9}", "Cafe\u{301}", "Caf\u{E9}"] {
      SmallModel.new("Word", ["name": name], in: context)
    }
    try context.save()
    let request = NSFetchRequest<NSDictionary>(entityName: "Word")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["name"]
    request.returnsDistinctResults = true
    let lengths = try context.fetch(request).compactMap { ($0["name"] as? String)?.utf8.count }
    #expect(lengths.sorted() == [5, 6])
  }

  @Test func whatDictionariesCantHoldIsRefused() throws {
    #expect(throws: NSError.self) { try fetch { $0.propertiesToFetch = ["books"] } }
    #expect(throws: NSError.self) { try fetch { $0.propertiesToFetch = ["nonsense"] } }
    #expect(throws: NSError.self) {
      try fetch {
        $0.propertiesToFetch = ["name", self.expression("n", "count:(SELF)")]
        $0.propertiesToGroupBy = ["rank"]
      }
    }
    #expect(throws: NSError.self) {
      try fetch {
        $0.propertiesToFetch = [self.expression("n", "TERNARY(stddev:(rank) > 1, 1, 0)")]
      }
    }
  }

  /// Aggregates are those of the group however deep they are.
  @Test(arguments: [
    ("(sum:(fee) - max:(fee)) / count:(fee)", "0.41666"),
    ("100 * sum:(rank) / count:(rank)", "250"),
    ("ceiling:(sum:(score) / count:(score))", "1"),
    ("TERNARY(count:(rank) > 1, sum:(rank), 0)", "15"),
    ("TERNARY(count:(rank) > 1, 7, 0)", "7"), ("max({count:(rank), 3})", "6"),
    ("TERNARY(max(rank) IN {count:(rank), 5}, 7, 0)", "7"),
  ]) func aggregatesInExpressionsAreThoseOfTheGroup(format: String, expected: String) throws {
    for context in contexts {
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = [expression("value", format, .decimalAttributeType)]
      let found = try context.fetch(request)
      let value = try #require(found.first?["value"] as? NSNumber)
      #expect(found.count == 1)
      #expect("\(value)".hasPrefix(expected), "\(value)")
    }
  }

  /// A child's dictionaries have what its parent has, and nothing of its own changes.
  @Test func aChildsDictionariesHaveWhatItsParentHas() throws {
    let parent = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    parent.persistentStoreCoordinator = contexts[0].persistentStoreCoordinator
    let child = NSManagedObjectContext(concurrencyType: .confinementConcurrencyType)
    child.parent = parent
    let authors = try Library.all("Author", in: child)
    for author in authors { author["rank"] = 100 }
    child.delete(authors[0])
    _ = Library.new("Author", ["name": "new", "rank": 7], in: child)
    let request = NSFetchRequest<NSDictionary>(entityName: "Author")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = [expression("sum", "sum:(rank)", .integer64AttributeType)]
    #expect(try child.fetch(request).first?["sum"] as? Int == 15)
  }
}
