import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Collection operators in key paths from managed objects.
@Suite struct CollectionOperatorTests {
  let folder: TemporaryFolder
  let context: NSManagedObjectContext
  let house: NSManagedObject

  init() throws {
    folder = try TemporaryFolder()
    context = TestStore.context(try Library.coordinator(folder.file("Books.sqlite")))
    house = Library.new("Publisher", ["name": "House"], in: context)
    for (name, titles) in [("Ada", ["One", "Two"]), ("Bob", ["Two", "Three"]), ("Cid", [])] {
      let author = Library.new("Author", ["name": name, "publisher": house], in: context)
      for title in titles {
        _ = Library.new("Book", ["title": title, "author": author], in: context)
      }
    }
    try context.save()
  }

  private func texts(_ path: String) throws -> [String] {
    try #require(house.value(forKeyPath: path) as? [String]).sorted()
  }

  @Test func collectionsOfCollectionsAreJoined() throws {
    let all = ["One", "Three", "Two", "Two"]
    #expect(try texts("authors.@unionOfSets.books.title") == all)
    #expect(try texts("authors.@unionOfArrays.books.title") == all)
    for name in ["distinctUnionOfArrays", "distinctUnionOfSets"] {
      #expect(try texts("authors.@\(name).books.title") == ["One", "Three", "Two"])
      #expect(try texts("authors.@\(name).books.@count") == [])
    }
    #expect(try texts("authors.@unionOfArrays.name") == [])
  }

  /// The hash of Foundation's decimal numbers ends the program on Linux.
  @Test func decimalNumbersAreCollected() throws {
    let authors = try Library.all("Author", in: context)
    for (author, fee) in zip(authors, ["1.5", "2", "1.5"]) { author["fee"] = Decimal(string: fee) }
    func fees(_ value: Any?) throws -> [String] {
      let members = (value as? NSSet)?.allObjects ?? (value as? NSOrderedSet)?.array
      return try #require(members ?? value as? [Any], "\(value ?? "nil")").map { "\($0)" }.sorted()
    }
    #expect(try fees(house.value(forKeyPath: "authors.fee")) == ["1.5", "2"])
    let distinct = "@distinctUnionOfObjects.fee"
    #expect(try fees(house.value(forKeyPath: "authors.\(distinct)")) == ["1.5", "2"])
    for owner in [NSSet(array: authors), NSArray(array: authors)] as [Any] {
      let expression = NSExpression(forKeyPath: distinct)
      #expect(try fees(expression.expressionValue(with: owner, context: nil)) == ["1.5", "2"])
    }
    let sums = ["@sum", "@avg"].map { house.value(forKeyPath: "authors.\($0).fee") }
    #expect(NSSet(array: sums.compactMap { $0 }).count == 2)
    // What a program gets, it may collect.
    let objects = Set(authors.compactMap { $0.value(forKey: "fee") as? NSDecimalNumber })
    #expect(objects.count == 2)
  }

  @Test func elementsAreCollected() throws {
    #expect(try texts("authors.@unionOfObjects.name") == ["Ada", "Bob", "Cid"])
    for author in try Library.all("Author", in: context) { author["note"] = "same" }
    #expect(try texts("authors.@unionOfObjects.note") == ["same", "same", "same"])
    #expect(try texts("authors.@distinctUnionOfObjects.note") == ["same"])
  }

  /// As in Foundation: the distinct values of a set are a set, those of an array an array, whatever they hold.
  @Test func distinctValuesAreACollectionOfTheirOwnersKind() throws {
    let authors = try Library.all("Author", in: context)
    let owners: [(Any, isSet: Bool)] = [
      (NSSet(array: authors), true), (NSArray(array: authors), false),
      (NSOrderedSet(array: authors), false),
    ]
    for (owner, isSet) in owners {
      for path in ["distinctUnionOfObjects.name", "distinctUnionOfSets.books.title"] {
        let expression = NSExpression(forKeyPath: "@\(path)")
        let values = expression.expressionValue(with: owner, context: nil)
        #expect(values is NSSet == isSet, "\(owner) \(path)")
        #expect((values as? NSSet)?.count ?? (values as? [Any])?.count == 3)
      }
    }
    let ada = try #require(authors.first { $0["name"] as? String == "Ada" })
    let titles = ada.value(forKeyPath: "books.@distinctUnionOfObjects.title") as? NSSet
    #expect(titles == NSSet(array: ["One", "Two"]))
  }

  /// Key paths go on into plain values, as with key-value coding.
  @Test func plainValuesHaveKeys() throws {
    let author = try #require(
      try Library.all("Author", in: context).first { $0["name"] as? String == "Ada" })
    #expect(author.value(forKeyPath: "name.length") as? Int == 3)
    #expect(author.value(forKeyPath: "name.uppercaseString") as? String == "ADA")
    #expect(author.value(forKeyPath: "name.nothing") == nil)
    #expect(house.value(forKeyPath: "authors.@max.name.length") as? Int == 3)
  }

  /// Decimal numbers, in which sums are computed, have no infinite value.
  @Test(arguments: [Double.infinity, -.infinity, .nan, .greatestFiniteMagnitude])
  func numbersBeyondDecimalsHaveNoSum(number: Double) throws {
    let authors = try Library.all("Author", in: context)
    authors[0]["score"] = 1.5
    authors[1]["score"] = number
    for path in ["authors.@sum.score", "authors.@avg.score"] {
      let sum = try #require(house.value(forKeyPath: path) as? NSNumber)
      #expect(sum.doubleValue.isNaN, "\(path) \(sum)")
    }
    authors[1]["score"] = nil
    #expect(house.value(forKeyPath: "authors.@sum.score") as? Double == 1.5)
  }

  /// Key-value coding substitutes 0 for nil in averages.
  @Test func anAverageCountsNilAsZero() throws {
    let authors = try Library.all("Author", in: context)
    authors[0]["score"] = 3.0
    authors[1]["score"] = 3.0
    #expect(house.value(forKeyPath: "authors.@avg.score") as? Double == 2)
    authors[2]["score"] = 3.0
    #expect(house.value(forKeyPath: "authors.@avg.score") as? Double == 3)
  }

  @Test func aPathThroughAnOrderedSetGivesDistinctValues() throws {
    let list = try #require(
      KeyPathWalk.value(
        of: NSOrderedSet(array: try Library.all("Book", in: context)), ["title"]) as? NSOrderedSet)
    #expect(list.count == 3)
    #expect((list.array as? [String]) == ["One", "Two", "Three"])
    #expect(list.object(at: 2) as? String == "Three")
  }

  @Test func entitiesHaveKeys() throws {
    #expect(house.value(forKeyPath: "entity.name") as? String == "Publisher")
    #expect(NSPredicate(format: "entity.name == 'Publisher'").evaluate(with: house))
    #expect(!NSPredicate(format: "entity.name == 'Author'").evaluate(with: house))
    #expect(house.value(forKeyPath: "entity.managedObjectClassName") is String)
  }

  /// What Core Data's classes have as properties, key-value coding finds, by either name of a getter.
  @Test(arguments: [
    "inserted == NO", "updated == NO", "deleted == NO", "hasPersistentChangedValues == NO",
    "changedValues.@count == 0", "objectID.isTemporaryID == NO", "objectID.temporaryID == NO",
    "objectID.entity.name == 'Publisher'", "objectID.uriRepresentation.scheme == 'x-coredata'",
    "objectID.URIRepresentation.absoluteString CONTAINS '/Publisher/'",
    "managedObjectContext.name == 'reader'", "managedObjectContext.hasChanges == NO",
  ])
  func objectsHaveKeys(format: String) throws {
    context.name = "reader"
    #expect(NSPredicate(format: format).evaluate(with: house))
    #expect(!NSPredicate(format: "NOT \(format)").evaluate(with: house))
  }

  @Test func aDecimalAttributeTakesNoInfiniteValue() throws {
    let author = try #require(try Library.all("Author", "name == 'Ada'", in: context).first)
    author["fee"] = Double.infinity
    #expect((author["fee"] as? NSDecimalNumber)?.doubleValue.isNaN == true)
    author["fee"] = -Float.infinity
    #expect((author["fee"] as? NSDecimalNumber)?.doubleValue.isNaN == true)
    try context.save()
    author["fee"] = 2.5
    try context.save()
    context.refresh(author, mergeChanges: false)
    #expect(author["fee"] as? NSDecimalNumber == NSDecimalNumber(string: "2.5"))
  }
}
