import Foundation
import Testing

@testable import PredicateFormat

/// Arguments of formats in closures, where the compiler chooses the type of `$0` by the parameters.
@Suite struct FormatArgumentTests {
  @Test func textsInClosuresAreWhatTheySay() {
    let formats = [1, 2].map {
      NSPredicate(format: "n == %@ AND m == %d", "n\($0)", $0).canonicalFormat
    }
    #expect(formats == ["n == \"n1\" AND m == 1", "n == \"n2\" AND m == 2"])
    let keys = ["a", "b"].map { NSPredicate(format: "%K == %@", "key\($0)", $0).canonicalFormat }
    #expect(keys == ["keya == \"a\"", "keyb == \"b\""])
    let ranges = (0..<2).map {
      NSPredicate(format: "x > %@ OR y == %d", "\($0)-", $0).canonicalFormat
    }
    #expect(ranges == ["x > \"0-\" OR y == 0", "x > \"1-\" OR y == 1"])
    let expressions = [3].map {
      PredicateFormat.NSExpression(format: "a + %d + b\($0)", $0).description
    }
    #expect(expressions == ["(a + 3) + b3"])
  }

  @Test func otherArgumentsAreTakenToo() {
    let missing: String? = nil
    #expect(NSPredicate(format: "name == %@", missing).canonicalFormat == "name == nil")
    #expect(
      NSPredicate(format: "age > %d AND name IN %@", 3, ["a", "b"]).canonicalFormat
        == "age > 3 AND name IN {\"a\", \"b\"}")
    #expect(NSPredicate(format: "TRUEPREDICATE").evaluate(with: nil))
    let date = Date(timeIntervalSinceReferenceDate: 0)
    #expect(
      NSPredicate(format: "day == %@", date as NSDate) == NSPredicate(format: "day == %@", date))
  }

  /// `CGFloat` is a type of its own.
  @Test func numbersOfOtherTypes() throws {
    let numbers = [CGFloat(10), 2.5].map { PredicateValue(reading: $0) }
    #expect(numbers == [.double(10), .double(2.5)])
    #expect(
      try PredicateTree(parsing: "width > %f AND height < %@", arguments: numbers).canonicalFormat
        == "width > 10 AND height < 2.5")
  }
}
