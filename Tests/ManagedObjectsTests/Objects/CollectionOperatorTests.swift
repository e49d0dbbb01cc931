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

  private func distinctTexts(_ path: String) throws -> Set<String> {
    try #require(house.value(forKeyPath: path) as? NSSet as? Set<String>)
  }

  @Test func collectionsOfCollectionsAreJoined() throws {
    let all = ["One", "Three", "Two", "Two"]
    #expect(try texts("authors.@unionOfSets.books.title") == all)
    #expect(try texts("authors.@unionOfArrays.books.title") == all)
    let distinct: Set = ["One", "Two", "Three"]
    #expect(try distinctTexts("authors.@distinctUnionOfArrays.books.title") == distinct)
    #expect(try distinctTexts("authors.@distinctUnionOfSets.books.title") == distinct)
    let none = house.value(forKeyPath: "authors.@distinctUnionOfSets.books.@count") as? NSSet
    #expect(none?.count == 0)
    #expect(try texts("authors.@unionOfArrays.name") == [])
  }

  @Test func elementsAreCollected() throws {
    #expect(try texts("authors.@unionOfObjects.name") == ["Ada", "Bob", "Cid"])
    for author in try Library.all("Author", in: context) { author["note"] = "same" }
    #expect(try texts("authors.@unionOfObjects.note") == ["same", "same", "same"])
    #expect(try distinctTexts("authors.@distinctUnionOfObjects.note") == ["same"])
  }

  /// As in Foundation: the distinct values of a set are a set, those of an array an array, whatever they hold.
  @Test func distinctValuesAreACollectionOfTheirOwnersKind() throws {
    let authors = try #require(house["authors"] as? NSSet)
    let array = NSArray(array: authors.allObjects)
    for name in ["distinctUnionOfObjects.name", "distinctUnionOfSets.books.title"] {
      let path = NSExpression(forKeyPath: "@\(name)")
      #expect(path.expressionValue(with: authors, context: nil) is NSSet)
      let values = path.expressionValue(with: array, context: nil) as? [String]
      #expect(values?.count == 3)
    }
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
