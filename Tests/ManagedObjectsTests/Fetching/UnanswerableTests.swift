import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Predicates that can't be evaluated end the request: nothing is found, changed or deleted.
@Suite struct UnanswerableTests {
  private let folder: TemporaryFolder
  private let context: NSManagedObjectContext
  private let memory: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    context = Library.parent(try Library.coordinator(folder.file("store.sqlite")))
    let coordinator = try TestStore.coordinator(Library.model())
    memory = Library.parent(coordinator)
    for context in [context, memory] {
      for number in 0..<4 {
        let author = Library.new(
          "Author", ["name": "a\(number)", "rank": number, "note": "n"], in: context)
        _ = Library.new("Book", ["title": "t", "author": author], in: context)
      }
      try context.save()
    }
  }

  private static let formats = [
    "name MATCHES '['", "NOT (name MATCHES '[')", "NOT name LIKE 5", "NOT (name == $X)",
    "NOT (name BEGINSWITH $X)", "name < 5", "NOT (rank / 2 > name)", "name IN 5", "ANY name == 'x'",
    "name.bogus == 1", "NOT (uppercase:(rank) == 'x')", "rank + name > 1", "bogus == 1",
  ]

  private func request<Result>(_ format: String) -> NSFetchRequest<Result> {
    let request = NSFetchRequest<Result>(entityName: "Author")
    request.predicate = NSPredicate(format: format, argumentArray: [])
    return request
  }

  private func check(_ error: (any Error)?, _ format: String) {
    let error = error as NSError?
    #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSCoreDataError, "\(format)")
  }

  /// `NOT (rank == 99 OR NOT (rank == 98 OR …))`, as objects.
  private func nested(_ levels: Int) -> NSPredicate {
    (0..<levels).reduce(NSPredicate(format: "rank < 2")) { predicate, level in
      let other = NSPredicate(format: "rank == %d", 100 + level)
      return level % 2 == 0
        ? NSCompoundPredicate(orPredicateWithSubpredicates: [other, predicate])
        : NSCompoundPredicate(
          andPredicateWithSubpredicates: [
            NSCompoundPredicate(notPredicateWithSubpredicate: other), predicate,
          ])
    }
  }

  /// SQLite's parser has a stack of its own, which is too small from some dozens of levels on.
  @Test(arguments: [10, 25, 40, 90, 480]) func deepPredicatesAreAnswered(levels: Int) throws {
    for context in [context, memory] {
      let objects = NSFetchRequest<NSManagedObject>(entityName: "Author")
      objects.predicate = nested(levels)
      #expect(try context.fetch(objects).count == 2)
      #expect(try context.count(for: objects) == 2)
      let dictionaries = NSFetchRequest<NSDictionary>(entityName: "Author")
      dictionaries.resultType = .dictionaryResultType
      dictionaries.predicate = nested(levels)
      #expect(try context.fetch(dictionaries).count == 2)
    }
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.predicate = nested(levels)
    update.propertiesToUpdate = ["note": "found"]
    update.resultType = .updatedObjectsCountResultType
    #expect((try context.execute(update) as? NSBatchUpdateResult)?.result as? Int == 2)
  }

  @Test func predicatesThatAreTooDeepAreRefused() throws {
    let objects = NSFetchRequest<NSManagedObject>(entityName: "Author")
    objects.predicate = nested(20_000)
    for context in [context, memory] {
      check(#expect(throws: (any Error).self) { try context.fetch(objects) }, "deep")
      let error = #expect(throws: NSError.self) { try context.count(for: objects) }
      #expect(error?.localizedDescription.contains("maximum depth 1000") == true)
    }
    let doomed = NSFetchRequest<any NSFetchRequestResult>(entityName: "Author")
    doomed.predicate = objects.predicate
    let deletion = NSBatchDeleteRequest(fetchRequest: doomed)
    check(#expect(throws: (any Error).self) { try context.execute(deletion) }, "deep")
    #expect(try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Author")) == 4)
  }

  @Test(arguments: formats)
  func fetchesThrow(format: String) throws {
    for context in [context, memory] {
      let objects: NSFetchRequest<NSManagedObject> = request(format)
      check(#expect(throws: (any Error).self) { try context.fetch(objects) }, format)
      check(#expect(throws: (any Error).self) { try context.count(for: objects) }, format)
      let dictionaries: NSFetchRequest<NSDictionary> = request(format)
      dictionaries.resultType = .dictionaryResultType
      check(#expect(throws: (any Error).self) { try context.fetch(dictionaries) }, format)
      let child = Library.child(of: context)
      check(#expect(throws: (any Error).self) { try child.fetch(objects) }, format)
    }
  }

  @Test(arguments: formats)
  func fetchesOverUnsavedObjectsThrow(format: String) throws {
    try Library.all("Author", in: context)[0]["note"] = "changed"
    _ = Library.new("Author", ["name": "new"], in: context)
    let objects: NSFetchRequest<NSManagedObject> = request(format)
    check(#expect(throws: (any Error).self) { try context.fetch(objects) }, format)
    check(#expect(throws: (any Error).self) { try context.count(for: objects) }, format)
  }

  @Test(arguments: formats)
  func batchesChangeNothing(format: String) throws {
    let doomed: NSFetchRequest<NSFetchRequestResult> = request(format)
    let deletion = NSBatchDeleteRequest(fetchRequest: doomed)
    check(#expect(throws: (any Error).self) { try context.execute(deletion) }, format)
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.predicate = NSPredicate(format: format, argumentArray: [])
    update.propertiesToUpdate = ["note": "HIT"]
    check(#expect(throws: (any Error).self) { try context.execute(update) }, format)
    #expect(try Library.all("Author", in: context).count == 4)
    #expect(try Library.all("Author", "note == 'HIT'", in: context).isEmpty)
  }

  @Test func expressionsOfBatchUpdatesThrow() throws {
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.propertiesToUpdate = ["note": NSExpression(format: "CAST(name, 'NSUUID')")]
    check(#expect(throws: (any Error).self) { try context.execute(update) }, "CAST")
    #expect(try Library.all("Author", "note == 'n'", in: context).count == 4)
  }

  @Test func errorsNameThePredicate() throws {
    let error = #expect(throws: NSError.self) {
      try Library.all("Author", "NOT (name MATCHES '[')", in: context)
    }
    #expect(error?.localizedDescription.contains("NOT name MATCHES \"[\"") == true)
    #expect(error?.localizedDescription.contains("not a regular expression") == true)
  }

  /// A failed statement leaves no state for the next one.
  @Test func theStoreGoesOn() throws {
    #expect(throws: (any Error).self) { try Library.all("Author", "name LIKE 5", in: context) }
    #expect(try Library.all("Author", "name LIKE 'a*'", in: context).count == 4)
    #expect(try Library.all("Author", "NOT (name MATCHES 'a[01]')", in: context).count == 2)
  }

  /// Core Data: "to-many key not allowed here".
  @Test(arguments: [
    "books == nil", "books.title == 't'", "NOT (books.title == 't')", "books.title LIKE 't'",
    "name == books.title", "books IN {1}",
  ])
  func manyObjectsAreNoValue(format: String) throws {
    let error = #expect(throws: NSError.self) { try Library.all("Author", format, in: context) }
    #expect(error?.localizedDescription.contains("to-many key not allowed here") == true)
  }

  @Test func collectionsStayCollections() throws {
    for format in ["books.@count == 1", "ANY books.title == 't'", "'t' IN books.title"] {
      #expect(try Library.all("Author", format, in: context).count == 4, "\(format)")
    }
  }

  /// Division by zero gives NULL in SQL, which isn't an error.
  @Test func quotientsByZeroAreNil() throws {
    for context in [context, memory] {
      #expect(try Library.all("Author", "rank / rank == 1", in: context).count == 3)
      #expect(try Library.all("Author", "modulus:by:(rank, 0) == nil", in: context).count == 4)
      #expect(try Library.all("Author", "rank / 0.0 > 1", in: context).isEmpty)
    }
    #expect(try Library.all("Author", "NOT (rank / 0 == 1)", in: context).isEmpty)
    #expect(try Library.all("Author", "NOT (rank / 0 == 1)", in: memory).count == 4)
  }

  @Test func sumsThatNeedMoreThanAnIntegerAreDoubles() throws {
    for context in [context, memory] {
      let house = Library.new("Publisher", ["name": "H"], in: context)
      for number in 0..<2 {
        let author = Library.new("Author", ["name": "b\(number)", "publisher": house], in: context)
        author["contract"] = Library.new(
          "Contract", ["sum": number == 0 ? Int.max : Int.max - 1], in: context)
      }
      _ = Library.new("Contract", ["sum": Int.min], in: context)
      try context.save()
      func houses(_ format: String) throws -> Int {
        try Library.all("Publisher", format, in: context).count
      }
      #expect(try houses("authors.@sum.contract.sum > 1e19") == 1)
      #expect(try houses("authors.@avg.contract.sum > 9e18") == 1)
      #expect(try Library.all("Contract", "abs:(sum) > 9e18", in: context).count == 3)
      let request = NSFetchRequest<NSDictionary>(entityName: "Contract")
      request.resultType = .dictionaryResultType
      request.predicate = NSPredicate(format: "sum > 0")
      let total = NSExpressionDescription()
      total.name = "total"
      total.expression = NSExpression(format: "sum:(sum)")
      total.expressionResultType = .doubleAttributeType
      request.propertiesToFetch = [total]
      #expect(try context.fetch(request).first?["total"] as? Double == 0x1p64)
    }
  }
}
