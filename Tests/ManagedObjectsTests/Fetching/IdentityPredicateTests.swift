import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// In predicates a managed object is compared by its ID, wherever it was read and evaluated.
@Suite struct IdentityPredicateTests {
  enum Store: CaseIterable { case file, memory }
  enum Reader: CaseIterable { case clean, changed, child, changedChild }

  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private func coordinator(_ store: Store) throws -> NSPersistentStoreCoordinator {
    if store == .file { return try Library.coordinator(folder.file("store.sqlite")) }
    return try TestStore.coordinator(Library.model())
  }

  /// Predicates over authors with a publisher, an author and a book, and the number of matches among three authors,
  /// of which the first have all of them.
  private static let cases: [(format: String, count: Int)] = [
    ("publisher == %1", 1), ("publisher != %1", 1), ("publisher IN {%1}", 1),
    ("publisher.objectID == %1", 1), ("SELF == %2", 1), ("SELF != %2", 2), ("SELF IN {%2}", 1),
    ("NOT (SELF IN {%2})", 2), ("objectID == %2", 1), ("self.objectID IN {%2}", 1),
    ("ANY books == %3", 1), ("books CONTAINS %3", 1), ("%3 IN books", 1), ("NONE books == %3", 2),
    ("SUBQUERY(books, $b, $b == %3).@count == 1", 1), ("publisher == %1 AND SELF == %2", 1),
  ]

  @Test(arguments: Store.allCases, Reader.allCases)
  func objectsAreTheirIdentities(store: Store, reader: Reader) throws {
    let first = Library.parent(try coordinator(store))
    let houses = ["x", "y"].map { Library.new("Publisher", ["name": $0], in: first) }
    let authors = (0..<3).map {
      Library.new(
        "Author", ["name": "\($0)", "publisher": $0 < 2 ? houses[$0] : nil], in: first)
    }
    let book = Library.new("Book", ["author": authors[0]], in: first)
    _ = Library.new("Book", ["author": authors[1]], in: first)
    try first.save()
    let other = Library.parent(try #require(first.persistentStoreCoordinator))
    let base = Library.parent(try #require(first.persistentStoreCoordinator))
    let context = [.child, .changedChild].contains(reader) ? Library.child(of: base) : base
    if reader != .clean, reader != .child {
      for author in try Library.all("Author", in: context) { author["note"] = "changed" }
    }
    let objects = [houses[0], authors[0], book]
    let strangers = objects.map { other.object(with: $0.objectID) }
    for (format, count) in Self.cases {
      // In an in-memory store nil differs from every object.
      let count = format == "publisher != %1" && store == .memory ? 2 : count
      for constants: [NSObject] in [objects, objects.map(\.objectID), strangers] {
        var text = format
        var arguments: [Any] = []
        for (index, constant) in constants.enumerated() where text.contains("%\(index + 1)") {
          text = text.replacing("%\(index + 1)", with: "%@")
          arguments.append(constant)
        }
        let found = try Library.all("Author", text, arguments, in: context)
        #expect(found.count == count, "\(format) by \(type(of: constants[0]))")
        let predicate = NSPredicate(format: text, argumentArray: arguments)
        let all = try Library.all("Author", in: context)
        let plain = format == "publisher != %1" ? 2 : count
        #expect(all.filter { predicate.evaluate(with: $0) }.count == plain, "\(format)")
      }
    }
  }

  @Test(arguments: Store.allCases)
  func unsavedObjectsOfTheParent(store: Store) throws {
    let parent = Library.parent(try coordinator(store))
    let house = Library.new("Publisher", ["name": "x"], in: parent)
    let author = Library.new("Author", ["name": "a", "publisher": house], in: parent)
    _ = Library.new("Author", ["name": "b"], in: parent)
    let context = Library.child(of: parent)
    let temporary = house.objectID
    #expect(temporary.isTemporaryID)
    func count(_ format: String, _ argument: Any) throws -> Int {
      try Library.all("Author", format, [argument], in: context).count
    }
    for argument: Any in [house, temporary, context.object(with: temporary)] {
      #expect(try count("publisher == %@", argument) == 1)
      #expect(try count("publisher IN %@", [argument]) == 1)
    }
    #expect(try count("SELF == %@", author) == 1)
    #expect(try count("SELF == %@", context.object(with: author.objectID)) == 1)
    #expect(try count("SELF != %@", author.objectID) == 1)
    // A predicate created before the save still denotes the same row.
    let kept = NSPredicate(format: "publisher == %@", temporary)
    let list = NSPredicate(
      format: "publisher IN %@", [temporary, author.objectID, author, house, "a", "b"] as [Any])
    #expect(kept.evaluate(with: author))
    #expect(list.evaluate(with: author))
    try parent.save()
    #expect(!house.objectID.isTemporaryID)
    #expect(kept.evaluate(with: author))
    #expect(list.evaluate(with: author))
    for argument: Any in [house, temporary, house.objectID] {
      #expect(try count("publisher == %@", argument) == 1)
      #expect(
        try Library.all("Author", "publisher == %@", [argument], in: parent).count == 1)
    }
  }

  /// A renamed member stays in the results of a controller that selects it by ID.
  @Test func fetchedResultsByIdentity() throws {
    let context = Library.parent(try coordinator(.file))
    let house = Library.new("Publisher", ["name": "x"], in: context)
    let authors = (0..<3).map {
      Library.new("Author", ["name": "a\($0)", "publisher": house], in: context)
    }
    try context.save()
    authors[0]["note"] = "renamed"
    #expect(
      try Library.all("Author", "publisher == %@", [house.objectID], in: context).count == 3)
  }
}
