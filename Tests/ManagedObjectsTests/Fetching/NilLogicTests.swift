import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

import class PredicateFormat.NSCompoundPredicate

@testable import ManagedObjects

/// In a SQLite store a comparison with a missing value is neither true nor false, as in Core Data's SQL; in an
/// in-memory store, and in arrays, nil is a value that differs from others, as in Foundation.
@Suite struct NilLogicTests {
  private let folder: TemporaryFolder
  private let file: NSManagedObjectContext
  private let memory: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    file = Library.parent(try Library.coordinator(folder.file("store.sqlite")))
    let coordinator = try TestStore.coordinator(Library.model())
    memory = Library.parent(coordinator)
    for context in [file, memory] {
      let house = Library.new("Publisher", ["name": "x"], in: context)
      for (number, note) in ["x", "y", nil, nil].enumerated() {
        let author = Library.new(
          "Author",
          [
            "name": "a\(number)", "rank": number, "note": note,
            "score": note == nil ? nil : Double(number),
            "publisher": number % 2 == 0 ? house : nil,
          ], in: context)
        _ = Library.new("Book", ["title": note, "author": author], in: context)
      }
      try context.save()
    }
  }

  /// A group without a value of an aggregate isn't compared with it, wherever the dictionaries are made.
  @Test(arguments: [
    ("best != 3", 0), ("NOT (best IN {1, 2})", 1), ("best == 3", 1), ("best == nil", 1),
    ("NOT (best > 5)", 1), ("best != 3 OR count > 0", 2),
  ]) func groupsWithoutAnAggregate(having: String, count: Int) throws {
    for author in try Library.all("Author", "rank == 1 OR rank == 2", in: file) {
      author["score"] = nil
    }
    for author in try Library.all("Author", "rank == 0", in: file) { author["score"] = 3.0 }
    try file.save()
    for context in [file, Library.child(of: file)] {
      let (best, number) = (NSExpressionDescription(), NSExpressionDescription())
      (best.name, best.expression) = ("best", NSExpression(format: "max:(score)"))
      (number.name, number.expression) = ("count", NSExpression(format: "count:(name)"))
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["publisher.name", best, number]
      request.propertiesToGroupBy = ["publisher.name"]
      request.havingPredicate = NSPredicate(format: having)
      let found = try context.performAndWait { try context.fetch(request).count }
      #expect(found == count)
    }
  }

  /// Many alternatives for one attribute become a list, while others stay unchanged.
  @Test func manyAlternativesAreAsFew() throws {
    for context in [file, memory] {
      func count(_ predicates: [NSPredicate], not: Bool = false) throws -> Int {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
        let any = NSCompoundPredicate(orPredicateWithSubpredicates: predicates)
        request.predicate = not ? NSCompoundPredicate(notPredicateWithSubpredicate: any) : any
        return try context.count(for: request)
      }
      let ranks = (2..<4_000).map { NSPredicate(format: "rank == %d", $0) }
      #expect(try count(ranks) == 2)
      #expect(try count(ranks, not: true) == 2)
      #expect(try count(ranks + [NSPredicate(format: "note == 'x'")]) == 3)
      let notes = (0..<300).map { NSPredicate(format: "note == %@", "n\($0)") }
      #expect(try count(notes + [NSPredicate(format: "note == 'x'")]) == 1)
      #expect(try count(notes, not: true) == (context === file ? 2 : 4))
      #expect(try count(notes + [NSPredicate(format: "note == nil")]) == 2)
      #expect(try count(notes + ranks.prefix(300) + [NSPredicate(format: "rank == 0")]) == 3)
      let scores = (0..<300).map { NSPredicate(format: "score == %f", Double($0)) }
      #expect(try count(scores) == 2)
      let names = (0..<40).map { NSPredicate(format: "%d == rank", $0) }
      #expect(try count(names) == 4)
    }
  }

  /// A predicate, and the number of matches among x, y, nil, nil in a file and in memory.
  private static let cases: [(String, Int, Int)] = [
    ("note != 'x'", 1, 3), ("NOT (note == 'x')", 1, 3), ("note != nil", 2, 2),
    ("note == nil", 2, 2),
    ("note != 'x' OR note == nil", 3, 3), ("NOT (note != 'x')", 1, 1), ("NOT (note == nil)", 2, 2),
    ("note IN {'x', 'z'}", 1, 1), ("NOT (note IN {'x', 'z'})", 1, 3), ("NOT (note IN {})", 4, 4),
    ("NOT (note IN {'x', nil})", 0, 1), ("score != 0", 1, 3), ("NOT (score > 0)", 1, 3),
    ("score BETWEEN {0, 1}", 2, 2), ("NOT (score BETWEEN {1, 2})", 1, 3),
    ("NOT (note CONTAINS 'x')", 1, 3), ("NOT (note LIKE 'x*')", 1, 3),
    ("NOT (note BEGINSWITH 'x')", 1, 3), ("NOT (note ENDSWITH[c] 'X')", 1, 3),
    ("NOT (note MATCHES 'x')", 1, 3), ("publisher != nil", 2, 2),
    ("publisher.name != 'x'", 0, 2), ("note == publisher.name", 1, 2),
    ("note != publisher.name", 0, 2), ("TERNARY(note == 'x', 1, 2) == 2", 3, 3),
    ("NOT (note == 'x' AND rank >= 0)", 1, 3), ("NOT (note == 'x' AND rank > 5)", 4, 4),
    ("note == 'x' OR rank >= 2", 3, 3), ("ANY books.title != 'x'", 1, 3),
    ("ALL books.title == 'x'", 1, 1), ("NONE books.title == 'x'", 3, 3),
    ("SUBQUERY(books, $b, $b.title != 'x').@count == 1", 1, 3),
    ("SUBQUERY(books, $b, NOT ($b.title LIKE 'x')).@count == 1", 1, 3),
    ("uppercase:(note) != 'X'", 1, 3), ("NOT ('q' IN books.title)", 4, 4),
  ]

  @Test(arguments: cases)
  func nilIsUnknownToSQL(format: String, inFile: Int, inMemory: Int) throws {
    #expect(try Library.all("Author", format, in: file).count == inFile)
    #expect(try Library.all("Author", format, in: memory).count == inMemory)
    let predicate = NSPredicate(format: format, argumentArray: [])
    let objects = try Library.all("Author", in: file)
    #expect(objects.filter { predicate.evaluate(with: $0) }.count == inMemory)
  }

  /// Results don't depend on whether an object happens to have changes.
  @Test(arguments: cases)
  func unsavedObjectsAreFoundBySQLsRules(format: String, inFile: Int, inMemory: Int) throws {
    for author in try Library.all("Author", in: file) { author["born"] = Date() }
    #expect(try Library.all("Author", format, in: file).count == inFile)
    let child = Library.child(of: file)
    #expect(try Library.all("Author", format, in: child).count == inFile)
    for author in try Library.all("Author", in: child) { author["code"] = UUID() }
    #expect(try Library.all("Author", format, in: child).count == inFile)
  }

  @Test func batchesDeleteWhatAFetchFinds() throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(format: "NOT (note == 'x')")
    try file.execute(NSBatchDeleteRequest(fetchRequest: request))
    file.reset()
    #expect(try Library.all("Author", in: file).count == 3)
  }
}
