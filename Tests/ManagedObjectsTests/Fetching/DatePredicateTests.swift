import DataModels
import Foundation
import PredicateFormat
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Dates are numbers in fetches: arithmetic with them works in SQL and over unsaved objects alike.
@Suite struct DatePredicateTests {
  private let folder: TemporaryFolder
  private let file: NSManagedObjectContext
  private let memory: NSManagedObjectContext

  init() throws {
    folder = try TemporaryFolder()
    file = TestStore.context(try Library.coordinator(folder.file("store.sqlite")))
    let coordinator = try TestStore.coordinator(Library.model())
    memory = TestStore.context(coordinator)
    for context in [file, memory] {
      for number in 0..<5 {
        _ = Library.new(
          "Author",
          [
            "name": "a\(number)", "rank": number, "score": 50.0,
            "born": Date(timeIntervalSinceReferenceDate: Double(number) * 100),
          ], in: context)
      }
      try context.save()
    }
  }

  private static let cases: [(format: String, count: Int)] = [
    ("born + score < %@", 2), ("born + 60 < %@", 2), ("NOT (born + 60 < %@)", 3),
    ("%@ - born > 60", 2), ("born < %@ - 60", 2), ("born - score >= %@", 2), ("born < 200", 2),
    ("born == 200", 1), ("born IN {100, 200}", 2), ("born < now() - 60", 5), ("score < %@", 5),
    ("born - %@ == 100", 1), ("CAST(born, 'NSNumber') + 60 > 200", 3), ("born + rank * 2 < %@", 2),
    ("born >= FUNCTION(%@, 'dateByAddingTimeInterval:', -60)", 3),
    ("born < FUNCTION(now(), 'dateByAddingTimeInterval:', -60)", 5),
    ("FUNCTION(born, 'timeIntervalSinceDate:', %@) == 100", 1),
    ("FUNCTION(born, 'dateByAddingTimeInterval:', score) <= %@", 2),
    ("born BETWEEN {100, %@}", 2), ("born + fee < %@", 0),
    ("(%@ - born) / 150 > 1", 1), ("born / 150 > 1 AND born / 150 < 2", 1),
    ("abs:(born - %@) <= 100", 3),
  ]

  @Test(arguments: cases)
  func datesAreNumbers(format: String, count: Int) throws {
    let arguments: [Any] =
      format.contains("%@") ? [Date(timeIntervalSinceReferenceDate: 200)] : []
    #expect(try Library.all("Author", format, arguments, in: file).count == count)
    #expect(try Library.all("Author", format, arguments, in: memory).count == count)
    for author in try Library.all("Author", in: file) { author["note"] = "changed" }
    #expect(try Library.all("Author", format, arguments, in: file).count == count)
  }

  /// A missing number or date makes the result missing, which matches nothing.
  @Test(arguments: [
    "FUNCTION(born, 'dateByAddingTimeInterval:', fee) <= %@",
    "FUNCTION(%@, 'dateByAddingTimeInterval:', fee) > born",
    "FUNCTION(%@, 'timeIntervalSinceDate:', born) >= 0 AND score == nil",
  ]) func missingArgumentsOfDates(format: String) throws {
    let date = Date(timeIntervalSinceReferenceDate: 200)
    for context in [file, memory] {
      for isSaved in [false, true] {
        _ = Library.new("Author", ["name": "new", "score": nil], in: context)
        if isSaved { try context.save() }
        #expect(try Library.all("Author", format, [date], in: context).isEmpty)
        context.rollback()
      }
    }
  }

  @Test func expiryByBatch() throws {
    let request = NSFetchRequest<NSFetchRequestResult>(entityName: "Author")
    request.predicate = NSPredicate(
      format: "NOT (born + 60 > %@)", Date(timeIntervalSinceReferenceDate: 200))
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.predicate = request.predicate
    update.propertiesToUpdate = ["born": NSExpression(format: "born + 1000")]
    try file.execute(update)
    file.reset()
    #expect(try Library.all("Author", "born >= 1000 AND born <= 1100", in: file).count == 2)
    try file.execute(NSBatchDeleteRequest(fetchRequest: request))
    #expect(try Library.all("Author", in: file).count == 5)
  }

  /// A date of whole seconds is an integer to SQLite, and so is the time between two.
  @Test func hoursByBatch() throws {
    let update = NSBatchUpdateRequest(entityName: "Author")
    update.predicate = NSPredicate(format: "rank == 3")
    update.propertiesToUpdate = ["score": NSExpression(format: "(born - 0) / 200")]
    try file.execute(update)
    file.reset()
    #expect(try Library.all("Author", "rank == 3", in: file).first?["score"] as? Double == 1.5)
  }

  /// Foundation's own evaluation has no date arithmetic.
  @Test func evaluationOutsideAFetchNeedsACast() throws {
    let authors = try Library.all("Author", in: file)
    let plain = NSPredicate(format: "born + 60 < now()")
    let cast = NSPredicate(format: "CAST(born, 'NSNumber') + 60 < 1000")
    #expect(authors.filter { plain.evaluate(with: $0) }.isEmpty)
    #expect(authors.filter { cast.evaluate(with: $0) }.count == 5)
  }

  /// Sums and averages of dates are those of their seconds.
  @Test(arguments: [NSAttributeType.doubleAttributeType, .undefinedAttributeType])
  func datesAreSummed(type: NSAttributeType) throws {
    for context in [file, memory] {
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      request.propertiesToFetch = ["sum", "average"].map { name in
        let column = NSExpressionDescription()
        (column.name, column.expressionResultType) = (name, type)
        column.expression = NSExpression(format: "\(name):(born)")
        return column
      }
      let found = try #require(try context.fetch(request).first)
      #expect(found["sum"] as? Double == 1000)
      #expect(found["average"] as? Double == 200)
    }
  }

  @Test func averagesMayBeDates() throws {
    for context in [file, memory] {
      let request = NSFetchRequest<NSDictionary>(entityName: "Author")
      request.resultType = .dictionaryResultType
      let column = NSExpressionDescription()
      (column.name, column.expressionResultType) = ("average", .dateAttributeType)
      column.expression = NSExpression(format: "average:(born)")
      request.propertiesToFetch = [column]
      #expect(
        try context.fetch(request).first?["average"] as? Date
          == Date(timeIntervalSinceReferenceDate: 200))
    }
  }

  @Test func datesAreComparedWithTheirAverage() throws {
    for context in [file, memory] {
      #expect(try Library.all("Author", "born > average(born)", in: context).count == 2)
      #expect(try Library.all("Author", "born == average(born)", in: context).count == 1)
    }
  }
}
