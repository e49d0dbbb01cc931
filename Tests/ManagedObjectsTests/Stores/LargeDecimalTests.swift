import DataModels
import Foundation
import StoreSupport
import TestSupport
import Testing

@testable import ManagedObjects

/// Decimals at the limits of their range, as doubles in a SQLite store.
@Suite struct LargeDecimalTests {
  private static let numbers: [Decimal] = [
    .greatestFiniteMagnitude, -.greatestFiniteMagnitude, .leastNonzeroMagnitude,
    Decimal(sign: .plus, exponent: 127, significand: 1),
    Decimal(sign: .minus, exponent: 127, significand: 123_456_789_012_345_678),
    Decimal(sign: .plus, exponent: -127, significand: 123_456_789_012_345_678),
  ]

  /// One unreadable number used to make all other rows of its entity unreadable.
  @Test func whatWasSavedIsRead() throws {
    let folder = try TemporaryFolder()
    let url = folder.file("Sums.sqlite")
    let model = NSManagedObjectModel(of: [
      entity("Sum", [attribute("total", .decimalAttributeType), attribute("place", .integer16)])
    ])
    let context = try TestStore.open(url, model)
    for (place, number) in Self.numbers.enumerated() {
      let sum = insert(NSManagedObject.self, "Sum", context)
      sum["total"] = number
      sum["place"] = place
    }
    try context.save()
    let other = try TestStore.open(url, model)
    let request = NSFetchRequest<NSManagedObject>(entityName: "Sum")
    request.sortDescriptors = [NSSortDescriptor(key: "place", ascending: true)]
    let read = try other.fetch(request).map { $0["total"] as? NSDecimalNumber }
    for (number, found) in zip(Self.numbers, read) {
      // Doubles have sixteen digits.
      let ratio = try #require(found).decimalValue / number
      #expect(abs(ratio - 1) < Decimal(sign: .plus, exponent: -15, significand: 1))
    }
    request.predicate = NSPredicate(
      format: "total == %@", NSDecimalNumber(decimal: Self.numbers[0]))
    #expect(try other.fetch(request).map { $0["place"] as? Int } == [0])
  }

  /// A JSON decoder gives identifiers of 64 bits as decimals.
  @Test func decimalsFindLargeIntegers() throws {
    let folder = try TemporaryFolder()
    let model = NSManagedObjectModel(of: [
      entity("Post", [attribute("number", .integer64), attribute("total", .decimalAttributeType)])
    ])
    let context = try TestStore.open(folder.file("Posts.sqlite"), model)
    let numbers = [9_007_199_254_740_993, Int.max, Int.min, 7]
    for number in numbers {
      let post = insert(NSManagedObject.self, "Post", context)
      (post["number"], post["total"]) = (number, number)
    }
    func found(_ format: String, _ value: Any) throws -> [Int?] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Post")
      request.predicate = NSPredicate(format: format, argumentArray: [value])
      return try context.fetch(request).map { $0["number"] as? Int }
    }
    for _ in ["unsaved", "saved"] {
      for number in numbers {
        #expect(try found("number == %@", Decimal(number)) == [number])
        #expect(try found("number IN %@", [NSDecimalNumber(value: number), 1.5]) == [number])
        // A double has the total.
        #expect(try found("total == %@", number).contains(number))
      }
      let between = Decimal(sign: .plus, exponent: -1, significand: 75)
      #expect(try found("number < %@", between).count == 2)
      try context.save()
    }
  }

  @Test func whatIsBeyondThemIsNone() {
    #expect(Decimal(meantBy: 1e166) == nil)
    #expect(Decimal(meantBy: .infinity) == nil)
    #expect(Decimal(meantBy: .nan) == nil)
    #expect(Decimal(meantBy: 1e165)?.description == "1" + String(repeating: "0", count: 165))
    #expect(Decimal(meantBy: 0.1) == Decimal(string: "0.1"))
  }
}
